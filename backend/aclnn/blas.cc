// acl_cblas.h: C = alpha A B + beta C.
#include "backend/acl/guard.h"
#include "backend/acl/include/acl/acl_rt.h"
#include "backend/acl/include/acl/ops/acl_cblas.h"
#include "backend/aclnn/single_op.h"

using atc::acl::Fail;
using atc::acl::Guard;
using atc::acl::NullArgument;

namespace {

struct Matrix {
  int rows, columns;
  aclDataType dtype;
  bool transposed = false;
  int leading = -1;

  aclError Check(const char* name) const {
    if (rows < 1 || columns < 1) return Fail(ACL_ERROR_INVALID_PARAM, std::string(name) + " has no rows or columns");
    const int stored = transposed ? rows : columns;
    if (leading == -1 || leading == stored) return ACL_SUCCESS;
    return Fail(ACL_ERROR_INVALID_PARAM, std::string("the leading dimension of ") + name + " is -1 or " + std::to_string(stored) + ", not " + std::to_string(leading));
  }
  // As it lies in memory.
  aclTensorDesc* Describe() const {
    const int64_t dims[] = {transposed ? columns : rows, transposed ? rows : columns};
    return aclCreateTensorDesc(dtype, 2, dims, ACL_FORMAT_ND);
  }
};

aclError CheckTranspose(aclTransType type) {
  if (type == ACL_TRANS_N || type == ACL_TRANS_T) return ACL_SUCCESS;
  return Fail(ACL_ERROR_INVALID_PARAM, "matrices lie row by row or transposed (ACL_TRANS_N, ACL_TRANS_T); other layouts are not offered");
}

// The operands A, B, C, alpha, beta and the result C of the operator "GEMM".
struct Product {
  Matrix a, b, c;

  aclError Check() const {
    if (const aclError code = a.Check("A"); code != ACL_SUCCESS) return code;
    if (const aclError code = b.Check("B"); code != ACL_SUCCESS) return code;
    return c.Check("C");
  }

