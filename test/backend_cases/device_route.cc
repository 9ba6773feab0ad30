// Parser, all stages of the compiler in origin precision, an om in memory, and the device.
#include "compiler/ir/error.h"
#include "parsers/onnx/parser.h"
#include "test/backend_cases/on_device.h"
#include "test/backend_cases/route.h"

namespace atc::backend_cases {
namespace {

// Whether a tensor of shape `given` may be fed to an input declared as `declared`.
bool Fits(const Shape& declared, const Shape& given) {
  if (!declared.HasRank()) return true;
  if (declared.rank() != given.rank()) return false;
  for (size_t i = 0; i < given.rank(); ++i) {
    if (declared[i] != kUnknownDim && declared[i] != given[i]) return false;
  }
  return true;
}

class DeviceRoute : public Route {
 public:
  void Load(const std::string& model_path) override {
    options_.model_path = model_path;
    Take(ParseOnnx(model_path, options_, &diagnostics_));
  }

  void LoadBytes(const std::string& model) override {
    options_.model_path = "model.onnx";
    Take(ParseOnnxBytes("model.onnx", model, options_, &diagnostics_));
  }

  void Prepare(const std::vector<Shape>& shapes) override {
    const std::vector<NodeId> data = graph_->Inputs();
    for (size_t i = 0; i < std::min(shapes.size(), data.size()); ++i) {
      TensorDesc& desc = graph_->desc(graph_->node(data[i]).outputs[0]);
      if (desc.dtype != DT_VARIANT && !Fits(desc.origin_shape, shapes[i])) desc.SetShape(shapes[i]);
    }
    device_.Load(std::move(graph_), options_.model_path);
  }

  std::vector<TensorDesc> Inputs() const override { return inputs_; }

  std::vector<Tensor> Run(std::vector<Tensor> inputs) override { return device_.Run(std::move(inputs)); }

 private:
  void Take(std::unique_ptr<Graph> graph) {
    graph_ = std::move(graph);
    for (const NodeId id : graph_->Inputs()) inputs_.push_back(graph_->desc(graph_->node(id).outputs[0]));
  }

  CompileOptions options_;
  Diagnostics diagnostics_;
  std::unique_ptr<Graph> graph_;  // until it is compiled
  OnDevice device_;
  std::vector<TensorDesc> inputs_;
};

}  // namespace

std::unique_ptr<Route> MakeDeviceRoute() { return std::make_unique<DeviceRoute>(); }

}  // namespace atc::backend_cases
