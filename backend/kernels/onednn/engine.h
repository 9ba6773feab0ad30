// oneDNN behind one header: versions 2 and 3 differ in how primitives are described.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include "compiler/ir/data_type.h"

namespace atc::kernels {

// The CPU engine of the process.
inline dnnl::engine& Engine() {
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

// A stream of the calling thread; oneDNN's CPU streams run on the caller.
inline dnnl::stream& ThreadStream() {
  thread_local dnnl::stream stream(Engine());
  return stream;
}

// A memory that a run gives its address to.
inline dnnl::memory Unbound(const dnnl::memory::desc& desc) { return dnnl::memory(desc, Engine(), DNNL_MEMORY_NONE); }

// Attributes of every primitive here: scratchpad from the caller.
inline dnnl::primitive_attr Attributes() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

}  // namespace atc::kernels
