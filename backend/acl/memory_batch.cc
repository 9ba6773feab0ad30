// acl_rt.h: copies of rows, of several ranges, and through addresses of addresses.
#include <cstring>

#include "backend/acl/copy_kind.h"
#include "backend/acl/handles.h"
#include "backend/acl/include/acl/acl_rt.h"

using namespace atc::acl;
using atc::runtime::Memory;
using atc::runtime::Runtime;
using atc::runtime::Stream;

namespace {

struct Rows {
  void* dst;
  size_t dpitch;
  const void* src;
  size_t spitch;
  size_t width;
  size_t height;

  aclError Check() const {
    if (dst == nullptr) return NullArgument("dst");
    if (src == nullptr) return NullArgument("src");
    if (width == 0 || height == 0 || width > dpitch || width > spitch) {
      return Fail(ACL_ERROR_INVALID_PARAM, "rows of " + std::to_string(width) + " bytes do not fit the pitches " +
                                               std::to_string(dpitch) + " and " + std::to_string(spitch));
    }
    size_t end = 0;
    const size_t pitch = std::max(dpitch, spitch);
    const Memory& memory = Runtime::Get().memory();
    if (__builtin_mul_overflow(pitch, height, &end) || !memory.InBounds(dst, dpitch * (height - 1) + width) ||
        !memory.InBounds(src, spitch * (height - 1) + width)) {
      return Fail(ACL_ERROR_RT_PARAM_INVALID, "the rows reach past an allocation");
    }
    return ACL_SUCCESS;
  }

  void Copy() const {
    for (size_t row = 0; row < height; ++row) {
      std::memmove(static_cast<std::byte*>(dst) + row * dpitch, static_cast<const std::byte*>(src) + row * spitch, width);
    }
  }
};

// What a batch says of where the sides lie: each attribute for the copies from its index up to the next one's.
struct Attributes {
  const aclrtMemcpyBatchAttr* attrs;
  const size_t* indexes;
  size_t number;

  aclError Check(size_t copy, const void* dst, const void* src) const {
    if (attrs == nullptr || indexes == nullptr) return ACL_SUCCESS;
    const aclrtMemcpyBatchAttr* mine = nullptr;
    for (size_t i = 0; i < number && indexes[i] <= copy; ++i) mine = &attrs[i];
    if (mine == nullptr || dst == nullptr || src == nullptr) return ACL_SUCCESS;
    if (const aclError code = CheckLocationFits(mine->dstLoc.type, dst, "destination"); code != ACL_SUCCESS) return code;
    return CheckLocationFits(mine->srcLoc.type, src, "source");
  }
};

template <class Copy>
aclError Batch(void** dsts, size_t* maxs, void** srcs, size_t* sizes, size_t count, const Attributes& attributes,
               size_t* failed, Copy&& copy) {
  return Guard([&]() -> aclError {
    if (failed != nullptr) *failed = SIZE_MAX;
    if (dsts == nullptr || maxs == nullptr || srcs == nullptr || sizes == nullptr) {
      return NullArgument("dsts, destMaxs, srcs or sizes");
    }
    if (count == 0) return Fail(ACL_ERROR_INVALID_PARAM, "a batch of 0 copies was given");
    for (size_t i = 0; i < count; ++i) {
      aclError code = attributes.Check(i, dsts[i], srcs[i]);
      if (code == ACL_SUCCESS) code = copy(dsts[i], maxs[i], srcs[i], sizes[i]);
      if (code == ACL_SUCCESS) continue;
      if (failed != nullptr) *failed = i;
      return code;
    }
    return ACL_SUCCESS;
  });
}

}  // namespace

aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                       aclrtMemcpyKind kind) {
  return Guard([&]() -> aclError {
    if (const aclError code = CheckKind(kind); code != ACL_SUCCESS) return code;
    const Rows rows{dst, dpitch, src, spitch, width, height};
    if (const aclError code = rows.Check(); code != ACL_SUCCESS) return code;
    rows.Copy();
    return ACL_SUCCESS;
  });
}

aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                            aclrtMemcpyKind kind, aclrtStream stream) {
  return Guard([&]() -> aclError {
    if (const aclError code = CheckKind(kind); code != ACL_SUCCESS) return code;
    const Rows rows{dst, dpitch, src, spitch, width, height};
    if (const aclError code = rows.Check(); code != ACL_SUCCESS) return code;
    if (const aclError code = CheckKindFits(kind, dst, src); code != ACL_SUCCESS) return code;
    const Memory& memory = Runtime::Get().memory();
    std::shared_ptr<Stream> on;
    if (const aclError code = FindStream(stream, &on); code != ACL_SUCCESS) return code;
    const bool known = memory.Find(dst).has_value() && memory.Find(src).has_value();
    const aclError code = on->Enqueue([rows](Stream&) -> aclError {
      if (const aclError fault = rows.Check(); fault != ACL_SUCCESS) return fault;
      rows.Copy();
      return ACL_SUCCESS;
    });
    // Ordinary host memory may go when the call returns.
    return code != ACL_SUCCESS || known || on->OnOwnThread() ? code : on->Synchronize();
  });
}

aclError aclrtMemcpyBatch(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                          aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs, size_t* failIndex) {
  return Batch(dsts, destMaxs, srcs, sizes, numBatches, {attrs, attrsIndexes, numAttrs}, failIndex,
               [](void* dst, size_t max, void* src, size_t size) {
    return aclrtMemcpy(dst, max, src, size, ACL_MEMCPY_DEFAULT);
  });
}

aclError aclrtMemcpyBatchAsync(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                               aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs, size_t* failIndex,
                               aclrtStream stream) {
  return Batch(dsts, destMaxs, srcs, sizes, numBatches, {attrs, attrsIndexes, numAttrs}, failIndex,
               [&](void* dst, size_t max, void* src, size_t size) {
    return aclrtMemcpyAsync(dst, max, src, size, ACL_MEMCPY_DEFAULT, stream);
  });
}

aclError aclrtMemcpyBatchV2(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                            aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs) {
  return aclrtMemcpyBatch(dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs, nullptr);
}

aclError aclrtMemcpyBatchAsyncV2(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes, size_t numBatches,
                                 aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs,
                                 aclrtStream stream) {
  return aclrtMemcpyBatchAsync(dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs, nullptr, stream);
}

aclError aclrtMemcpyAsyncWithOffset(void** dst, size_t destMax, size_t dstDataOffset, const void** src, size_t count,
                                    size_t srcDataOffset, aclrtMemcpyKind kind, aclrtStream stream) {
  return Guard([&]() -> aclError {
    if (dst == nullptr) return NullArgument("dst");
    if (src == nullptr) return NullArgument("src");
    if (const aclError code = CheckKind(kind); code != ACL_SUCCESS) return code;
    std::shared_ptr<Stream> on;
    if (const aclError code = FindStream(stream, &on); code != ACL_SUCCESS) return code;
    return on->Enqueue([=](Stream&) -> aclError {
      if (*dst == nullptr || *src == nullptr) return Fail(ACL_ERROR_RT_PARAM_INVALID, "an address of the copy is NULL");
      if (const aclError code = CheckKindFits(kind, *dst, *src); code != ACL_SUCCESS) return code;
      return aclrtMemcpy(static_cast<std::byte*>(*dst) + dstDataOffset, destMax,
                         static_cast<const std::byte*>(*src) + srcDataOffset, count, kind);
    });
  });
}
