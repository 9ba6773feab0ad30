// Compiles a graph, reads it back from its om and runs it on the device.
#pragma once

#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "backend/executor/static_model.h"
#include "backend/runtime/device.h"
#include "backend/runtime/memory.h"
#include "backend/runtime/stream.h"
#include "compiler/om/reader.h"
#include "compiler/om/writer.h"
#include "compiler/ops/evaluator.h"
#include "compiler/pipeline.h"

namespace atc::test {

struct StaticRunner {
  runtime::Memory memory{uint64_t{1} << 30};
  runtime::Device device{0, memory};
  runtime::Stream stream{device, 0};
  std::unique_ptr<Graph> compiled;
  std::unique_ptr<StaticModel> model;

  explicit StaticRunner(std::unique_ptr<Graph> graph, PrecisionMode mode = PrecisionMode::kKeepOrigin, int cores = 2,
                        const char* soc = "Ascend910B3") {
    CompileOptions options;
    options.output_path = "m";
    options.soc_version = soc;
    options.precision_mode = mode;
    Diagnostics diagnostics;
    CompileHooks hooks;
    hooks.verify = true;
    const std::string om = WriteOm(Compile(std::move(graph), options, &diagnostics, hooks).model);
    Buffer file = Buffer::Allocate(om.size());
    std::memcpy(file.data, om.data(), om.size());
    OmModel read = ReadOm(file, "m");
    REQUIRE_FALSE(read.dynamic);
    compiled = read.graph->Clone();
    LoadOptions load;
    load.device = &device;
    load.cores = static_cast<uint32_t>(cores);
    model = std::make_unique<StaticModel>(std::move(read), load);
  }

  std::vector<Tensor> Run(std::vector<Tensor> inputs) {
    std::vector<TensorView> in;
    for (Tensor& tensor : inputs) in.push_back({tensor.MutableData<std::byte>(), tensor.NumBytes(), tensor.shape()});
    std::vector<TensorView> out(model->info().outputs.size());
    model->Execute(in, out, stream);
    std::vector<Tensor> results;
    for (size_t i = 0; i < out.size(); ++i) {
      Tensor result = Tensor::Allocate(model->info().outputs[i].dtype, out[i].shape);
      if (result.NumBytes() > 0) std::memcpy(result.MutableData(), out[i].data, result.NumBytes());
      if (out[i].data != nullptr) device.Free(out[i].data);
      results.push_back(std::move(result));
    }
    return results;
  }

  // How many tasks of this type there are.
  int Count(const char* type) const {
    int count = 0;
    for (NodeId id = 0; id < compiled->node_capacity(); ++id) {
      const Node& node = compiled->node(id);
      count += node.alive && node.type() == type && node.stream >= 0;
    }
    return count;
  }
};

// Whether two tensors have one type, one shape and the same bytes.
inline bool SameBytes(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && std::memcmp(a.Data(), b.Data(), a.NumBytes()) == 0;
}

}  // namespace atc::test
