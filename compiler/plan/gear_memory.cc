#include "compiler/plan/gear_memory.h"

#include <algorithm>
#include <map>

#include "compiler/ir/gears.h"

namespace atc {
namespace {

// Where something enters or leaves the model.
struct Place {
  int64_t offset = -1;
  int64_t size = 0;
};

class GearMemory {
 public:
  GearMemory(Graph& root, const Gears& gears, bool reuse, const NoReuse& no_reuse)
      : root_(root), gears_(gears), reuse_(reuse), no_reuse_(no_reuse) {}

  MemoryPlan Run() {
    plan_ = PlanMemory(root_, reuse_, no_reuse_);
    for (const PlannedBuffer& buffer : plan_.tail) {
      for (const PlannedBuffer::Held& held : buffer.values) places_[held.value] = {buffer.offset, buffer.size};
    }
    for (const Gears::Gear& gear : gears_.gears) PlanCopy(*gear.graph);
    const int64_t begin = own_;
    Shift(begin);
    plan_.memory_size += begin;
    plan_.lower_bound += bound_;
    plan_.without_reuse += without_reuse_;
    for (auto& [graph, moved] : moved_) {
      for (const auto& [value, at] : moved) graph->value(value).offset = begin + at;
    }
    return std::move(plan_);
  }

 private:
  void PlanCopy(Graph& copy) {
    const MemoryPlan plan = PlanMemory(copy, reuse_, no_reuse_);
    int64_t own = plan.memory_size - plan.zero_copy_memory_size;
    const int64_t bound = plan.lower_bound - plan.zero_copy_memory_size;
    std::map<ValueId, int64_t>& moved = moved_.emplace_back(&copy, std::map<ValueId, int64_t>()).second;
    for (const PlannedBuffer& buffer : plan.tail) {
      const Place place = PlaceOf(copy, buffer);
      for (const PlannedBuffer::Held& held : buffer.values) {
        if (place.offset >= 0 && buffer.size <= place.size) {
          moved[held.value] = place.offset + held.at;
        } else {
          copy.value(held.value).offset = own + held.at;
        }
      }
      if (place.offset < 0 || buffer.size > place.size) own += buffer.size;
    }
    without_reuse_ += plan.without_reuse - plan.zero_copy_memory_size;
    if (own >= own_) plan_.strategy = plan.strategy;
    own_ = std::max(own_, own);
    if (bound >= bound_) plan_.lower_bound_exact = plan.lower_bound_exact;
    bound_ = std::max(bound_, bound);
  }

  // Nowhere for what both enters and leaves, or leaves as a part of the buffer; of what leaves twice, where it does first.
  Place PlaceOf(const Graph& copy, const PlannedBuffer& buffer) const {
    Place place;
    const Node& owner = root_.node(gears_.owner);
    int enters = 0, leaves = 0, parts = 0;
    const auto note = [&](int& count, int64_t at, ValueId outside) {
      const auto it = places_.find(outside);
      if (it != places_.end() && place.offset < 0) place = it->second;
      ++count;
      parts += at != 0;
    };
    for (const PlannedBuffer::Held& held : buffer.values) {
      const Node& producer = copy.producer(held.value);
      if (producer.type() == "Data") note(enters, held.at, owner.inputs[OuterInput(producer)]);
      const std::vector<ValueId>& results = copy.NetOutput()->inputs;
      for (size_t i = 0; i < results.size(); ++i) {
        if (results[i] == held.value) note(leaves, held.at, owner.outputs[i]);
      }
    }
    return parts == 0 && enters + (leaves > 0 ? 1 : 0) == 1 ? place : Place();
  }

  // The root's own memory begins behind that of the copies.
  void Shift(int64_t begin) {
    for (ValueId id = 0; id < root_.value_capacity(); ++id) {
      Value& value = root_.value(id);
      if (value.offset >= 0 && root_.node(value.producer).type() != "Const") value.offset += begin;
    }
    for (NodeId id = 0; id < root_.node_capacity(); ++id) {
      for (int64_t& offset : root_.node(id).workspace_offset) offset += begin;
    }
  }

  Graph& root_;
  const Gears& gears_;
  const bool reuse_;
  const NoReuse& no_reuse_;
  MemoryPlan plan_;
  std::map<ValueId, Place> places_;  // by value of the root, before it is shifted
  std::vector<std::pair<Graph*, std::map<ValueId, int64_t>>> moved_;
  int64_t own_ = 0, bound_ = 0, without_reuse_ = 0;
};

}  // namespace

MemoryPlan PlanGearMemory(Graph& root, bool reuse, const NoReuse& no_reuse) {
  const Gears gears = GearsOf(root);
  return gears.empty() ? PlanMemory(root, reuse, no_reuse) : GearMemory(root, gears, reuse, no_reuse).Run();
}

}  // namespace atc
