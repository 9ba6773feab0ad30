#include "compiler/precision/mixed_lists.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace atc {
namespace {

// The vendor keeps its lists in files of its operator packages. These are the deny list that TensorFlow publishes for its
// mixed precision (auto_mixed_precision_lists.h), by the names of AscendIR: results that leave the range of half types, or
// lose their digits in it, on ordinary data.
constexpr std::string_view kBlack[] = {
    "Cumsum", "Exp", "Expm1", "Pow", "ReduceLogSumExp", "ReduceMean", "ReduceSum", "ReduceSumD",
    "SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits", "onnx::SoftmaxCrossEntropyLoss",
};

MixedList BuiltIn(const Node& node) {
  if (node.Is(kHeavy)) return MixedList::kWhite;
  const bool black = std::find(std::begin(kBlack), std::end(kBlack), node.type().str()) != std::end(kBlack);
  return black ? MixedList::kBlack : MixedList::kGrey;
}

MixedList OfType(const Node& node, const PrecisionOptions& options) {
  const std::string& type = node.type().str();
  if (options.black_list.to_add.contains(type)) return MixedList::kBlack;
  if (options.white_list.to_add.contains(type)) return MixedList::kWhite;
  const MixedList list = BuiltIn(node);
  const bool removed = (list == MixedList::kBlack && options.black_list.to_remove.contains(type)) ||
                       (list == MixedList::kWhite && options.white_list.to_remove.contains(type));
  return removed ? MixedList::kGrey : list;
}

}  // namespace

const char* NameOf(MixedList list) {
  switch (list) {
    case MixedList::kWhite: return "white";
    case MixedList::kBlack: return "black";
    case MixedList::kGrey: return "grey";
  }
  return "";
}

MixedList ListOf(const Node& node, const PrecisionOptions& options) {
  if (!node.fused || node.Is(kHeavy)) return OfType(node, options);
  MixedList found = MixedList::kGrey;
  for (const NodeId id : node.fused->TopologicalOrder()) {
    const Node& member = node.fused->node(id);
    if (member.Is(kSource) || member.type() == "NetOutput") continue;
    const MixedList list = OfType(member, options);
    if (list == MixedList::kBlack) return list;
    if (list == MixedList::kWhite) found = list;
  }
  return found;
}

}  // namespace atc
