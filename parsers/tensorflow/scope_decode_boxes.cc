// DecodeBboxV2ScopeFusionPass: what a Faster R-CNN box coder decodes, scope "Decode": rows ty, tx, th, tw of codes about
// anchors ymin, xmin, ymax, xmax give boxes ymin, xmin, ymax, xmax.
#include <array>

#include "parsers/tensorflow/graph_def.pb.h"
#include "parsers/tensorflow/scope_fusion.h"
#include "parsers/tensorflow/scope_match.h"

namespace atc::tf_parser {
namespace {

struct Coder {
  Port codes, anchors;
  std::array<double, 4> scales = {1, 1, 1, 1};
};

class Decode {
 public:
  explicit Decode(const ScopeMatch& match) : match_(match) {}

  // `transpose` of the stack of four rows.
  std::optional<Coder> Match(const SourceNode& transpose) const {
    const SourceNode* pack = match_.Is(match_.In(transpose, 0), {"Pack"}, 4);
    if (pack == nullptr || pack->inputs.size() != 4) return std::nullopt;
    Coder coder;
    Half rows, columns;
    if (!MatchRange(match_.In(*pack, 0), match_.In(*pack, 2), &rows)) return std::nullopt;
    if (!MatchRange(match_.In(*pack, 1), match_.In(*pack, 3), &columns)) return std::nullopt;
    // Rows ty, tx, th, tw of one tensor; ymin, xmin, ymax, xmax of another.
    if (!SameRows(rows.codes, columns.codes, &coder.codes) || !SameRows(rows.anchors, columns.anchors, &coder.anchors)) {
      return std::nullopt;
    }
    const std::array<uint32_t, 4> order = {rows.shift.output, columns.shift.output, rows.size.output, columns.size.output};
    if (order != std::array<uint32_t, 4>{0, 1, 2, 3}) return std::nullopt;
    if (rows.low.output != 0 || columns.low.output != 1 || rows.high.output != 2 || columns.high.output != 3) return std::nullopt;
    coder.scales = {rows.shift_scale, columns.shift_scale, rows.size_scale, columns.size_scale};
    return coder;
  }

 private:
  // What one direction is made of: outputs of the Unpack of codes and of that of anchors.
  struct Half {
    Port shift, size, low, high;
    double shift_scale = 1, size_scale = 1;
    Port codes, anchors;
  };

  bool SameRows(Port a, Port b, Port* from) const {
    *from = a;
    return a == b && a.node != kNoNode;
  }

  // centre - size / 2 and centre + size / 2.
  bool MatchRange(Port low, Port high, Half* half) const {
    const SourceNode* below = match_.Is(low, {"Sub"}, 2);
    const SourceNode* above = match_.Is(high, {"Add", "AddV2"}, 2);
    if (below == nullptr || above == nullptr || match_.In(*below, 0) != match_.In(*above, 0)) return false;
    const auto first = HalfOf(match_.In(*below, 1)), second = HalfOf(match_.In(*above, 1));
    if (!first || first != second) return false;
    return MatchCentre(match_.In(*below, 0), half) && MatchSize(*first, half);
  }

  std::optional<Port> HalfOf(Port port) const {
    const SourceNode* node = match_.Is(port, {"RealDiv", "Mul"}, 2);
    if (node == nullptr) return std::nullopt;
    const auto by = match_.Scalar(match_.In(*node, 1));
    return by && *by == (node->op == "Mul" ? 0.5 : 2.0) ? std::optional(match_.In(*node, 0)) : std::nullopt;
  }

  // shift * anchor size + anchor centre.
  bool MatchCentre(Port port, Half* half) const {
    const SourceNode* sum = match_.Is(port, {"Add", "AddV2"}, 2);
    if (sum == nullptr) return false;
    for (const int side : {0, 1}) {
      const SourceNode* product = match_.Is(match_.In(*sum, side), {"Mul"}, 2);
      if (product == nullptr) continue;
      for (const int code_side : {0, 1}) {
        Half found = *half;
        if (!MatchCode(match_.In(*product, code_side), &found.shift, &found.shift_scale, &found.codes)) continue;
        if (!MatchAnchorSize(match_.In(*product, 1 - code_side), &found)) continue;
        if (!IsAnchorCentre(match_.In(*sum, 1 - side), match_.In(*product, 1 - code_side), found)) continue;
        *half = found;
        return true;
      }
    }
    return false;
  }

  // exp(size) * anchor size.
  bool MatchSize(Port port, Half* half) const {
    const SourceNode* product = match_.Is(port, {"Mul"}, 2);
    if (product == nullptr) return false;
    const auto parts = match_.Operands(*product, [&](Port p) { return match_.Is(p, {"Exp"}) != nullptr; });
    if (!parts) return false;
    Half found = *half;
    Port codes;
    if (!MatchCode(match_.In(*match_.Is(parts->first, {"Exp"}), 0), &found.size, &found.size_scale, &codes)) return false;
    if (codes != half->codes || !MatchAnchorSize(parts->second, &found)) return false;
    *half = found;
    return found.low == half->low && found.high == half->high;
  }

  // A row of the codes, over a scale or not.
  bool MatchCode(Port port, Port* row, double* scale, Port* codes) const {
    Port from = port;
    if (const SourceNode* scaled = match_.Is(port, {"RealDiv"}, 2)) {
      const auto by = match_.Scalar(match_.In(*scaled, 1));
      if (!by || *by == 0) return false;
      *scale = *by;
      from = match_.In(*scaled, 0);
    }
    *row = from;
    return RowOf(from, codes);
  }

  bool MatchAnchorSize(Port port, Half* half) const {
    const SourceNode* size = match_.Is(port, {"Sub"}, 2);
    if (size == nullptr) return false;
    half->high = match_.In(*size, 0);
    half->low = match_.In(*size, 1);
    Port other;
    return RowOf(half->high, &half->anchors) && RowOf(half->low, &other) && other == half->anchors;
  }

  // low + size / 2.
  bool IsAnchorCentre(Port port, Port size, const Half& half) const {
    const SourceNode* sum = match_.Is(port, {"Add", "AddV2"}, 2);
    if (sum == nullptr) return false;
    const auto parts = match_.Operands(*sum, [&](Port p) { return p == half.low; });
    return parts && HalfOf(parts->second) == size;
  }

  // Output of the Unpack of a transposed matrix: the matrix.
  bool RowOf(Port port, Port* matrix) const {
    const SourceNode& unpack = match_.At(port);
    if (unpack.op != "Unpack" || unpack.inputs.empty()) return false;
    const SourceNode* transpose = match_.Is(match_.In(unpack, 0), {"Transpose"}, 2);
    if (transpose == nullptr) return false;
    *matrix = match_.In(*transpose, 0);
    return true;
  }

  const ScopeMatch& match_;
};

}  // namespace

void FuseDecodedBoxes(SourceGraph& graph, const ModelState& model) {
  ScopeMatch match(graph, model);
  const auto count = static_cast<uint32_t>(graph.nodes.size());
  for (uint32_t i = 0; i < count; ++i) {
    const SourceNode& node = graph.nodes[i];
    if (node.op != "Transpose" || node.inputs.size() != 2) continue;
    const auto coder = Decode(match).Match(node);
    if (!coder) continue;
    auto def = ScopeMatch::Def("_DecodeBoxes");
    for (const double scale : coder->scales) {
      (*def->mutable_attr())["scales"].mutable_list()->add_f(static_cast<float>(scale));
    }
    match.Replace(i, std::move(def), {coder->codes, coder->anchors});
  }
}

}  // namespace atc::tf_parser
