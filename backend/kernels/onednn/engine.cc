#include "backend/kernels/onednn/engine.h"

#include "backend/kernels/onednn/blocked_copy.h"
#include "backend/kernels/prepared_bytes.h"
#include "backend/kernels/team.h"

namespace atc::kernels {
namespace {

// Unless told otherwise, oneDNN looks for a profiler's library through all paths with each piece of code that it makes.
dnnl::engine MakeEngine() {
  dnnl::set_jit_profiling_flags(DNNL_JIT_PROFILE_NONE);
  return dnnl::engine(dnnl::engine::kind::cpu, 0);
}

}  // namespace

dnnl::engine& Engine() {
  static dnnl::engine engine = MakeEngine();
  return engine;
}

// To make code for a layout takes oneDNN as long as to copy so many bytes without it.
constexpr size_t kSmall = size_t{1} << 20;

// Weights are prepared by several threads at a time, each with its own: a team for each would only get in the way.
KeptMemory Rearranged(const dnnl::memory::desc& from, const void* data, const dnnl::memory::desc& to) {
  const std::shared_ptr<std::byte> bytes = AllocatePrepared(to.get_size());
  if (to.get_size() <= kSmall && CopyToBlocks(from, static_cast<const std::byte*>(data), to, bytes.get())) {
    return {dnnl::memory(to, Engine(), bytes.get()), bytes};
  }
  const Team alone(1);
  dnnl::memory source(from, Engine(), const_cast<void*>(data)), result(to, Engine(), bytes.get());
  dnnl::reorder(source, result).execute(ThreadStream(), source, result);
  ThreadStream().wait();
  return {result, bytes};
}

}  // namespace atc::kernels
