// Single-operator graphs and small layers against the values that TensorFlow gave (test/dev/tensorflow_cases.py and
// tensorflow_operators.py).
#include <catch2/catch.hpp>

#include <algorithm>

#include "compiler/ops/evaluator.h"
#include "compiler/ops/inference.h"
#include "test/parsers/tensorflow/cases.h"

namespace atc {
namespace {

using namespace tf_cases;

std::string RunCase(const std::string& name, const Members& members) {
  std::unique_ptr<Graph> graph = Parse(name, members);
  graph->Verify();
  InferShapes(*graph);
  const std::vector<Tensor> outputs = Evaluate(*graph, Inputs(*graph, members));
  if (const std::string difference = FirstDifference(outputs, members, {1e-4, 2e-5}); !difference.empty()) return difference;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorDesc& desc = graph->desc(graph->NetOutput()->inputs[i]);
    if (desc.dtype != outputs[i].dtype()) return "output " + std::to_string(i) + " was inferred as another type";
    if (desc.origin_shape.HasRank() && desc.origin_shape.rank() != outputs[i].rank()) {
      return "output " + std::to_string(i) + " was inferred as " + ToString(desc.origin_shape);
    }
  }
  return "";
}

}  // namespace

TEST_CASE("Operators and layers give the values of TensorFlow") {
  auto cases = ReadCases("test/parsers/tensorflow/cases.npz");
  cases.merge(ReadCases("test/parsers/tensorflow/operators.npz"));
  REQUIRE(cases.size() >= 370);
  for (const auto& [name, members] : cases) {
    std::string fault;
    try {
      fault = RunCase(name, members);
    } catch (const Error& error) {
      fault = error.what();
    }
    INFO(name << ": " << fault);
    CHECK(fault.empty());
  }
}

}  // namespace atc
