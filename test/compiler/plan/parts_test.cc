#include "compiler/plan/parts.h"

#include <catch2/catch.hpp>

#include "compiler/plan/check_overlap.h"
#include "compiler/plan/memory.h"
#include "compiler/streams/engines.h"

using namespace atc;

namespace {

struct Builder {
  Graph graph{"parts"};

  ValueId Data(Shape shape) { return graph.AddData("data", 0, TensorDesc(DT_FLOAT, std::move(shape))); }
  Node& Op(const char* type, const char* name, std::vector<ValueId> inputs, std::vector<Shape> shapes, int32_t stream = 0) {
    Node& node = graph.Add(type, name, std::move(inputs), shapes.size());
    node.stream = stream;
    for (size_t i = 0; i < shapes.size(); ++i) graph.desc(node.outputs[i]) = TensorDesc(DT_FLOAT, shapes[i]);
    return node;
  }
  // Softmax: neither elementwise nor a view, so it writes where its output is planned.
  ValueId Task(const char* name, ValueId input, Shape shape, int32_t stream = 0) {
    return Op("SoftmaxV2", name, {input}, {std::move(shape)}, stream).outputs[0];
  }
  ValueId Concat(const char* name, std::vector<ValueId> parts, int64_t axis, Shape shape) {
    const auto count = static_cast<int64_t>(parts.size());
    Node& node = Op("ConcatD", name, std::move(parts), {std::move(shape)});
    node.attrs.Set("concat_dim", axis);
    node.attrs.Set("N", count);
    return node.outputs[0];
  }
  Node& Split(const char* name, ValueId whole, int64_t axis, std::vector<Shape> shapes) {
    const auto count = static_cast<int64_t>(shapes.size());
    Node& node = Op("SplitD", name, {whole}, std::move(shapes));
    node.attrs.Set("split_dim", axis);
    node.attrs.Set("num_split", count);
    return node;
  }
  void End(ValueId value) { graph.Add("NetOutput", "Node_Output", {value}, 0); }
  int64_t At(ValueId value) const { return graph.value(value).offset; }
  size_t Marked() { return MarkNoTask(graph).size(); }
  std::vector<std::string> Faults(const MemoryPlan& plan) const { return CheckOverlap(graph, plan.memory_size); }
};

using Faults = std::vector<std::string>;

}  // namespace

TEST_CASE("what is concatenated is written into the whole, one part after the other") {
  Builder b;
  const ValueId data = b.Data({8});
  const ValueId x = b.Task("x", data, {1, 24});  // 96 bytes
  const ValueId y = b.Task("y", data, {1, 8});   // 32
  const ValueId z = b.Task("z", data, {1, 128});  // 512
  const ValueId all = b.Concat("all", {x, y, z}, 1, {1, 160});
  b.End(b.Task("end", all, {1, 160}));
  CHECK(b.Marked() == 1);
  CHECK(b.graph.producer(all).attrs.Get<bool>("_no_task", false));
  CHECK_FALSE(EmitsTask(b.graph, b.graph.producer(all)));
  const MemoryPlan plan = PlanMemory(b.graph, true);
  CHECK(b.At(x) == 0);
  CHECK(b.At(y) == 96);
  CHECK(b.At(z) == 128);
  CHECK(b.At(all) == 0);
  // The whole, 640 bytes and 32 more, in 1024; the output, as large; the input, 64 bytes in 512.
  CHECK(plan.memory_size == 1024 + 1024 + 512);
  CHECK(plan.lower_bound == plan.memory_size);
  CHECK(b.Faults(plan) == Faults{});
  b.graph.value(z).offset += 32;
  CHECK_FALSE(b.Faults(plan).empty());
}

TEST_CASE("the parts of a split lie in what is split") {
  Builder b;
  const ValueId data = b.Data({64});
  const ValueId whole = b.Task("whole", data, {3, 32});
  Node& split = b.Split("split", whole, 0, {{1, 32}, {2, 32}});
  const ValueId first = b.Task("first", split.outputs[0], {1, 32});
  const ValueId second = b.Task("second", split.outputs[1], {2, 32});
  b.End(b.Op("Add", "sum", {first, second}, {{2, 32}}).outputs[0]);
  CHECK(b.Marked() == 1);
  const MemoryPlan plan = PlanMemory(b.graph, true);
  CHECK(b.At(split.outputs[0]) == b.At(whole));
  CHECK(b.At(split.outputs[1]) == b.At(whole) + 128);
  CHECK(b.Faults(plan) == Faults{});
  // The second part is still read when the first one's reader writes.
  CHECK(b.At(first) >= b.At(whole) + 512);
}

