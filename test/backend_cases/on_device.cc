#include "test/backend_cases/on_device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <deque>
#include <span>

#include "backend/executor/value_codec.h"
#include "compiler/ir/error.h"
#include "compiler/om/writer.h"
#include "compiler/pipeline.h"
#include "compiler/plan/check_order.h"
#include "compiler/plan/check_overlap.h"

namespace atc::backend_cases {
namespace {

void MustBeEmpty(const char* what, const std::vector<std::string>& faults) {
  if (!faults.empty()) throw Error::Internal(fmt::format("{}: {}", what, fmt::join(faults, "; ")));
}

}  // namespace

void OnDevice::Load(std::unique_ptr<Graph> graph, const std::string& path) {
  CompileOptions options;
  options.model_path = path;
  options.output_path = "case";
  options.soc_version = "Ascend910B3";
  options.precision_mode = PrecisionMode::kKeepOrigin;
  Diagnostics diagnostics;
  CompileHooks hooks;
  hooks.verify = true;
  const CompileResult result = Compile(std::move(graph), options, &diagnostics, hooks);
  MustBeEmpty("order", CheckOrder(*result.model.graph));
  if (!result.model.dynamic) MustBeEmpty("overlap", CheckOverlap(*result.model.graph, result.model.memory_size));
  const std::string om = WriteOm(result.model);
  LoadOptions load;
  load.device = &device_;
  model_ = LoadedModel::Load(std::as_bytes(std::span(om.data(), om.size())), load);
}

std::vector<Tensor> OnDevice::Run(std::vector<Tensor> inputs) {
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

}  // namespace atc::backend_cases
