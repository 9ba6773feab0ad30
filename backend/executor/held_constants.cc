#include "backend/executor/held_constants.h"

#include "backend/executor/constant_tasks.h"

namespace atc {

void HeldConstants::Hold(const Graph& graph) {
  tensors_.assign(graph.value_capacity(), Tensor());
  made_.assign(graph.value_capacity(), false);
  readers_.assign(graph.value_capacity(), 0);
  read_.assign(graph.value_capacity(), false);
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    const Tensor* stored = node.alive && node.type() == "Const" ? node.attrs.FindAs<Tensor>("value") : nullptr;
    if (stored == nullptr) continue;
    tensors_[node.outputs[0]] = *stored;
    made_[node.outputs[0]] = stored->deferred();
  }
}

std::vector<bool> HeldConstants::Compute(const Graph& graph, const std::vector<Task>& tasks) {
  std::vector<bool> computed = RunConstantTasks(graph, tasks, tensors_);
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    if (!computed[id]) continue;
    for (const ValueId output : graph.node(id).outputs) made_[output] = true;
  }
  return computed;
}

void HeldConstants::Borrow(ValueId value) {
  Tensor stored;
  {
    const std::lock_guard lock(mutex_);
    if (!tensors_[value].deferred()) return;
    stored = tensors_[value];
  }
  Tensor whole = stored.Materialized();
  const std::lock_guard lock(mutex_);
  // Another thread may have been faster, and its kernel looks at what it found.
  if (tensors_[value].deferred()) tensors_[value] = std::move(whole);
}

void HeldConstants::Return(ValueId value, bool reads) {
  Tensor freed;  // after the lock
  const std::lock_guard lock(mutex_);
  if (reads) read_[value] = true;
  if (--readers_[value] == 0 && made_[value] && !read_[value]) std::swap(freed, tensors_[value]);
}

void HeldConstants::DropUnread() {
  for (size_t value = 0; value < tensors_.size(); ++value) {
    if (made_[value] && !read_[value]) tensors_[value] = Tensor();
  }
}

}  // namespace atc
