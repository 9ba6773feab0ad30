#include "compiler/om/reused_events.h"

#include <unordered_map>
#include <vector>

namespace atc {
namespace {

class Uses {
 public:
  explicit Uses(int64_t events) : next_(events) {}

  // The number of the use that this record or wait belongs to.
  int64_t Of(int64_t event, bool record) {
    Event& e = events_[event];
    size_t& seen = record ? e.records : e.waits;
    const size_t use = seen++;
    if (use == 0) return event;
    while (e.further.size() < use) e.further.push_back(next_++);
    return e.further[use - 1];
  }
  int64_t count() const { return next_; }

 private:
  struct Event {
    size_t records = 0, waits = 0;
    std::vector<int64_t> further;  // numbers of the second use and on
  };
  std::unordered_map<int64_t, Event> events_;  // only looked up
  int64_t next_;
};

bool IsEvent(const Node& node) { return node.type() == "Send" || node.type() == "Recv"; }

// Of nested graphs, whose tasks are their nodes.
void Nested(Graph& graph, bool nested, Uses* uses) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    Node& node = graph.node(id);
    if (!node.alive) continue;
    if (nested && IsEvent(node)) {
      const auto event = node.attrs.Get<int64_t>("event_id", -1);
      if (event >= 0) node.attrs.Set("event_id", uses->Of(event, node.type() == "Send"));
    }
    for (const Subgraph& subgraph : node.subgraphs) Nested(*subgraph.graph, true, uses);
  }
}

}  // namespace

void TellReusedEventsApart(OmModel* model) {
  Uses uses(model->event_num);
  for (Task& task : model->tasks) {
    if (task.type != TaskType::kEventRecord && task.type != TaskType::kEventWait) continue;
    task.event = static_cast<uint32_t>(uses.Of(task.event, task.type == TaskType::kEventRecord));
    if (task.op_index >= model->graph->node_capacity()) continue;
    Node& node = model->graph->node(task.op_index);
    if (IsEvent(node)) node.attrs.Set("event_id", static_cast<int64_t>(task.event));
  }
  Nested(*model->graph, false, &uses);
  model->event_num = uses.count();
}

}  // namespace atc
