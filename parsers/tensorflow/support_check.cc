#include "parsers/tensorflow/support_check.h"

#include <fmt/format.h>

#include "parsers/tensorflow/custom_operator.h"
#include "parsers/tensorflow/functionalize.h"
#include "parsers/tensorflow/graph_def.pb.h"

namespace atc::tf_parser {

bool SupportCheck::CheckGraph(const SourceGraph& graph, std::set<std::string>* failed) {
  bool all = true;
  for (const uint32_t number : graph.OrderFor(graph.results)) {
    const SourceNode& node = graph.nodes[number];
    bool good = true;
    for (const auto& nested : node.bodies) good = CheckGraph(*nested, failed) && good;
    good = CheckNode(node) && good;
    if (!good && failed != nullptr) failed->insert(node.name);
    all = all && good;
  }
  return all;
}

bool SupportCheck::CheckNode(const SourceNode& node) {
  if (node.op == kArgument) return true;
  if (model_.functions.contains(node.op)) return Function(node.op);
  Use& use = uses_[node.op];
  if (use.count++ == 0) {
    use.first_node = node.name;
    use.supported = node.op == "Placeholder" || node.op == "PlaceholderV2" ||
                    ConverterRegistry::Get().Find(node.op) != nullptr || FindCustomOperator(node.op) != nullptr;
  }
  bool good = use.supported;
  if (node.def == nullptr) return good;
  for (const auto& [name, attr] : node.def->attr()) {
    if (!name.starts_with('_')) good = Attr(attr) && good;
  }
  return good;
}

bool SupportCheck::Attr(const proto::AttrValue& attr) {
  if (attr.value_case() == proto::AttrValue::kFunc) return Function(attr.func().name());
  bool good = true;
  if (attr.value_case() != proto::AttrValue::kList) return good;
  for (const proto::NameAttrList& function : attr.list().func()) good = Function(function.name()) && good;
  return good;
}

bool SupportCheck::Function(const std::string& name) {
  const proto::FunctionDef* function = model_.FindFunction(name);
  if (function == nullptr) return true;
  const auto [known, is_new] = functions_.emplace(name, true);  // a call of itself is told of elsewhere
  if (!is_new) return known->second;
  SourceGraph body = ReadFunctionForAnyCall(*function, model_.functions);
  Functionalize(body);
  const bool good = CheckGraph(body, nullptr);
  functions_[name] = good;
  return good;
}

void SupportCheck::ThrowIfAny() const {
  std::string list;
  std::string first_node;
  for (const auto& [op, use] : uses_) {
    if (use.supported) continue;
    if (list.empty()) first_node = use.first_node;
    list += fmt::format("{}{} ({} node{}, {}'{}')", list.empty() ? "" : ", ", op, use.count, use.count == 1 ? "" : "s",
                        use.count == 1 ? "" : "first ", use.first_node);
  }
  if (!list.empty()) throw Error("E13010", {{"opname", first_node}, {"optype", list}});
}

}  // namespace atc::tf_parser
