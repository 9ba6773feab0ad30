// Constants in the types and layouts that primitives want, each made once for all kernels of a model.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "backend/kernels/kernel.h"
#include "backend/kernels/onednn/engine.h"

namespace atc::kernels {

class PreparedConstants {
 public:
  // The constant as float in the layout `wanted`; `plain` says how it lies. The bool tells whether it was made now.
  // Where it lies as wanted it is used where it is: it must stay valid as long as the memory.
  std::pair<dnnl::memory, bool> Get(const Tensor& constant, const dnnl::memory::desc& plain,
                                    const dnnl::memory::desc& wanted);

 private:
  struct Entry {
    DataType dtype;
    dnnl::memory::desc plain;
    dnnl::memory prepared;
  };
  std::map<const void*, std::vector<Entry>> by_bytes_;  // looked up, never walked
};

}  // namespace atc::kernels
