#include "compiler/passes/fused_node.h"

#include <algorithm>
#include <map>

#include "compiler/ir/stream_label.h"

namespace atc {

Node& MakeFused(Graph& graph, const std::vector<NodeId>& members, NodeId heart, Name type, ValueId leaving) {
  const Node& last = graph.producer(leaving);
  const Node& head = graph.node(heart);
  std::unique_ptr<Graph> nested = graph.MakeNested(head.name);
  std::map<ValueId, ValueId> inside;  // value of `graph` -> value of `nested`
  std::vector<ValueId> inputs;
  OriginId origin = kNoOrigin;
  for (const NodeId id : members) {
    const Node& member = graph.node(id);
    std::vector<ValueId> arguments;
    for (const ValueId input : member.inputs) {
      if (input != kNoId && !inside.contains(input)) {
        inside[input] = nested->AddData("", static_cast<int64_t>(inputs.size()), graph.desc(input));
        inputs.push_back(input);
      }
      arguments.push_back(input == kNoId ? kNoId : inside.at(input));
    }
    Node& copy = nested->Add(*member.def, member.name, arguments, member.outputs.size());
    copy.attrs = member.attrs;
    copy.origin = member.origin;
    copy.reasons = member.reasons;
    for (size_t i = 0; i < member.outputs.size(); ++i) {
      nested->desc(copy.outputs[i]) = graph.desc(member.outputs[i]);
      inside[member.outputs[i]] = copy.outputs[i];
    }
    origin = graph.origins().Union(origin, member.origin);
  }
  nested->Add("NetOutput", "Node_Output", {inside.at(leaving)}, 0);

  const std::string fused_name = head.Is(kHeavy) ? head.name : last.name;
  const TensorDesc desc = graph.desc(leaving);
  Node& fused = graph.Add(type, "", inputs, 1);
  graph.desc(fused.outputs[0]) = desc;
  if (type == head.type()) fused.attrs = head.attrs;
  CopyStreamLabels(head, fused);
  fused.origin = origin;
  fused.reasons = head.reasons;
  graph.ReplaceUses(leaving, fused.outputs[0]);
  for (auto it = members.rbegin(); it != members.rend(); ++it) {
    const std::vector<ValueId>& outputs = graph.node(*it).outputs;
    const bool used = std::any_of(outputs.begin(), outputs.end(),
                                  [&](ValueId value) { return !graph.value(value).uses.empty(); });
    if (!used) graph.Remove(*it);
  }
  graph.Rename(fused, fused_name);
  fused.fused = std::move(nested);
  return fused;
}

}  // namespace atc