  aclError MakeHandle(aclopHandle** handle) const {
    if (handle == nullptr) return NullArgument("handle");
    aclTensorDesc* inputs[] = {a.Describe(), b.Describe(), c.Describe(), aclCreateTensorDesc(c.dtype, 0, nullptr, ACL_FORMAT_ND),
                               aclCreateTensorDesc(c.dtype, 0, nullptr, ACL_FORMAT_ND)};
    aclTensorDesc* output = c.Describe();
    aclopAttr* attr = aclopCreateAttr();
    aclopSetAttrBool(attr, "transpose_a", a.transposed);
    aclopSetAttrBool(attr, "transpose_b", b.transposed);
    const aclError code = aclopCreateHandle("GEMM", 5, inputs, 1, &output, attr, handle);
    aclopDestroyAttr(attr);
    for (aclTensorDesc* desc : inputs) aclDestroyTensorDesc(desc);
    aclDestroyTensorDesc(output);
    return code;
  }
};

// alpha and beta may be numbers of the host; they are brought to the device for the run.
class DeviceNumber {
 public:
  DeviceNumber(const void* value, aclDataType dtype) : bytes_(aclDataTypeSize(dtype)) {
    code_ = aclrtMalloc(&data_, bytes_, ACL_MEM_MALLOC_NORMAL_ONLY);
    if (code_ == ACL_SUCCESS) code_ = aclrtMemcpy(data_, bytes_, value, bytes_, ACL_MEMCPY_DEFAULT);
  }
  aclError code() const { return code_; }
  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_;
  void* data_ = nullptr;
  aclError code_;
};

size_t BytesOf(const Matrix& m) { return aclDataTypeSize(m.dtype) * static_cast<size_t>(m.rows) * static_cast<size_t>(m.columns); }

aclError RunProduct(const Product& product, const void* alpha, const void* a, const void* b, const void* beta, void* c, aclrtStream stream) {
  return Guard([&]() -> aclError {
    if (alpha == nullptr || a == nullptr || b == nullptr || beta == nullptr || c == nullptr) return NullArgument("an operand of the product");
    if (const aclError code = product.Check(); code != ACL_SUCCESS) return code;
    aclopHandle* handle = nullptr;
    if (const aclError code = product.MakeHandle(&handle); code != ACL_SUCCESS) return code;
    const DeviceNumber numbers[] = {DeviceNumber(alpha, product.c.dtype), DeviceNumber(beta, product.c.dtype)};
    aclError code = numbers[0].code() != ACL_SUCCESS ? numbers[0].code() : numbers[1].code();
    if (code == ACL_SUCCESS) {
      aclDataBuffer* inputs[] = {aclCreateDataBuffer(const_cast<void*>(a), BytesOf(product.a)), aclCreateDataBuffer(const_cast<void*>(b), BytesOf(product.b)),
                                 aclCreateDataBuffer(c, BytesOf(product.c)), aclCreateDataBuffer(numbers[0].data(), numbers[0].bytes()),
                                 aclCreateDataBuffer(numbers[1].data(), numbers[1].bytes())};
      aclDataBuffer* output = aclCreateDataBuffer(c, BytesOf(product.c));
      code = aclopExecWithHandle(handle, 5, inputs, 1, &output, stream);
      for (aclDataBuffer* buffer : inputs) aclDestroyDataBuffer(buffer);
      aclDestroyDataBuffer(output);
    }
    aclopDestroyHandle(handle);
    // The numbers go when the stream has passed the product.
    for (const DeviceNumber& number : numbers) {
      const auto free = [](void* data) { aclrtFree(data); };
      if (code != ACL_SUCCESS || aclrtLaunchHostFunc(stream, free, number.data()) != ACL_SUCCESS) free(number.data());
    }
    return code;
  });
}

aclError MakeProduct(aclTransType transA, aclTransType transB, aclTransType transC, int m, int n, int k, int lda, int ldb, int ldc,
                     aclDataType dataTypeA, aclDataType dataTypeB, aclDataType dataTypeC, Product* product) {
  for (const aclTransType type : {transA, transB}) {
    if (const aclError code = CheckTranspose(type); code != ACL_SUCCESS) return code;
  }
  if (transC != ACL_TRANS_N) return Fail(ACL_ERROR_INVALID_PARAM, "the result lies row by row (ACL_TRANS_N)");
  *product = {{m, k, dataTypeA, transA == ACL_TRANS_T, lda}, {k, n, dataTypeB, transB == ACL_TRANS_T, ldb}, {m, n, dataTypeC, false, ldc}};
  return ACL_SUCCESS;
}

aclError CheckStep(int step) {
  return step == 1 ? ACL_SUCCESS : Fail(ACL_ERROR_INVALID_PARAM, "vectors lie without gaps: their step is 1, not " + std::to_string(step));
}

}  // namespace

aclError aclblasGemmEx(aclTransType transA, aclTransType transB, aclTransType transC, int m, int n, int k, const void* alpha,
                       const void* matrixA, int lda, aclDataType dataTypeA, const void* matrixB, int ldb,
                       aclDataType dataTypeB, const void* beta, void* matrixC, int ldc, aclDataType dataTypeC,
                       aclComputeType type, aclrtStream stream) {
  Product product;
  const aclError code = MakeProduct(transA, transB, transC, m, n, k, lda, ldb, ldc, dataTypeA, dataTypeB, dataTypeC, &product);
  return code == ACL_SUCCESS ? RunProduct(product, alpha, matrixA, matrixB, beta, matrixC, stream) : code;
}

aclError aclblasCreateHandleForGemmEx(aclTransType transA, aclTransType transB, aclTransType transC, int m, int n, int k,
                                      aclDataType dataTypeA, aclDataType dataTypeB, aclDataType dataTypeC,
                                      aclComputeType type, aclopHandle** handle) {
  Product product;
  const aclError code = MakeProduct(transA, transB, transC, m, n, k, -1, -1, -1, dataTypeA, dataTypeB, dataTypeC, &product);
  if (code != ACL_SUCCESS) return code;
  return Guard([&] {
    const aclError fit = product.Check();
    return fit == ACL_SUCCESS ? product.MakeHandle(handle) : fit;
  });
}