TEST_CASE("concatenations lie in each other, and reshapes between them") {
  Builder b;
  const ValueId data = b.Data({8});
  const ValueId w = b.Task("w", data, {1, 8});
  const ValueId x = b.Task("x", data, {1, 8});
  const ValueId y = b.Task("y", data, {8});
  const ValueId inner = b.Concat("inner", {w, x}, 0, {2, 8});
  const ValueId reshaped = b.Op("Reshape", "reshaped", {inner}, {{16}}, -1).outputs[0];
  const ValueId outer = b.Concat("outer", {y, reshaped}, 0, {24});
  b.End(b.Task("end", outer, {24}));
  CHECK(b.Marked() == 2);
  const MemoryPlan plan = PlanMemory(b.graph, true);
  CHECK(b.At(y) == 0);
  CHECK(b.At(reshaped) == 32);
  CHECK(b.At(w) == 32);
  CHECK(b.At(x) == 64);
  CHECK(b.Faults(plan) == Faults{});
}

TEST_CASE("a concatenation of the model's output is written into the output") {
  Builder b;
  const ValueId data = b.Data({8});
  const ValueId all = b.Concat("all", {b.Task("x", data, {1, 8}), b.Task("y", data, {1, 8})}, 0, {2, 8});
  b.End(all);
  CHECK(b.Marked() == 1);
  const MemoryPlan plan = PlanMemory(b.graph, true);
  CHECK(plan.zero_copy_memory_size == 2 * 512);
  CHECK(plan.memory_size == 2 * 512);
  CHECK(b.At(all) == 0);
  CHECK(b.Faults(plan) == Faults{});
}

TEST_CASE("parts of several streams are free for the bytes of what all of them know to be over") {
  Builder b;
  const ValueId data = b.Data({128});
  const ValueId early = b.Task("early", data, {1, 104}, 0);  // 416 bytes and 32: one block
  const ValueId x = b.Task("x", early, {1, 56}, 0);
  const ValueId y = b.Task("y", data, {1, 48}, 1);  // knows nothing of stream 0
  const ValueId all = b.Concat("all", {x, y}, 1, {1, 104});
  b.End(b.Task("end", all, {1, 104}, 0));
  CHECK(b.Marked() == 1);
  const MemoryPlan plan = PlanMemory(b.graph, true);
  CHECK(b.At(y) == b.At(x) + 56 * 4);
  CHECK(std::abs(b.At(early) - b.At(all)) >= 512);
  CHECK(b.Faults(plan) == Faults{});
  b.graph.value(all).offset = b.graph.value(x).offset = b.At(early);
  b.graph.value(y).offset = b.At(early) + 56 * 4;
  CHECK_FALSE(b.Faults(plan).empty());
}

TEST_CASE("an elementwise task may write over a whole of parts, and over no part") {
  Builder b;
  const ValueId data = b.Data({8});
  const ValueId x = b.Task("x", data, {1, 8});
  const ValueId all = b.Concat("all", {x, b.Task("y", data, {1, 8})}, 0, {2, 8});
  const ValueId relu = b.Op("Relu", "relu", {all}, {{2, 8}}).outputs[0];
  Node& split = b.Split("split", relu, 0, {{1, 8}, {1, 8}});
  const ValueId part = b.Op("Relu", "part", {split.outputs[0]}, {{1, 8}}).outputs[0];
  b.End(b.Task("end", b.Op("Add", "sum", {part, split.outputs[1]}, {{1, 8}}).outputs[0], {1, 8}));
  CHECK(b.Marked() == 2);
  const MemoryPlan plan = PlanMemory(b.graph, true);
  CHECK(b.At(relu) != b.At(all));  // its own bytes have parts
  CHECK(b.At(part) != b.At(relu));
  CHECK(b.Faults(plan) == Faults{});

  Builder c;
  const ValueId start = c.Data({8});
  const ValueId joined = c.Concat("all", {c.Task("x", start, {1, 8}), c.Task("y", start, {1, 8})}, 0, {2, 8});
  const ValueId over = c.Op("Relu", "relu", {joined}, {{2, 8}}).outputs[0];
  c.End(c.Task("end", over, {2, 8}));
  CHECK(c.Marked() == 1);
  const MemoryPlan other = PlanMemory(c.graph, true);
  CHECK(c.At(over) == c.At(joined));
  CHECK(c.Faults(other) == Faults{});
}

