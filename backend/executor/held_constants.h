// The constants of a static model. Those that are made at load, by spreading what is stored as one of each or by running
// tasks of constants alone, take memory only as long as somebody reads them: most kernels bring their constants into a
// form of their own.
#pragma once

#include <mutex>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/om/om_model.h"

namespace atc {

class HeldConstants {
 public:
  // Takes the values of every Const of the graph, which must stay; those to be spread are spread when they are borrowed.
  void Hold(const Graph& graph);
  // Runs the tasks that read constants alone, whose results are constants then. By node: whether it has run.
  std::vector<bool> Compute(const Graph& graph, const std::vector<Task>& tasks);

  // Undefined where the value is no constant, or no longer held.
  const Tensor& operator[](ValueId value) const { return tensors_[value]; }

  // Somebody will borrow `value`, constant or not, and return it once.
  void Expect(ValueId value) { ++readers_[value]; }
  // Has the bytes of a constant at hand, from then on until the last reader has returned it. Several threads may borrow
  // and return at a time.
  void Borrow(ValueId value);
  // `reads`: whether the reader goes on reading the bytes, so that they stay.
  void Return(ValueId value, bool reads);
  // Constants made at load that nobody has said to go on reading are held no longer.
  void DropUnread();

 private:
  std::vector<Tensor> tensors_;    // by value; undefined where it is none
  std::vector<bool> made_;         // by value: at load
  std::vector<uint32_t> readers_;  // by value, that have not returned it yet
  std::vector<bool> read_;         // by value, while the model lives
  std::mutex mutex_;
};

}  // namespace atc
