// Parser, all stages of the compiler in origin precision, an om in memory, and the device.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <deque>

#include "backend/executor/model.h"
#include "backend/executor/value_codec.h"
#include "backend/runtime/device.h"
#include "backend/runtime/memory.h"
#include "backend/runtime/stream.h"
#include "compiler/ir/error.h"
#include "compiler/om/writer.h"
#include "compiler/pipeline.h"
#include "compiler/plan/check_order.h"
#include "compiler/plan/check_overlap.h"
#include "parsers/onnx/parser.h"
#include "test/backend_cases/route.h"

namespace atc::backend_cases {
namespace {

void MustBeEmpty(const char* what, const std::vector<std::string>& faults) {
  if (!faults.empty()) throw Error::Internal(fmt::format("{}: {}", what, fmt::join(faults, "; ")));
}

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
    SetOptions(model_path);
    Take(ParseOnnx(model_path, options_, &diagnostics_));
  }

  void LoadBytes(const std::string& model) override {
    SetOptions("model.onnx");
    Take(ParseOnnxBytes("model.onnx", model, options_, &diagnostics_));
  }

  void Prepare(const std::vector<Shape>& shapes) override {
    const std::vector<NodeId> data = graph_->Inputs();
    for (size_t i = 0; i < std::min(shapes.size(), data.size()); ++i) {
      TensorDesc& desc = graph_->desc(graph_->node(data[i]).outputs[0]);
      if (desc.dtype != DT_VARIANT && !Fits(desc.origin_shape, shapes[i])) desc.SetShape(shapes[i]);
    }
    CompileHooks hooks;
    hooks.verify = true;
    const CompileResult result = Compile(std::move(graph_), options_, &diagnostics_, hooks);
    MustBeEmpty("order", CheckOrder(*result.model.graph));
    if (!result.model.dynamic) MustBeEmpty("overlap", CheckOverlap(*result.model.graph, result.model.memory_size));
    const std::string om = WriteOm(result.model);
    LoadOptions load;
    load.device = &device_;
    model_ = LoadedModel::Load(std::as_bytes(std::span(om.data(), om.size())), load);
  }

  std::vector<TensorDesc> Inputs() const override { return inputs_; }

  std::vector<Tensor> Run(std::vector<Tensor> inputs) override {
    std::vector<TensorView> in;
    std::deque<std::string> serialised;  // addresses stay valid
    for (Tensor& tensor : inputs) {
      if (IsSerialised(tensor.dtype())) {
        std::string& bytes = serialised.emplace_back(SerialiseElements(tensor));
        in.push_back({bytes.data(), bytes.size(), tensor.shape()});
        continue;
      }
      in.push_back({tensor.MutableData<std::byte>(), tensor.NumBytes(), tensor.shape()});
    }
    std::vector<TensorView> out(model_->info().outputs.size());
    model_->Execute(in, out, stream_);
    std::vector<Tensor> results;
    for (size_t i = 0; i < out.size(); ++i) {
      const DataType dtype = model_->info().outputs[i].dtype;
      Tensor result;
      if (IsSerialised(dtype)) {
        result = ParseElements(dtype, out[i].shape, {static_cast<const std::byte*>(out[i].data), out[i].bytes});
      } else {
        result = Tensor::Allocate(dtype, out[i].shape);
        if (result.NumBytes() > 0) std::memcpy(result.MutableData(), out[i].data, result.NumBytes());
      }
      if (out[i].data != nullptr) device_.Free(out[i].data);
      results.push_back(std::move(result));
    }
    return results;
  }

 private:
  void SetOptions(const std::string& model_path) {
    options_.model_path = model_path;
    options_.output_path = "case";
    options_.soc_version = "Ascend910B3";
    options_.precision_mode = PrecisionMode::kKeepOrigin;
  }
  void Take(std::unique_ptr<Graph> graph) {
    graph_ = std::move(graph);
    for (const NodeId id : graph_->Inputs()) inputs_.push_back(graph_->desc(graph_->node(id).outputs[0]));
  }

  CompileOptions options_;
  Diagnostics diagnostics_;
  std::unique_ptr<Graph> graph_;  // until it is compiled
  runtime::Memory memory_{uint64_t{8} << 30};
  runtime::Device device_{0, memory_};
  runtime::Stream stream_{device_, 0};
  std::vector<TensorDesc> inputs_;
  std::shared_ptr<LoadedModel> model_;
};

}  // namespace

std::unique_ptr<Route> MakeDeviceRoute() { return std::make_unique<DeviceRoute>(); }

}  // namespace atc::backend_cases