aclError aclblasHgemm(aclTransType transA, aclTransType transB, aclTransType transC, int m, int n, int k,
                      const aclFloat16* alpha, const aclFloat16* matrixA, int lda, const aclFloat16* matrixB, int ldb,
                      const aclFloat16* beta, aclFloat16* matrixC, int ldc, aclComputeType type, aclrtStream stream) {
  return aclblasGemmEx(transA, transB, transC, m, n, k, alpha, matrixA, lda, ACL_FLOAT16, matrixB, ldb, ACL_FLOAT16, beta, matrixC, ldc,
                       ACL_FLOAT16, type, stream);
}
aclError aclblasCreateHandleForHgemm(aclTransType transA, aclTransType transB, aclTransType transC, int m, int n, int k,
                                     aclComputeType type, aclopHandle** handle) {
  return aclblasCreateHandleForGemmEx(transA, transB, transC, m, n, k, ACL_FLOAT16, ACL_FLOAT16, ACL_FLOAT16, type, handle);
}
aclError aclblasS8gemm(aclTransType transA, aclTransType transB, aclTransType transC, int m, int n, int k,
                       const int32_t* alpha, const int8_t* matrixA, int lda, const int8_t* matrixB, int ldb,
                       const int32_t* beta, int32_t* matrixC, int ldc, aclComputeType type, aclrtStream stream) {
  return aclblasGemmEx(transA, transB, transC, m, n, k, alpha, matrixA, lda, ACL_INT8, matrixB, ldb, ACL_INT8, beta, matrixC, ldc, ACL_INT32,
                       type, stream);
}
aclError aclblasCreateHandleForS8gemm(aclTransType transA, aclTransType transB, aclTransType transC, int m, int n, int k,
                                      aclComputeType type, aclopHandle** handle) {
  return aclblasCreateHandleForGemmEx(transA, transB, transC, m, n, k, ACL_INT8, ACL_INT8, ACL_INT32, type, handle);
}

aclError aclblasGemvEx(aclTransType transA, int m, int n, const void* alpha, const void* a, int lda, aclDataType dataTypeA,
                       const void* x, int incx, aclDataType dataTypeX, const void* beta, void* y, int incy,
                       aclDataType dataTypeY, aclComputeType type, aclrtStream stream) {
  for (const int step : {incx, incy}) {
    if (const aclError code = CheckStep(step); code != ACL_SUCCESS) return code;
  }
  return aclblasGemmEx(transA, ACL_TRANS_N, ACL_TRANS_N, m, 1, n, alpha, a, lda, dataTypeA, x, -1, dataTypeX, beta, y, -1, dataTypeY, type, stream);
}
aclError aclblasCreateHandleForGemvEx(aclTransType transA, int m, int n, aclDataType dataTypeA, aclDataType dataTypeX,
                                      aclDataType dataTypeY, aclComputeType type, aclopHandle** handle) {
  return aclblasCreateHandleForGemmEx(transA, ACL_TRANS_N, ACL_TRANS_N, m, 1, n, dataTypeA, dataTypeX, dataTypeY, type, handle);
}
aclError aclblasHgemv(aclTransType transA, int m, int n, const aclFloat16* alpha, const aclFloat16* a, int lda,
                      const aclFloat16* x, int incx, const aclFloat16* beta, aclFloat16* y, int incy, aclComputeType type,
                      aclrtStream stream) {
  return aclblasGemvEx(transA, m, n, alpha, a, lda, ACL_FLOAT16, x, incx, ACL_FLOAT16, beta, y, incy, ACL_FLOAT16, type, stream);
}
aclError aclblasCreateHandleForHgemv(aclTransType transA, int m, int n, aclComputeType type, aclopHandle** handle) {
  return aclblasCreateHandleForGemvEx(transA, m, n, ACL_FLOAT16, ACL_FLOAT16, ACL_FLOAT16, type, handle);
}
aclError aclblasS8gemv(aclTransType transA, int m, int n, const int32_t* alpha, const int8_t* a, int lda, const int8_t* x,
                       int incx, const int32_t* beta, int32_t* y, int incy, aclComputeType type, aclrtStream stream) {
  return aclblasGemvEx(transA, m, n, alpha, a, lda, ACL_INT8, x, incx, ACL_INT8, beta, y, incy, ACL_INT32, type, stream);
}
aclError aclblasCreateHandleForS8gemv(aclTransType transA, int m, int n, aclComputeType type, aclopHandle** handle) {
  return aclblasCreateHandleForGemvEx(transA, m, n, ACL_INT8, ACL_INT8, ACL_INT32, type, handle);
}
