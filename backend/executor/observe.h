// What the tasks of a model read and make, told while it runs.
#pragma once

#include <cstdint>
#include <functional>

#include "compiler/ir/graph.h"

namespace atc {

// One input or output of a task in the run that is under way.
struct NodeTensor {
  const Graph* graph = nullptr;
  const Node* node = nullptr;
  bool input = false;
  uint32_t port = 0;
  uint32_t position = 0;  // of the task, in the order in which the tasks could run on one stream
  uint32_t task = 0, stream = 0;
  ValueId value = kNoId;  // its desc tells type and formats
  Tensor data;            // in origin view, contiguous, a copy
};

struct NodeObserver {
  bool inputs = false;  // besides outputs
  std::function<void(const NodeTensor&)> tell;

  explicit operator bool() const { return static_cast<bool>(tell); }
};

// The tensor at `from`, which lies channels-last in the slot of NC1HWC0 where `channels_last`, in origin view.
Tensor CopyInOriginView(DataType dtype, const Shape& shape, const void* from, bool channels_last);

}  // namespace atc
