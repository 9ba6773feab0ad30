#include "compiler/ir/ascend_aliases.h"

#include <utility>

namespace atc {
namespace {

struct Alias {
  std::string_view name;
  const char* runs_as;
};

constexpr Alias kAliases[] = {
    {"BatchMatMul", "BatchMatMulV2"},
    {"BatchMatMulV3", "BatchMatMulV2"},
    {"ConcatV2D", "ConcatD"},
    {"Constant", "Const"},
    {"Conv2DV2", "Conv2D"},
    {"Conv3DV2", "Conv3D"},
    {"Div", "RealDiv"},
    {"ExpandDims", "UnsqueezeV3"},
    {"MatMul", "MatMulV2"},
    {"MatMulV3", "MatMulV2"},
    {"Softmax", "SoftmaxV2"},
};

}  // namespace

const OpDef* FindAlias(std::string_view type, AttrMap& attrs) {
  for (const Alias& alias : kAliases) {
    if (type != alias.name) continue;
    const OpDef* def = OpRegistry::Get().Find(alias.runs_as);
    for (const auto& [from, to] : {std::pair("transpose_x1", "adj_x1"), std::pair("transpose_x2", "adj_x2")}) {
      const bool* set = attrs.FindAs<bool>(from);
      if (set == nullptr || def->FindAttr(from) != nullptr || def->FindAttr(to) == nullptr) continue;
      const bool value = *set;
      attrs.Erase(from);
      attrs.Set(to, AttrValue(value));
    }
    return def;
  }
  return nullptr;
}

}  // namespace atc
