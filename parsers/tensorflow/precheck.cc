#include "parsers/precheck.h"

#include <set>

#include "parsers/tensorflow/read_model.h"
#include "parsers/tensorflow/support_check.h"

namespace atc {

using namespace tf_parser;

PrecheckReport PrecheckTensorFlow(const std::string& path) try {
  ModelSource from = ReadModel(path);
  PrecheckReport report;
  report.graph = "graph";
  // Of nodes with one name the first is looked at: edges cannot mean the others.
  std::set<std::string> names;
  proto::GraphDef distinct;
  for (proto::NodeDef& node : *from.graph.mutable_node()) {
    report.operators.push_back({node.name(), node.op(), {}});
    if (names.insert(node.name()).second) {
      distinct.add_node()->Swap(&node);
    } else {
      report.operators.back().causes.push_back(PrecheckReport::kNameRepeated);
    }
  }
  from.graph.mutable_node()->Swap(distinct.mutable_node());
  const CompileOptions options;
  ModelState model = from.State();
  model.options = &options;
  SupportCheck check(model);
  check.Check(Resolve(model, from).source);
  for (PrecheckReport::Operator& op : report.operators) {
    if (!op.causes.empty() || !check.failed_nodes().contains(op.name)) continue;
    op.causes.push_back(PrecheckReport::kTypeUnsupported);
  }
  return report;
} catch (Error& error) {
  error.At(Called(path));
  throw;
}

}  // namespace atc
