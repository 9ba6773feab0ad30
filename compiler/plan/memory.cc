#include "compiler/plan/memory.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "compiler/ir/error.h"
#include "compiler/plan/happens_before.h"
#include "compiler/plan/lifetimes.h"
#include "compiler/plan/lower_bound.h"
#include "compiler/plan/placement.h"

namespace atc {
namespace {

constexpr size_t kMostNoReuse = 10;
constexpr size_t kLongestNoReuse = 2000;

}  // namespace

NoReuse NoReuseOfProcess() {
  const char* text = std::getenv("OP_NO_REUSE_MEM");
  NoReuse entries;
  if (text == nullptr) return entries;
  const std::string_view all = text;
  for (size_t begin = 0; begin < all.size();) {
    const size_t end = std::min(all.find(',', begin), all.size());
    if (end > begin) entries.emplace_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  if (entries.size() > kMostNoReuse || all.size() > kLongestNoReuse) {
    throw Error("E10001",
                {{"value", std::string(all.substr(0, kLongestNoReuse))},
                 {"parameter", "OP_NO_REUSE_MEM"},
                 {"reason", "It has " + std::to_string(entries.size()) + " entries and " + std::to_string(all.size()) +
                                " characters; at most 10 names or types of nodes are taken, and 2000 characters."}});
  }
  return entries;
}

void SetTensorSizes(Graph& graph) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    if (!node.alive || node.type() == "Const") continue;
    for (const ValueId value : node.outputs) graph.value(value).size = PaddedTensorBytes(graph.desc(value));
  }
}

void AskForWorkspaces(Graph& graph, const std::function<bool(const Node&)>& is_task) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    Node& node = graph.node(id);
    const auto* asked = node.alive ? node.attrs.FindAs<std::vector<int64_t>>(kWorkspaceBytes) : nullptr;
    if (asked != nullptr && !is_task(node)) asked = nullptr;
    if (asked == nullptr) continue;
    for (const int64_t bytes : *asked) {
      if (bytes >= 0) continue;
      throw Error::Internal("'" + node.name + "' asks for a workspace of " + std::to_string(bytes) + " bytes in " +
                            kWorkspaceBytes + "; sizes from 0 are wanted");
    }
    node.workspace_bytes = *asked;
  }
}

MemoryPlan PlanMemory(Graph& graph, bool reuse, const NoReuse& no_reuse) {
  const std::vector<NodeId> order = graph.TopologicalOrder();
  auto before = std::make_unique<const HappensBefore>(graph, order);
  std::vector<PlannedBuffer> all = CollectBuffers(graph, order, no_reuse, reuse ? before.get() : nullptr);
  std::vector<PlannedBuffer> feature;
  std::vector<PlannedBuffer> alone;
  std::vector<PlannedBuffer> tail;
  for (PlannedBuffer& buffer : all) {
    const bool shares = reuse && buffer.shares;
    (buffer.kind != PlannedBuffer::kFeature ? tail : shares ? feature : alone).push_back(std::move(buffer));
  }

  MemoryPlan plan;
  int64_t total = 0;
  {
    Lifetimes lifetimes(*before);
    for (const PlannedBuffer& buffer : feature) {
      plan.without_reuse += buffer.size + buffer.in_place;
      lifetimes.Add(buffer.size, buffer.writers, buffer.users);
    }
    const LowerBound bound = FindLowerBound(lifetimes);
    plan.lower_bound = bound.bytes;
    plan.lower_bound_exact = bound.exact;
    const Placement placement = PlaceBuffers(lifetimes, bound.bytes);
    for (size_t i = 0; i < feature.size(); ++i) feature[i].offset = placement.offset[i];
    total = placement.total;
    plan.strategy = reuse ? placement.strategy : "no reuse";
  }
  before.reset();  // large where streams are many
  for (PlannedBuffer& buffer : alone) {
    buffer.offset = total;
    total += buffer.size;
    plan.lower_bound += buffer.size;
    plan.without_reuse += buffer.size;
  }

  // The tail: others first, then inputs, as GE lays it out.
  std::stable_sort(tail.begin(), tail.end(), [](const PlannedBuffer& a, const PlannedBuffer& b) {
    const bool a_input = a.kind == PlannedBuffer::kInput;
    const bool b_input = b.kind == PlannedBuffer::kInput;
    return a_input != b_input ? b_input : a_input && a.size < b.size;
  });
  int64_t at = total;
  for (PlannedBuffer& buffer : tail) {
    buffer.offset = at;
    at += buffer.size;
  }
  plan.memory_size = at;
  plan.zero_copy_memory_size = at - total;
  plan.lower_bound += plan.zero_copy_memory_size;
  plan.without_reuse += plan.zero_copy_memory_size;
  for (const auto* buffers : {&feature, &alone, &tail}) {
    for (const PlannedBuffer& buffer : *buffers) {
      for (const auto& [value, begin] : buffer.values) graph.value(value).offset = buffer.offset + begin;
      if (buffer.workspace_of != kNoId) {
        Node& node = graph.node(buffer.workspace_of);
        node.workspace_offset.resize(node.workspace_bytes.size());
        node.workspace_offset[buffer.workspace] = buffer.offset;
      }
    }
  }
  plan.tail = std::move(tail);
  return plan;
}

}  // namespace atc
