// ge_onnx_*.pbtxt as a view.
#pragma once

#include <string>

#include "compiler/om/model_view.h"

namespace atc {

// Of a dump at level 3, which has no attributes, nodes and edges alone. Throws Error E13018.
ModelView ViewOnnxText(const std::string& path);

}  // namespace atc
