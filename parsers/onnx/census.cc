#include "parsers/onnx/census.h"

#include <onnx/onnx_pb.h>

#include <set>

#include "compiler/ir/unsupported_operators.h"
#include "parsers/onnx/convert.h"
#include "parsers/onnx/custom_operator.h"
#include "parsers/onnx/functions.h"
#include "parsers/onnx/out_nodes.h"

namespace atc::onnx_parser {
namespace {

class Counter {
 public:
  explicit Counter(const ModelState& model) : model_(model) {}

  void Graph(const onnx::GraphProto& graph, const Opsets& opsets) {
    for (int i = 0; i < graph.node_size(); ++i) Node(graph.node(i), i, opsets);
  }

  OperatorCensus census;

 private:
  void Node(const onnx::NodeProto& node, int number, const Opsets& opsets) {
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g()) Graph(attribute.g(), opsets);
      for (const onnx::GraphProto& graph : attribute.graphs()) Graph(graph, opsets);
    }
    if (const onnx::FunctionProto* function = model_.FunctionOf(node)) {
      if (!functions_.insert(KeyOf(*function)).second) return;
      const Opsets inner = OpsetsOf(function->opset_import());
      for (int i = 0; i < function->node_size(); ++i) Node(function->node(i), i, inner);
      return;
    }
    const std::string domain = node.domain().empty() ? "ai.onnx" : node.domain();
    const auto imported = opsets.find(domain);
    const int opset = imported == opsets.end() ? 0 : imported->second;
    OperatorUse& use = census[{domain, node.op_type(), opset}];
    if (use.count++ > 0) return;
    use.first_node = NodeName(node, number);
    use.supported = ConverterRegistry::Get().Find(node.op_type(), opset, domain) != nullptr ||
                    FindCustomOperator(node.domain(), node.op_type(), opset) != nullptr;
  }

  const ModelState& model_;
  std::set<ModelState::FunctionKey> functions_;
};

}  // namespace

OperatorCensus TakeCensus(const ModelState& model, const onnx::GraphProto& graph) {
  Counter counter(model);
  counter.Graph(graph, model.opsets);
  return std::move(counter.census);
}

void RefuseUnsupported(const OperatorCensus& census) {
  UnsupportedOperators unsupported;
  for (const auto& [key, use] : census) {
    const auto& [domain, type, opset] = key;
    if (!use.supported) unsupported.Add(domain, opset, type, use.first_node, use.count);
  }
  if (!unsupported.empty()) throw unsupported.ToError();
}

}  // namespace atc::onnx_parser
