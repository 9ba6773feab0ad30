#include "test/backend_cases/route.h"

#include "compiler/ops/evaluator.h"
#include "parsers/onnx/parser.h"

namespace atc::backend_cases {
namespace {

class GraphRoute : public Route {
 public:
  void Load(const std::string& model_path) override {
    graph_ = ParseOnnx(model_path, CompileOptions(), nullptr);
    graph_->Verify();
  }
  void LoadBytes(const std::string& model) override {
    graph_ = ParseOnnxBytes("model.onnx", model, CompileOptions(), nullptr);
    graph_->Verify();
  }
  std::vector<TensorDesc> Inputs() const override {
    std::vector<TensorDesc> descs;
    for (const NodeId id : graph_->Inputs()) descs.push_back(graph_->desc(graph_->node(id).outputs[0]));
    return descs;
  }
  void Prepare(const std::vector<Shape>&) override {}
  std::vector<Tensor> Run(std::vector<Tensor> inputs) override { return Evaluate(*graph_, std::move(inputs)); }

 private:
  std::unique_ptr<Graph> graph_;
};

}  // namespace

std::unique_ptr<Route> MakeGraphRoute() { return std::make_unique<GraphRoute>(); }

std::unique_ptr<Route> MakeRoute(const std::string& name) {
  if (name == "graph") return MakeGraphRoute();
  if (name == "om") return MakeDeviceRoute();
  return nullptr;
}

}  // namespace atc::backend_cases
