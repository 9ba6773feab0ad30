#include "backend/kernels/onednn/engine.h"

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

// Weights are prepared by several threads at a time, each with its own: a team for each would only get in the way.
KeptMemory Rearranged(const dnnl::memory::desc& from, const void* data, const dnnl::memory::desc& to) {
  const Team alone(1);
  const std::shared_ptr<std::byte> bytes = AllocatePrepared(to.get_size());
  dnnl::memory source(from, Engine(), const_cast<void*>(data)), result(to, Engine(), bytes.get());
  dnnl::reorder(source, result).execute(ThreadStream(), source, result);
  ThreadStream().wait();
  return {result, bytes};
}

}  // namespace atc::kernels
