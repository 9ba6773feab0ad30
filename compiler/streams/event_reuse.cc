#include "compiler/streams/event_reuse.h"

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace atc {
namespace {

// What is used again must have been waited for before it is recorded, and waited for by nobody who might come too early:
// so a number stays with the two streams, whose waits then follow one another, and is free once the sender has waited for
// something that the receiver did after its wait.
class Numbers {
 public:
  explicit Numbers(int32_t* count) : count_(count) {}

  void Use(Graph& graph) {
    std::map<int64_t, NodeId> recv_of;  // by the number that the event had
    for (NodeId id = 0; id < graph.node_capacity(); ++id) {
      const Node& node = graph.node(id);
      if (node.alive && node.type() == "Recv") recv_of[node.Attr<int64_t>("event_id")] = id;
    }
    std::map<int32_t, int64_t> place;                                   // tasks of each stream so far
    std::map<std::pair<int32_t, int32_t>, std::deque<Used>> used;       // by sender and receiver, oldest first
    std::map<std::pair<int32_t, int32_t>, int64_t> known;               // by stream and other: tasks that are over there
    std::map<int64_t, std::pair<Used, std::pair<int32_t, int64_t>>> open;  // by old number: new one; sender and place
    std::map<int64_t, int64_t> uses;                                    // by new number
    std::vector<std::pair<NodeId, std::string>> names;
    for (NodeId id = 0; id < graph.node_capacity(); ++id) {
      Node& node = graph.node(id);
      if (!node.alive || node.stream < 0) continue;
      const int64_t at = place[node.stream]++;
      if (node.type() != "Send" && node.type() != "Recv") continue;
      const auto event = node.Attr<int64_t>("event_id");
      Used number;
      if (node.type() == "Send") {
        const std::pair streams(node.stream, graph.node(recv_of.at(event)).stream);
        std::deque<Used>& before = used[streams];
        if (!before.empty() && before.front().place < known[streams]) {
          number = {before.front().number, 0, uses[before.front().number] += 1};
          before.pop_front();
        } else {
          number = {(*count_)++, 0, 0};
        }
        open[event] = {number, {node.stream, at}};
      } else {
        const auto& [sent, sender] = open.at(event);
        number = sent;
        used[{sender.first, node.stream}].push_back({number.number, at, 0});
        int64_t& over = known[{node.stream, sender.first}];
        over = std::max(over, sender.second + 1);
      }
      node.attrs.Set("event_id", number.number);
      names.emplace_back(id, graph.name + "_" + node.type().str() + "_" + std::to_string(number.number) +
                                 (number.again == 0 ? "" : "_Reuse_" + std::to_string(number.again)));
      // All names are given up first: a new one may be the old one of another event.
      graph.Rename(node, "_event_" + std::to_string(id));
    }
    for (const auto& [id, name] : names) graph.Rename(graph.node(id), name);
    for (NodeId id = 0; id < graph.node_capacity(); ++id) {
      for (const Subgraph& nested : graph.node(id).subgraphs) Use(*nested.graph);
    }
  }

 private:
  struct Used {
    int64_t number = 0;
    int64_t place = 0;  // of the wait on the receiver
    int64_t again = 0;  // how often it was used before
  };
  int32_t* const count_;
};

}  // namespace

int32_t ReuseEvents(Graph& graph, int32_t events, int32_t threshold) {
  if (events <= threshold || !graph.attrs.Get<bool>(kEventMultiplexing, false)) return events;
  int32_t numbers = 0;
  Numbers(&numbers).Use(graph);
  return numbers;
}

}  // namespace atc
