// A graph through all stages of the compiler in origin precision, an om in memory, and the device.
#pragma once

#include <memory>
#include <vector>

#include "backend/executor/model.h"
#include "backend/runtime/device.h"
#include "backend/runtime/memory.h"
#include "backend/runtime/stream.h"
#include "compiler/ir/graph.h"
#include "compiler/ir/tensor.h"

namespace atc::backend_cases {

class OnDevice {
 public:
  // Compiles and loads; what the checkers of order and overlap find is an Error. `path` names the model in messages.
  void Load(std::unique_ptr<Graph> graph, const std::string& path);
  std::vector<Tensor> Run(std::vector<Tensor> inputs);

 private:
  runtime::Memory memory_{uint64_t{8} << 30};
  runtime::Device device_{0, memory_};
  runtime::Stream stream_{device_, 0};
  std::shared_ptr<LoadedModel> model_;
};

}  // namespace atc::backend_cases
