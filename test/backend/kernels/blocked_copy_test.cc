// Copies into blocked layouts against oneDNN's own.
#include <cstring>
#include <vector>

#include "backend/kernels/onednn/blocked_copy.h"
#include "backend/kernels/onednn/engine.h"
#include "test/backend/kernels/kernel_fixture.h"

using namespace atc;
using namespace atc::test;
using Desc = dnnl::memory::desc;
using Tag = dnnl::memory::format_tag;
using Type = dnnl::memory::data_type;

namespace {

void CheckCopy(const Desc& from, const Desc& to, const Tensor& data) {
  std::vector<std::byte> want(to.get_size()), found(to.get_size(), std::byte{0x5a});
  dnnl::memory source(from, kernels::Engine(), const_cast<std::byte*>(data.Data())), result(to, kernels::Engine(), want.data());
  dnnl::reorder(source, result).execute(kernels::ThreadStream(), source, result);
  kernels::ThreadStream().wait();
  REQUIRE(kernels::CopyToBlocks(from, data.Data(), to, found.data()));
  CHECK(want == found);
}

}  // namespace

TEST_CASE("filters are copied into blocks as oneDNN does it, with zeros beyond") {
  const Tag tag = GENERATE(Tag::Acdb16a, Tag::Acdb32a, Tag::Acdb64a, Tag::ABcd16b16a, Tag::acdb, Tag::abcd);
  const int64_t outputs = GENERATE(16, 32, 37, 100, 192), inputs = GENERATE(3, 16, 40), taps = GENERATE(1, 3, 5);
  const dnnl::memory::dims dims = {outputs, inputs, taps, taps};
  CheckCopy(Desc(dims, Type::f32, Tag::abcd), Desc(dims, Type::f32, tag), RandomFloats(Shape(dims), 1));
}

TEST_CASE("filters of groups, matrices and bytes are copied into blocks as oneDNN does it") {
  const int64_t groups = GENERATE(8, 16, 24, 58);
  const dnnl::memory::dims depthwise = {groups, 1, 1, 3, 3};
  for (const Tag tag : {Tag::Abcde16a, Tag::Abcde8a, Tag::abdec}) {
    CheckCopy(Desc(depthwise, Type::f32, Tag::abcde), Desc(depthwise, Type::f32, tag), RandomFloats(Shape(depthwise), 2));
  }
  const dnnl::memory::dims matrix = {50, groups};
  for (const Tag tag : {Tag::ab, Tag::ba}) {  // transposed operands lie the other way round
    CheckCopy(Desc(matrix, Type::f32, Tag::ba), Desc(matrix, Type::f32, tag), RandomFloats(Shape(matrix), 3));
  }
}

TEST_CASE("what is no copy into single blocks is left to oneDNN") {
  const dnnl::memory::dims dims = {32, 32, 3, 3};
  const Tensor data = RandomFloats(Shape(dims), 1);
  const Desc plain(dims, Type::f32, Tag::abcd);
  std::vector<std::byte> out(plain.get_size());
  CHECK_FALSE(kernels::CopyToBlocks(plain, data.Data(), Desc(dims, Type::s8, Tag::abcd), out.data()));
  CHECK_FALSE(kernels::CopyToBlocks(plain, data.Data(), Desc(dims, Type::f32, Tag::ABcd4b16a4b), out.data()));
}
