// Golden types follow from the graphs by hand.
#include "backend/executor/precision.h"

#include <catch2/catch.hpp>

#include "compiler/ir/graph.h"

using namespace atc;

namespace {

// A node of one output with that type.
ValueId Make(Graph* graph, const char* type, const char* name, std::vector<ValueId> inputs, DataType dtype) {
  const ValueId value = graph->Add(type, name, std::move(inputs), 1).outputs[0];
  graph->value(value).desc = TensorDesc(dtype, {4});
  return value;
}

}  // namespace

TEST_CASE("each output has the narrowest type of what it depends on") {
  Graph graph("g");
  const ValueId x = graph.AddData("x", 0, TensorDesc(DT_BF16, {4}));  // given: does not count
  const ValueId full = Make(&graph, "Cast", "full", {x}, DT_FLOAT);
  const ValueId half = Make(&graph, "Cast", "half", {full}, DT_FLOAT16);
  const ValueId relu = Make(&graph, "Relu", "relu", {half}, DT_FLOAT16);
  const ValueId back = Make(&graph, "Cast", "back", {relu}, DT_FLOAT);
  const ValueId both = Make(&graph, "Add", "both", {full, back}, DT_FLOAT);
  const ValueId whole = Make(&graph, "Cast", "whole", {both}, DT_INT32);
  const ValueId ids = graph.AddData("ids", 1, TensorDesc(DT_INT32, {4}));
  const ValueId sums = Make(&graph, "Add", "sums", {ids, ids}, DT_INT32);
  graph.Add("NetOutput", "Node_Output", {full, back, both, whole, sums, half}, 0);
  CHECK(OutputPrecisions(graph) ==
        std::vector<DataType>{DT_FLOAT, DT_FLOAT16, DT_FLOAT16, DT_FLOAT16, DT_UNDEFINED, DT_FLOAT16});
}
