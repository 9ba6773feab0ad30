// A steady run allocates nothing of ours: what oneDNN and OpenMP do inside of their calls is their affair.
// Sanitizers have an operator new of their own, which must stay.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include "test/backend/executor/quantized_graph.h"
#include "test/backend/executor/static_runner.h"
#include "test/compiler/pass_fixture.h"

namespace {

std::atomic<bool> counting = false;
std::atomic<int> counted = 0;

void Count(const void* caller) {
  if (!counting.load(std::memory_order_relaxed)) return;
  Dl_info info;
  if (dladdr(caller, &info) == 0 || info.dli_fname == nullptr) return;
  const std::string_view library = info.dli_fname;
  if (library.find("libdnnl") == library.npos && library.find("libgomp") == library.npos) ++counted;
}

}  // namespace

void* operator new(size_t size) {
  Count(__builtin_return_address(0));
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void* operator new(size_t size, std::align_val_t align) {
  Count(__builtin_return_address(0));
  const auto unit = static_cast<size_t>(align);
  if (void* memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

using namespace atc;        // NOLINT
using namespace atc::test;  // NOLINT
using Ints = std::vector<int64_t>;

namespace {

// Allocations of the third run, all memory given.
int Allocations(std::unique_ptr<Graph> graph, int cores, std::vector<Tensor> inputs) {
  StaticRunner runner(std::move(graph), PrecisionMode::kKeepOrigin, cores);
  std::vector<Tensor> outputs;
  std::vector<TensorView> in, out;
  for (Tensor& tensor : inputs) in.push_back({tensor.MutableData<std::byte>(), tensor.NumBytes(), tensor.shape()});
  for (const TensorInfo& info : runner.model->info().outputs) {
    outputs.push_back(Tensor::Allocate(info.dtype, info.shape));
    out.push_back({outputs.back().MutableData<std::byte>(), outputs.back().NumBytes(), info.shape});
  }
  for (int run = 0; run < 3; ++run) {
    counted = 0;
    counting = run == 2;
    runner.model->Execute(in, out, runner.stream);
    counting = false;
  }
  return counted;
}

ValueId AddConv(QuantizedGraph& g, ValueId x, ValueId w) {
  const ValueId y = g.Op("Conv2D", {x, w});
  Node& node = g.graph->producer(y);
  node.attrs.Set("strides", Ints{1, 1, 1, 1});
  node.attrs.Set("dilations", Ints{1, 1, 1, 1});
  node.attrs.Set("pads", Ints{1, 1, 1, 1});
  node.attrs.Set("groups", int64_t{1});
  node.attrs.Set("data_format", "NCHW");
  return y;
}

}  // namespace

TEST_CASE("a steady run of float operators allocates nothing") {
  for (const int cores : {1, 2}) {
    QuantizedGraph g;
    const ValueId x = g.Input(DT_FLOAT, {1, 8, 40, 40});
    const ValueId y = AddConv(g, x, g.Const(RandomFloats({16, 8, 3, 3}, 1)));
    const ValueId z = g.Op("Relu", {g.Op("Add", {g.Op("Sigmoid", {y}), y})});
    CHECK(Allocations(g.Finish(z), cores, {RandomFloats({1, 8, 40, 40}, 2)}) == 0);
  }
}

TEST_CASE("a steady run of 8-bit operators allocates nothing") {
  for (const int cores : {1, 2}) {
    QuantizedGraph g;
    const Tensor scale = Tensor::Scalar(0.01f);
    const ValueId x = g.Dequantize(g.Input(DT_UINT8, {1, 16, 90, 90}), scale, ByteOf(DT_UINT8, 7));
    const ValueId w = g.Dequantize(g.Const(RandomBytes(DT_INT8, {32, 16, 3, 3}, 1)), scale, ByteOf(DT_INT8, 0));
    const ValueId y = g.Quantize(AddConv(g, x, w), Tensor::Scalar(0.2f), ByteOf(DT_UINT8, 100));
    CHECK(Allocations(g.Finish(y), cores, {RandomBytes(DT_UINT8, {1, 16, 90, 90}, 2)}) == 0);
  }
}
#endif
