// A steady run allocates nothing of ours and takes no lock between the tasks of one stream.
// Sanitizers have definitions of their own of what is counted.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <atomic>
#include <memory>
#include <mutex>

#include "test/backend/executor/counted_calls.h"
#include "test/backend/executor/quantized_graph.h"
#include "test/backend/executor/static_runner.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;        // NOLINT
using namespace atc::test;  // NOLINT
using Ints = std::vector<int64_t>;

namespace {

// Of the third run, all memory given.
CountedCalls SteadyRun(std::unique_ptr<Graph> graph, int cores, std::vector<Tensor> inputs) {
  StaticRunner runner(std::move(graph), PrecisionMode::kKeepOrigin, cores);
  std::vector<Tensor> outputs;
  std::vector<TensorView> in, out;
  for (Tensor& tensor : inputs) in.push_back({tensor.MutableData<std::byte>(), tensor.NumBytes(), tensor.shape()});
  for (const TensorInfo& info : runner.model->info().outputs) {
    outputs.push_back(Tensor::Allocate(info.dtype, info.shape));
    out.push_back({outputs.back().MutableData<std::byte>(), outputs.back().NumBytes(), info.shape});
  }
  for (int run = 0; run < 2; ++run) runner.model->Execute(in, out, runner.stream);
  BeginCounting();
  runner.model->Execute(in, out, runner.stream);
  return EndCounting();
}

void CheckSteadyRun(std::unique_ptr<Graph> graph, int cores, std::vector<Tensor> inputs) {
  const CountedCalls calls = SteadyRun(std::move(graph), cores, std::move(inputs));
  CHECK(calls.allocations == 0);
  CHECK(calls.locks == 0);
}

ValueId AddConv(QuantizedGraph& g, ValueId x, ValueId w, int64_t pad = 1) {
  const ValueId y = g.Op("Conv2D", {x, w});
  Node& node = g.graph->producer(y);
  node.attrs.Set("strides", Ints{1, 1, 1, 1});
  node.attrs.Set("dilations", Ints{1, 1, 1, 1});
  node.attrs.Set("pads", Ints{pad, pad, pad, pad});
  node.attrs.Set("groups", int64_t{1});
  node.attrs.Set("data_format", "NCHW");
  return y;
}

}  // namespace

TEST_CASE("locks and allocations are counted where they are made") {
  std::mutex mutex;
  BeginCounting();
  {
    const std::lock_guard lock(mutex);
    const auto number = std::make_unique<std::atomic<int>>(1);
    *number = 2;
    number->notify_one();
  }
  const CountedCalls calls = EndCounting();
  CHECK(calls.locks >= 1);
  CHECK(calls.allocations == 1);
}

TEST_CASE("a steady run of float operators allocates and locks nothing") {
  for (const int cores : {1, 2}) {
    QuantizedGraph g;
    const ValueId x = g.Input(DT_FLOAT, {1, 8, 40, 40});
    const ValueId y = AddConv(g, x, g.Const(RandomFloats({16, 8, 3, 3}, 1)));
    const ValueId z = g.Op("Relu", {g.Op("Add", {g.Op("Sigmoid", {y}), y})});
    CheckSteadyRun(g.Finish(z), cores, {RandomFloats({1, 8, 40, 40}, 2)});
  }
}

TEST_CASE("a steady run of many tasks on one stream allocates and locks nothing") {
  for (const int cores : {1, 2}) {
    QuantizedGraph g;
    const ValueId x = g.Input(DT_FLOAT, {1, 32, 20, 20});
    ValueId y = x;
    for (uint32_t i = 0; i < 20; ++i) {
      const Shape filter = i % 2 == 0 ? Shape{32, 32, 3, 3} : Shape{32, 32, 1, 1};
      y = g.Op("Relu", {AddConv(g, y, g.Const(RandomFloats(filter, i)), i % 2 == 0 ? 1 : 0)});
      if (i % 4 == 3) y = g.Op("SoftmaxV2", {y});
    }
    CheckSteadyRun(g.Finish(y), cores, {RandomFloats({1, 32, 20, 20}, 2)});
  }
}

TEST_CASE("a steady run of 8-bit operators allocates and locks nothing") {
  for (const int cores : {1, 2}) {
    QuantizedGraph g;
    const Tensor scale = Tensor::Scalar(0.01f);
    const ValueId x = g.Dequantize(g.Input(DT_UINT8, {1, 16, 90, 90}), scale, ByteOf(DT_UINT8, 7));
    const ValueId w = g.Dequantize(g.Const(RandomBytes(DT_INT8, {32, 16, 3, 3}, 1)), scale, ByteOf(DT_INT8, 0));
    const ValueId y = g.Quantize(AddConv(g, x, w), Tensor::Scalar(0.2f), ByteOf(DT_UINT8, 100));
    CheckSteadyRun(g.Finish(y), cores, {RandomBytes(DT_UINT8, {1, 16, 90, 90}, 2)});
  }
}
#endif
