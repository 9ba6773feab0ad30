// Every operator that Ascend's own parser maps is converted, or serves training, with the reason in the list.
#include <catch2/catch.hpp>

#include <fstream>
#include <string>

#include "compiler/ir/error.h"
#include "parsers/tensorflow/convert.h"
#include "parsers/tensorflow/parser.h"

namespace atc {

TEST_CASE("Every operator of inference that Ascend's parser maps has a converter") {
  std::ifstream list("test/parsers/tensorflow/mapped_operators.txt");
  REQUIRE(list);
  int converted = 0, left_out = 0;
  for (std::string line; std::getline(list, line);) {
    if (line.empty() || line[0] == '#') continue;
    const size_t tab = line.find('\t');
    const std::string op = line.substr(0, tab);
    const bool reasoned = tab != std::string::npos;
    INFO(op);
    CHECK((tf_parser::ConverterRegistry::Get().Find(op) == nullptr) == reasoned);
    ++(reasoned ? left_out : converted);
  }
  CHECK(converted >= 190);
  CHECK(converted + left_out >= 270);
}

TEST_CASE("All operators without a converter are reported at once") {
  std::string graph = "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }\n", before = "x";
  for (const char* op : {"ApplyAdam", "ReluGrad", "NoSuchOperator", "ReluGrad"}) {
    const std::string name = before + "_";
    graph += "node { name: '" + name + "' op: '" + op + "' input: '" + before + "' }\n";
    before = name;
  }
  try {
    ParseTensorFlowBytes("graph.pbtxt", graph, {}, nullptr);
    FAIL("it was taken");
  } catch (const Error& error) {
    const std::string text = error.what();
    CHECK(error.diagnostic().code == "E13010");
    for (const char* op : {"ApplyAdam (1 node", "NoSuchOperator (1 node", "ReluGrad (2 nodes"}) {
      CHECK(text.find(op) != std::string::npos);
    }
  }
}

}  // namespace atc
