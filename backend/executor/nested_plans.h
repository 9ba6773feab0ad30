// Static plans of the graphs that nodes own: branches and bodies of loops.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "backend/executor/model.h"
#include "compiler/ir/graph.h"
#include "compiler/ir/tensor.h"
#include "compiler/om/om_model.h"

namespace atc {

class StaticModel;

// A graph that is run with inputs of known shapes is planned for these, and the plan kept. A graph whose shapes change
// from run to run, as in a loop that collects, is soon left to run node by node.
class NestedPlans {
 public:
  // `model`, which outlives it, holds the graphs.
  NestedPlans(const OmModel& model, const LoadOptions& options);
  ~NestedPlans();

  // Plans `graph` for inputs like these ahead of its first run.
  void Prepare(const Graph& graph, const std::vector<TensorDesc>& inputs);
  std::optional<std::vector<Tensor>> Run(const Graph& graph, const std::vector<Tensor>& inputs);
  // Memory that the plans hold.
  uint64_t bytes() const { return bytes_; }

 private:
  struct Plan {
    std::vector<Shape> shapes;
    std::vector<DataType> types;
    std::unique_ptr<StaticModel> model;  // nullptr: these shapes have none
  };
  struct Plans {
    std::vector<Plan> all;
    size_t found = 0;  // runs that needed no new one
  };
  StaticModel* Find(const Graph& graph, const std::vector<Tensor>& inputs);
  StaticModel* Make(const Graph& graph, Plans& plans, std::vector<Shape> shapes, std::vector<DataType> types);

  const OmModel& model_;
  LoadOptions options_;
  uint64_t bytes_ = 0;
  std::unordered_map<const Graph*, Plans> plans_;  // looked up, never walked
};

}  // namespace atc