TEST_CASE("what is not contiguous, not aligned, or not written for the whole alone keeps its task") {
  const auto marked = [](auto&& make) {
    Builder b;
    b.End(make(b, b.Data({8})));
    return b.Marked();
  };
  const auto plain = [](Builder& b, ValueId data) {
    return b.Task("end", b.Concat("all", {b.Task("x", data, {1, 8}), b.Task("y", data, {1, 8})}, 1, {1, 16}), {1, 16});
  };
  CHECK(marked(plain) == 1);
  CHECK(marked([](Builder& b, ValueId data) {  // rows alternate
          return b.Task("end", b.Concat("all", {b.Task("x", data, {2, 8}), b.Task("y", data, {2, 8})}, 1, {2, 16}), {1});
        }) == 0);
  CHECK(marked([](Builder& b, ValueId data) {  // 28 bytes
          return b.Task("end", b.Concat("all", {b.Task("x", data, {7}), b.Task("y", data, {8})}, 0, {15}), {1});
        }) == 0);
  CHECK(marked([](Builder& b, ValueId data) {  // twice the same
          const ValueId x = b.Task("x", data, {8});
          return b.Task("end", b.Concat("all", {x, x}, 0, {16}), {1});
        }) == 0);
  CHECK(marked([](Builder& b, ValueId data) {  // the caller writes the model's input
          return b.Task("end", b.Concat("all", {b.Task("x", data, {8}), data}, 0, {16}), {1});
        }) == 0);
  CHECK(marked([](Builder& b, ValueId data) {  // of two wholes only one can have it
          const ValueId x = b.Task("x", data, {8});
          const ValueId one = b.Concat("one", {x, b.Task("y", data, {8})}, 0, {16});
          const ValueId two = b.Concat("two", {b.Task("z", data, {8}), x}, 0, {16});
          return b.Op("Add", "sum", {one, two}, {{16}}).outputs[0];
        }) == 1);
  CHECK(marked([](Builder& b, ValueId data) {  // the user wants a stream for it
          const ValueId all = b.Concat("all", {b.Task("x", data, {8}), b.Task("y", data, {8})}, 0, {16});
          b.graph.producer(all).attrs.Set("_user_stream_label", "s");
          return b.Task("end", all, {1});
        }) == 0);
  Builder b;  // a part leaves the model
  const ValueId x = b.Task("x", b.Data({8}), {8});
  const ValueId all = b.Concat("all", {x, b.Task("y", x, {8})}, 0, {16});
  b.graph.Add("NetOutput", "Node_Output", {x, b.Task("end", all, {1})}, 0);
  CHECK(b.Marked() == 0);
}

TEST_CASE("in NC1HWC0 only the samples of whole blocks lie one after the other") {
  const auto marked = [](int64_t axis, int64_t channels) {
    Builder b;
    const ValueId data = b.Data({8});
    const int64_t blocks = (channels + 15) / 16;
    const auto blocked = [&](ValueId value, int64_t samples, int64_t all_channels) {
      TensorDesc& desc = b.graph.desc(value);
      desc.origin_shape = {samples, all_channels, 2, 2};
      desc.origin_format = FORMAT_NCHW;
      desc.shape = {samples, (all_channels + 15) / 16, 2, 2, 16};
      desc.format = FORMAT_NC1HWC0;
    };
    const ValueId x = b.Task("x", data, {1, blocks, 2, 2, 16});
    const ValueId y = b.Task("y", data, {1, blocks, 2, 2, 16});
    blocked(x, 1, channels);
    blocked(y, 1, channels);
    const ValueId all = b.Concat("all", {x, y}, axis, {1});
    blocked(all, axis == 0 ? 2 : 1, axis == 1 ? 2 * channels : channels);
    b.End(b.Task("end", all, {1}));
    return b.Marked();
  };
  CHECK(marked(0, 16) == 1);
  CHECK(marked(0, 8) == 0);
  CHECK(marked(1, 16) == 0);  // the device keeps channels last
}

TEST_CASE("a task's workspace is its own while it runs and anyone's before and after") {
  Builder b;
  const ValueId data = b.Data({120});
  const ValueId x = b.Task("x", data, {120});
  const ValueId y = b.Task("y", x, {120});
  b.graph.producer(x).workspace_bytes = {1000, 8};
  b.graph.producer(y).workspace_bytes = {512};
  b.End(b.Task("end", y, {120}));
  const MemoryPlan plan = PlanMemory(b.graph, true);
  // While x runs: its output and both workspaces; then x, y and y's.
  CHECK(plan.memory_size == 512 + 1024 + 512 + 2 * 512);
  CHECK(plan.lower_bound == plan.memory_size);
  REQUIRE(b.graph.producer(x).workspace_offset.size() == 2);
  REQUIRE(b.graph.producer(y).workspace_offset.size() == 1);
  CHECK(b.Faults(plan) == Faults{});
  b.graph.producer(y).workspace_offset[0] = b.At(x);
  CHECK_FALSE(b.Faults(plan).empty());
  b.graph.producer(y).workspace_offset[0] = b.At(y);
  CHECK_FALSE(b.Faults(plan).empty());
}

TEST_CASE("a node that may not be marked keeps its task") {
  Builder b;
  const ValueId data = b.Data({8});
  const ValueId all = b.Concat("all", {b.Task("x", data, {1, 24}), b.Task("y", data, {1, 8})}, 1, {1, 32});
  b.End(b.Task("end", all, {1, 32}));
  bool asked = false;
  CHECK(MarkNoTask(b.graph, {}, [&](const Node& node, bool joins) {
          asked = node.name == "all" && joins;
          return false;
        }).empty());
  CHECK(asked);
  CHECK_FALSE(b.graph.producer(all).attrs.Get<bool>("_no_task", false));
}
