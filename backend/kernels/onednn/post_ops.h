// What follows a heavy operator in its fused node, as post-operations that oneDNN applies while the result is in
// registers.
#pragma once

#include <vector>

#include "backend/kernels/kernel.h"
#include "backend/kernels/onednn/engine.h"

namespace atc::kernels {

struct PostOps {
  struct Operand {
    int port;  // of the outer node
    int dnnl_arg;
    dnnl::memory::desc desc;  // as it lies
  };
  bool fits = false;       // false: something in the tail is no post-operation
  bool loses_nan = false;  // one of them takes the larger or smaller of two numbers
  dnnl::post_ops ops;
  std::vector<Operand> operands;
};

// The tail of `heavy`, whose result oneDNN knows as `y` with its channels along dim `channel`; it lies as output port 0
// does; if not, `turned`, and operands of its whole shape do not fit. No tail at all fits. Results may differ from
// those of the reference in the last places: oneDNN approximates transcendentals.
PostOps FindPostOps(const KernelSpec& spec, const Node& heavy, const dnnl::memory::desc& y, size_t channel,
                    bool turned = false);

// Whether oneDNN has generated code for this primitive, rather than plain loops.
template <typename PrimitiveDesc>
bool IsGenerated(const PrimitiveDesc& desc) {
  const std::string name = desc.impl_info_str();
  return name.find("ref") == std::string::npos && name.find("simple") == std::string::npos;
}

}  // namespace atc::kernels
