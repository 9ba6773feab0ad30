// oneDNN behind one header: versions 2 and 3 differ in how primitives are described.
#pragma once

#include <memory>
#include <oneapi/dnnl/dnnl.hpp>

#include "compiler/ir/data_type.h"

namespace atc::kernels {

// The CPU engine of the process.
dnnl::engine& Engine();

// A stream of the calling thread; oneDNN's CPU streams run on the caller.
inline dnnl::stream& ThreadStream() {
  thread_local dnnl::stream stream(Engine());
  return stream;
}

// A memory that a run gives its address to.
inline dnnl::memory Unbound(const dnnl::memory::desc& desc) { return dnnl::memory(desc, Engine(), DNNL_MEMORY_NONE); }

// A memory and the bytes that it speaks of.
struct KeptMemory {
  dnnl::memory memory;
  std::shared_ptr<const std::byte> bytes;
};

// What lies at `data` as `from` says, in the layout and type `to`, by the calling thread alone.
KeptMemory Rearranged(const dnnl::memory::desc& from, const void* data, const dnnl::memory::desc& to);

// Attributes of every primitive here: scratchpad from the caller.
inline dnnl::primitive_attr Attributes() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

}  // namespace atc::kernels
