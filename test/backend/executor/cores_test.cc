// A core budget bounds the threads that work for a model.
#include <catch2/catch.hpp>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "backend/executor/model.h"
#include "backend/runtime/device.h"
#include "backend/runtime/memory.h"
#include "backend/runtime/stream.h"
#include "compiler/om/writer.h"
#include "compiler/pipeline.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;

namespace {

constexpr const char* kTasks = "/proc/self/task";

// Threads of this process.
std::ptrdiff_t NumThreads() {
  return std::distance(std::filesystem::directory_iterator(kTasks), std::filesystem::directory_iterator());
}

// The om of a convolution and a matrix product.
std::string ConvolutionModel() {
  auto graph = std::make_unique<Graph>("cores");
  const ValueId x = graph->AddData("x", 0, TensorDesc(DT_FLOAT, {1, 16, 32, 32}, FORMAT_NCHW));
  const ValueId w = graph->AddConst("w", test::RandomFloats({16, 16, 3, 3}, 1));
  Node& conv = graph->Add("Conv2D", "conv", {x, w}, 1);
  conv.attrs.Set("strides", std::vector<int64_t>{1, 1, 1, 1});
  conv.attrs.Set("pads", std::vector<int64_t>{1, 1, 1, 1});
  conv.attrs.Set("data_format", "NCHW");
  Node& product = graph->Add("BatchMatMulV2", "product", {conv.outputs[0], conv.outputs[0]}, 1);
  graph->Add("NetOutput", "Node_Output", {product.outputs[0]}, 0);
  CompileOptions options;
  options.output_path = "cores";
  options.soc_version = "Ascend910B3";
  options.precision_mode = PrecisionMode::kKeepOrigin;
  Diagnostics diagnostics;
  return WriteOm(Compile(std::move(graph), options, &diagnostics).model);
}

// How many threads loading and running the model on a new thread adds to the process.
std::ptrdiff_t ThreadsAdded(const std::string& om, uint32_t cores) {
  std::ptrdiff_t added = 0;
  std::thread([&] {
    const std::ptrdiff_t before = NumThreads();
    runtime::Memory memory{uint64_t{1} << 30};
    runtime::Device device{0, memory};
    runtime::Stream stream{device, 0};
    LoadOptions options;
    options.device = &device;
    options.cores = cores;
    const auto model = LoadedModel::Load(std::as_bytes(std::span(om.data(), om.size())), options);
    Tensor input = test::RandomFloats({1, 16, 32, 32}, 2);
    const std::vector<TensorView> in = {{input.MutableData<std::byte>(), input.NumBytes(), input.shape()}};
    std::vector<TensorView> out(1);
    for (int run = 0; run < 3; ++run) model->Execute(in, out, stream);
    added = NumThreads() - before;
    device.Free(out[0].data);
  }).join();
  return added;
}

}  // namespace

TEST_CASE("a model of one stream uses no more threads than its core budget") {
  if (!std::filesystem::exists(kTasks)) {
    WARN("SKIPPED: this system does not list threads in /proc");
    return;
  }
  const std::string om = ConvolutionModel();
  CHECK(ThreadsAdded(om, 1) == 0);
  CHECK(ThreadsAdded(om, 2) <= 1);
  CHECK(ThreadsAdded(om, 3) <= 2);
}
