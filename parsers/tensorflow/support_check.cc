#include "parsers/tensorflow/support_check.h"

#include <fmt/format.h>

#include "parsers/tensorflow/custom_operator.h"
#include "parsers/tensorflow/graph_def.pb.h"

namespace atc::tf_parser {

void SupportCheck::Check(const SourceGraph& graph) {
  for (const uint32_t number : graph.OrderFor(graph.results)) {
    const SourceNode& node = graph.nodes[number];
    if (node.first) Check(*node.first);
    if (node.second) Check(*node.second);
    if (node.op == kArgument || node.op == "Placeholder" || node.op == "PlaceholderV2") continue;
    if (model_.functions.contains(node.op)) {
      Function(node.op);
      continue;
    }
    if (ConverterRegistry::Get().Find(node.op) == nullptr && FindCustomOperator(node.op) == nullptr) {
      Seen& seen = unsupported_[node.op];
      if (seen.count++ == 0) seen.first_node = node.name;
    }
    if (node.def == nullptr) continue;
    for (const auto& [name, attr] : node.def->attr()) {
      if (!name.starts_with('_')) Attr(attr);
    }
  }
}

void SupportCheck::Attr(const proto::AttrValue& attr) {
  if (attr.value_case() == proto::AttrValue::kFunc) Function(attr.func().name());
  if (attr.value_case() != proto::AttrValue::kList) return;
  for (const proto::NameAttrList& function : attr.list().func()) Function(function.name());
}

void SupportCheck::Function(const std::string& name) {
  const proto::FunctionDef* function = model_.FindFunction(name);
  if (function == nullptr || !functions_.insert(name).second) return;
  // Attributes that the call gives do not matter here: any value stands for them.
  static const proto::AttrValue kAny;
  std::map<std::string, const proto::AttrValue*> attrs;
  for (const proto::NodeDef& node : function->node_def()) {
    for (const auto& [key, attr] : node.attr()) {
      if (attr.value_case() == proto::AttrValue::kPlaceholder) attrs.emplace(attr.placeholder(), &kAny);
    }
  }
  Check(ReadFunction(*function, attrs));
}

void SupportCheck::ThrowIfAny() const {
  if (unsupported_.empty()) return;
  std::string list;
  for (const auto& [op, seen] : unsupported_) {
    list += fmt::format("{}{} ({} node{}, {}'{}')", list.empty() ? "" : ", ", op, seen.count,
                        seen.count == 1 ? "" : "s", seen.count == 1 ? "" : "first ", seen.first_node);
  }
  throw Error("E13010", {{"opname", unsupported_.begin()->second.first_node}, {"optype", list}});
}

}  // namespace atc::tf_parser
