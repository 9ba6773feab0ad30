#include "compiler/streams/logical_streams.h"

#include <catch2/catch.hpp>

#include "compiler/ir/error.h"
#include "compiler/ir/stream_label.h"
#include "compiler/streams/engines.h"

using namespace atc;

namespace {

struct Builder {
  Graph graph{"g"};
  ValueId data = graph.AddData("data", 0, TensorDesc(DT_FLOAT, {4}));

  ValueId Add(const char* name, std::vector<ValueId> inputs, const char* engine, const char* label = "") {
    Node& node = graph.Add(inputs.size() == 1 ? "Relu" : "Add", name, std::move(inputs), 1);
    node.engine = engine;
    if (*label) node.attrs.Set(kUserStreamLabel, label);
    graph.desc(node.outputs[0]) = TensorDesc(DT_FLOAT, {4});
    return node.outputs[0];
  }
  int32_t Stream(const char* name) { return graph.Find(name)->stream; }
};

}  // namespace

TEST_CASE("an inference graph of one engine and attached ones has one stream") {
  Builder b;
  const ValueId x = b.Add("core", {b.data}, "AIcoreEngine");
  const ValueId y = b.Add("cpu", {x}, "DNN_VM_AICPU_ASCEND");
  const ValueId z = b.Add("core2", {x, y}, "AIcoreEngine");
  b.graph.Add("NetOutput", "Node_Output", {z}, 0);
  CHECK(AssignLogicalStreams(b.graph, {}) == 1);
  CHECK(b.Stream("core") == 0);
  CHECK(b.Stream("cpu") == 0);
  CHECK(b.Stream("core2") == 0);
  CHECK(b.graph.Find("data")->stream == -1);
  CHECK(b.graph.NetOutput()->stream == -1);
}

TEST_CASE("a label has a stream of its own, an independent engine too") {
  Builder b;
  const ValueId x = b.Add("a", {b.data}, "AIcoreEngine");
  const ValueId y = b.Add("labelled", {x}, "AIcoreEngine", "side");
  const ValueId h = b.Add("reduce", {x}, "DNN_HCCL");
  const ValueId z = b.Add("join", {y, h}, "AIcoreEngine");
  b.graph.Add("NetOutput", "Node_Output", {z}, 0);
  CHECK(AssignLogicalStreams(b.graph, {}) == 3);
  CHECK(b.Stream("a") == b.Stream("join"));
  CHECK(b.Stream("labelled") != b.Stream("a"));
  CHECK(b.Stream("reduce") != b.Stream("a"));
  CHECK(b.Stream("reduce") != b.Stream("labelled"));
}

TEST_CASE("a single stream refuses labels with E10055") {
  Builder b;
  const ValueId x = b.Add("a", {b.data}, "AIcoreEngine", "side");
  b.graph.Add("NetOutput", "Node_Output", {x}, 0);
  StreamOptions options;
  options.single_stream = true;
  try {
    AssignLogicalStreams(b.graph, options);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.diagnostic().code == "E10055");
  }
}

TEST_CASE("parallel branches spread over the streams that an engine may have") {
  Builder b;
  const ValueId x = b.Add("a", {b.data}, "AIcoreEngine");
  const ValueId left = b.Add("left", {x}, "AIcoreEngine");
  const ValueId right = b.Add("right", {x}, "AIcoreEngine");
  const ValueId z = b.Add("join", {left, right}, "AIcoreEngine");
  b.graph.Add("NetOutput", "Node_Output", {z}, 0);
  StreamOptions options;
  options.max_parallel_streams = 2;
  CHECK(AssignLogicalStreams(b.graph, options) == 2);
  CHECK(b.Stream("left") != b.Stream("right"));
}
