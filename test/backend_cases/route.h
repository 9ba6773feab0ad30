// The ways from a model to its outputs that the backend cases can take.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/tensor.h"

namespace atc::backend_cases {

class Route {
 public:
  virtual ~Route() = default;
  // Throws Error when the model is refused; Prepare may refuse it too.
  virtual void Load(const std::string& model_path) = 0;
  // The same for a model in memory.
  virtual void LoadBytes(const std::string& model) = 0;
  // Descs of the inputs, in order; dtype DT_VARIANT for sequences and optionals.
  virtual std::vector<TensorDesc> Inputs() const = 0;
  // Called after Load with the shapes of the inputs that will be run: a few suites declare others than they give.
  virtual void Prepare(const std::vector<Shape>& shapes) = 0;
  virtual std::vector<Tensor> Run(std::vector<Tensor> inputs) = 0;
};

// Parser and reference evaluator.
std::unique_ptr<Route> MakeGraphRoute();

// Parser, compiler (origin precision, checkers on), om in memory, device.
std::unique_ptr<Route> MakeDeviceRoute();

// By the name given with --via; nullptr when there is none of that name.
std::unique_ptr<Route> MakeRoute(const std::string& name);

}  // namespace atc::backend_cases
