// Damaged GraphDefs: cut short, or with a few bytes changed. Each is read, or refused with a message; nothing else.
#include <catch2/catch.hpp>

#include <random>

#include "cmd/omrun/npz.h"
#include "compiler/ops/inference.h"
#include "parsers/tensorflow/parser.h"

namespace atc {
namespace {

constexpr size_t kSmall = 3000;  // bytes; larger graphs have the same parts more often
constexpr int kCuts = 4, kChanges = 12;

std::vector<std::string> SmallGraphs() {
  std::vector<std::string> graphs;
  for (const omrun::FileTensor& member : omrun::ReadNpz("test/parsers/tensorflow/cases.npz")) {
    if (!member.name.ends_with("/graph") || member.bytes.size() > kSmall) continue;
    graphs.emplace_back(reinterpret_cast<const char*>(member.bytes.data()), member.bytes.size());
  }
  return graphs;
}

// Whether the graph was taken; a refusal is an Error that names a cause.
bool Reads(const std::string& bytes) {
  try {
    const std::unique_ptr<Graph> graph = ParseTensorFlowBytes("damaged.pb", bytes, {}, nullptr);
    graph->Verify();
    InferShapes(*graph);
    return true;
  } catch (const Error& error) {
    CHECK(!error.diagnostic().code.empty());
    return false;
  }
}

}  // namespace

TEST_CASE("Damaged graphs are read or refused") {
  const std::vector<std::string> graphs = SmallGraphs();
  REQUIRE(graphs.size() > 100);
  std::mt19937 random(9);  // the numbers of this engine are fixed by the standard
  int refused = 0, all = 0;
  for (const std::string& graph : graphs) {
    for (int i = 0; i < kCuts; ++i, ++all) refused += !Reads(graph.substr(0, random() % graph.size()));
    for (int i = 0; i < kChanges; ++i, ++all) {
      std::string changed = graph;
      for (uint32_t n = 1 + random() % 3; n > 0; --n) changed[random() % changed.size()] = static_cast<char>(random() % 256);
      refused += !Reads(changed);
    }
  }
  CHECK(all > 2000);
  CHECK(refused > all / 4);
}

}  // namespace atc
