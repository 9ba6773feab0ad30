// Copies into the blocked layouts of oneDNN, without code that is generated for each.
#pragma once

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>

namespace atc::kernels {

// Writes what lies at `data` as `from` says, strides alone, in the layout `to` of the same type and dims, what pads its
// blocks as zeros. False, with nothing written, where oneDNN has to do it: `to` holds more than the elements, or has more
// than one block along an axis.
bool CopyToBlocks(const dnnl::memory::desc& from, const std::byte* data, const dnnl::memory::desc& to, std::byte* out);

}  // namespace atc::kernels
