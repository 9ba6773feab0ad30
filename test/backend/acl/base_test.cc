#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "backend/acl/include/acl/acl.h"

TEST_CASE("element sizes are ACL's") {
  const std::pair<int, size_t> sizes[] = {{-1, 0}, {0, 4},  {1, 2},  {2, 1},  {3, 4},  {4, 1},  {6, 2},  {7, 2},
                                          {8, 4},  {9, 8},  {10, 8}, {11, 8}, {12, 1}, {13, 0}, {16, 8}, {17, 16},
                                          {27, 2}, {29, 1}, {30, 1}, {33, 4}, {99, 8}};
  for (const auto& [type, size] : sizes) {
    CAPTURE(type);
    CHECK(aclDataTypeSize(static_cast<aclDataType>(type)) == size);
  }
}

TEST_CASE("half floats follow IEEE 754") {
  CHECK(aclFloat16ToFloat(0x3C00) == 1.0f);
  CHECK(aclFloat16ToFloat(0x0001) == std::ldexp(1.0f, -24));
  CHECK(aclFloat16ToFloat(0x7BFF) == 65504.0f);
  CHECK(std::isinf(aclFloat16ToFloat(0xFC00)));
  CHECK(std::isnan(aclFloat16ToFloat(0x7E00)));
  CHECK(aclFloatToFloat16(-2.0f) == 0xC000);
  CHECK(aclFloatToFloat16(65520.0f) == 0x7C00);  // halfway to 65536: rounds to even, which is infinity
  CHECK(aclFloatToFloat16(65519.0f) == 0x7BFF);
  CHECK(aclFloatToFloat16(std::numeric_limits<float>::infinity()) == 0x7C00);
  CHECK((aclFloatToFloat16(std::nanf("")) & 0x7C00) == 0x7C00);
}

TEST_CASE("a data buffer is a pair of address and size") {
  int here = 0;
  aclDataBuffer* buffer = aclCreateDataBuffer(&here, 5'000'000'000);
  REQUIRE(buffer != nullptr);
  CHECK(aclGetDataBufferAddr(buffer) == &here);
  CHECK(aclGetDataBufferSizeV2(buffer) == 5'000'000'000);
  CHECK(aclGetDataBufferSize(buffer) == static_cast<uint32_t>(5'000'000'000));
  CHECK(aclUpdateDataBuffer(buffer, nullptr, 0) == ACL_SUCCESS);
  CHECK(aclGetDataBufferAddr(buffer) == nullptr);
  CHECK(aclGetDataBufferSizeV2(buffer) == 0);
  CHECK(aclDestroyDataBuffer(buffer) == ACL_SUCCESS);
  // Stale, foreign and null handles are told, not followed.
  aclGetRecentErrMsg();
  CHECK(aclDestroyDataBuffer(buffer) == ACL_ERROR_INVALID_PARAM);
  CHECK(std::string(aclGetRecentErrMsg()).find("dataBuffer") != std::string::npos);
  CHECK(aclGetRecentErrMsg() == nullptr);
  CHECK(aclGetDataBufferAddr(buffer) == nullptr);
  CHECK(aclDestroyDataBuffer(reinterpret_cast<aclDataBuffer*>(&here)) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclUpdateDataBuffer(nullptr, &here, 4) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclDestroyDataBuffer(nullptr) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclGetDataBufferSizeV2(nullptr) == 0);
}

TEST_CASE("a tensor description keeps what it was given") {
  const int64_t dims[] = {2, 3, 5};
  aclTensorDesc* desc = aclCreateTensorDesc(ACL_FLOAT16, 3, dims, ACL_FORMAT_ND);
  REQUIRE(desc != nullptr);
  CHECK(aclGetTensorDescType(desc) == ACL_FLOAT16);
  CHECK(aclGetTensorDescFormat(desc) == ACL_FORMAT_ND);
  CHECK(aclGetTensorDescSize(desc) == 60);
  CHECK(aclGetTensorDescElementCount(desc) == 30);
  CHECK(aclGetTensorDescNumDims(desc) == 3);
  CHECK(aclGetTensorDescDim(desc, 2) == 5);
  CHECK(aclGetTensorDescDim(desc, 3) == -1);
  int64_t dim = 0;
  CHECK(aclGetTensorDescDimV2(desc, 1, &dim) == ACL_SUCCESS);
  CHECK(dim == 3);
  CHECK(aclGetTensorDescDimV2(desc, 3, &dim) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclGetTensorDescDimV2(desc, 0, nullptr) == ACL_ERROR_INVALID_PARAM);
  CHECK(std::string(aclGetTensorDescName(desc)).empty());
  aclSetTensorDescName(desc, "x");
  CHECK(std::string(aclGetTensorDescName(desc)) == "x");
  aclDestroyTensorDesc(desc);
  CHECK(aclGetTensorDescSize(desc) == 0);
  aclDestroyTensorDesc(desc);  // told in the log, no more
}

TEST_CASE("tensor descriptions of scalars, open shapes and overflowing ones") {
  aclTensorDesc* scalar = aclCreateTensorDesc(ACL_INT64, 0, nullptr, ACL_FORMAT_ND);
  CHECK(aclGetTensorDescSize(scalar) == 8);
  CHECK(aclGetTensorDescNumDims(scalar) == 0);
  const int64_t open[] = {-1, 4};
  aclTensorDesc* unknown = aclCreateTensorDesc(ACL_FLOAT, 2, open, ACL_FORMAT_ND);
  CHECK(aclGetTensorDescSize(unknown) == 0);
  const int64_t rankless[] = {-2};
  aclTensorDesc* unknown_rank = aclCreateTensorDesc(ACL_FLOAT, 1, rankless, ACL_FORMAT_ND);
  CHECK(aclGetTensorDescNumDims(unknown_rank) == ACL_UNKNOWN_RANK);
  const int64_t huge[] = {INT64_MAX, 2};
  aclTensorDesc* overflowing = aclCreateTensorDesc(ACL_FLOAT, 2, huge, ACL_FORMAT_ND);
  CHECK(aclGetTensorDescSize(overflowing) == 0);
  CHECK(aclGetTensorDescElementCount(overflowing) == 0);
  CHECK(aclCreateTensorDesc(ACL_FLOAT, -1, huge, ACL_FORMAT_ND) == nullptr);
  CHECK(aclCreateTensorDesc(ACL_FLOAT, 1, nullptr, ACL_FORMAT_ND) == nullptr);
  for (aclTensorDesc* desc : {scalar, unknown, unknown_rank, overflowing}) aclDestroyTensorDesc(desc);
}
