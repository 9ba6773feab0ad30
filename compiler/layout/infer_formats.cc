#include "compiler/layout/infer_formats.h"

#include <span>
#include <vector>

#include "compiler/layout/format_rules.h"

namespace atc {
namespace {

class Refiner {
 public:
  explicit Refiner(Graph& graph) : graph_(graph), order_(graph.TopologicalOrder()) {}

  bool Run() {
    for (const NodeId id : order_) Anchor(graph_.node(id));
    // A format that goes back along one branch may go forward along another.
    for (bool more = true; more;) {
      more = false;
      for (const NodeId id : order_) more |= Pass(graph_.node(id));
      for (auto id = order_.rbegin(); id != order_.rend(); ++id) more |= Pass(graph_.node(*id));
    }
    return changed_;
  }

 private:
  // What the operator itself says of its data and its result.
  void Anchor(const Node& node) {
    const Wish wish = WishOf(graph_, node, false);
    if (wish.form.IsPlain()) return;
    Give(node.outputs[0], wish.form.plain);
    Give(node.inputs[wish.data], wish.form.plain);
  }

  bool Give(ValueId value, Format format) {
    if (value == kNoId || graph_.producer(value).Is(kSource)) return false;
    TensorDesc& desc = graph_.desc(value);
    if (desc.origin_format != FORMAT_ND || desc.format != FORMAT_ND || desc.origin_shape.rank() != FormatName(format).size()) {
      return false;
    }
    desc.SetFormat(format);
    return changed_ = true;
  }

  Format Known(ValueId value, size_t rank) const {
    if (value == kNoId) return FORMAT_ND;
    const TensorDesc& desc = graph_.desc(value);
    const bool says = desc.origin_shape.rank() == rank && FormatName(desc.origin_format).size() == rank;
    return says ? desc.origin_format : FORMAT_ND;
  }

  // The inputs whose dims are those of the results.
  std::span<const ValueId> Alike(const Node& node) const {
    if (node.outputs.empty() || !node.subgraphs.empty()) return {};
    if (node.Is(kLayoutAgnostic)) return node.inputs;
    MoveRule rule = RuleOfMove(graph_, node, FORMAT_NCHW);
    if (rule.data == 0) rule = RuleOfMove(graph_, node, FORMAT_NHWC);
    return std::span(node.inputs).subspan(rule.first, rule.data);
  }

  bool Pass(const Node& node) {
    const std::span<const ValueId> inputs = Alike(node);
    if (inputs.empty()) return false;
    const size_t rank = graph_.desc(node.outputs[0]).origin_shape.rank();
    if (rank != 4 && rank != 5) return false;
    Format format = FORMAT_ND;
    for (size_t i = 0; i < inputs.size() && format == FORMAT_ND; ++i) format = Known(inputs[i], rank);
    for (size_t i = 0; i < node.outputs.size() && format == FORMAT_ND; ++i) format = Known(node.outputs[i], rank);
    if (format == FORMAT_ND) return false;
    bool gave = false;
    for (const ValueId input : inputs) gave |= Give(input, format);
    for (const ValueId output : node.outputs) gave |= Give(output, format);
    return gave;
  }

  Graph& graph_;
  std::vector<NodeId> order_;
  bool changed_ = false;
};

}  // namespace

bool InferFormats(Graph& graph) { return Refiner(graph).Run(); }

}  // namespace atc
