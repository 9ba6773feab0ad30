// An allocation algorithm of one's own: list scheduling. Operators are taken in topological order; each goes to the
// stream on which it can begin first, where waiting for an operator of another stream costs something, too. What an
// operator costs is guessed from the bytes that it writes. STREAM_PASS_COUNT is the number of streams (2 by default).
#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "register/register_custom_pass.h"

namespace {

constexpr int64_t kBytesPerElement = 4;
constexpr int64_t kLaunch = 20000;  // what it costs to start an operator, in bytes written
constexpr int64_t kWait = 10000;    // what an event between two streams costs, likewise

struct Placed {
  int64_t stream;
  int64_t end;
};

std::string NameOf(const ge::GNode& node) {
  ge::AscendString name;
  node.GetName(name);
  return name.GetString();
}

int64_t Cost(const ge::GNode& node) {
  int64_t cost = kLaunch;
  for (size_t i = 0; i < node.GetOutputsSize(); ++i) {
    ge::TensorDesc desc;
    if (node.GetOutputDesc(static_cast<int32_t>(i), desc) != ge::GRAPH_SUCCESS) continue;
    const int64_t elements = desc.GetShape().GetDimNum() == 0 ? 1 : desc.GetShape().GetShapeSize();
    cost += std::max<int64_t>(elements, 0) * kBytesPerElement;
  }
  return cost;
}

// Placed operators that `node` waits for, looking through those that run on no stream.
void Needed(const ge::GNode& node, const std::map<std::string, Placed>& placed, std::vector<Placed>* found) {
  std::vector<ge::GNodePtr> before = node.GetInControlNodes();
  for (size_t i = 0; i < node.GetInputsSize(); ++i) {
    before.push_back(node.GetInDataNodesAndPortIndexs(static_cast<int32_t>(i)).first);
  }
  for (const ge::GNodePtr& source : before) {
    if (source == nullptr) continue;
    const auto it = placed.find(NameOf(*source));
    if (it != placed.end()) {
      found->push_back(it->second);
    } else {
      Needed(*source, placed, found);
    }
  }
}

ge::Status Allocate(const ge::ConstGraphPtr& graph, ge::StreamPassContext& context) {
  const char* text = std::getenv("STREAM_PASS_COUNT");
  const int count = text == nullptr ? 2 : std::atoi(text);
  if (count < 1 || count > 64) {
    context.SetErrorMessage("STREAM_PASS_COUNT must be a number from 1 to 64");
    return ge::FAILED;
  }
  // New ids, so that nothing is left of the streams before; holes are closed afterwards.
  std::vector<int64_t> ids;
  for (int i = 0; i < count; ++i) ids.push_back(context.AllocateNextStreamId());
  std::vector<int64_t> free_at(ids.size(), 0);
  std::map<std::string, Placed> placed;
  for (const ge::GNode& node : graph->GetDirectNode()) {
    if (context.GetStreamId(node) == ge::INVALID_STREAM_ID) continue;  // Data, Const, ...
    std::vector<Placed> needed;
    Needed(node, placed, &needed);
    size_t best = 0;
    int64_t best_begin = INT64_MAX;
    for (size_t i = 0; i < ids.size(); ++i) {
      int64_t begin = free_at[i];
      for (const Placed& before : needed) {
        begin = std::max(begin, before.end + (before.stream == ids[i] ? 0 : kWait));
      }
      if (begin >= best_begin) continue;
      best = i;
      best_begin = begin;
    }
    free_at[best] = best_begin + Cost(node);
    placed[NameOf(node)] = {ids[best], free_at[best]};
    if (context.SetStreamId(node, ids[best]) != ge::GRAPH_SUCCESS) return ge::FAILED;
  }
  return ge::SUCCESS;
}

}  // namespace

REGISTER_CUSTOM_PASS("ListSchedulingPass").CustomAllocateStreamPassFn(Allocate);
