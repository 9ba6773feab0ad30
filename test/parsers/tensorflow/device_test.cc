// The cases of TensorFlow's values through all stages of the compiler, an om, and the device.
#include <catch2/catch.hpp>

#include "test/backend_cases/on_device.h"
#include "test/parsers/tensorflow/cases.h"

namespace atc {
namespace {

using namespace tf_cases;

constexpr Tolerance kTolerance = {1e-3, 1e-4};

// Why the case's outputs are wrong; empty when they are right.
std::string RunCase(const std::string& name, const Members& members, bool fixed) try {
  std::unique_ptr<Graph> graph = Parse(name, members, fixed);
  std::vector<Tensor> inputs = Inputs(*graph, members);
  backend_cases::OnDevice device;
  device.Load(std::move(graph), name);
  return FirstDifference(device.Run(std::move(inputs)), members, kTolerance);
} catch (const Error& error) {
  return error.what();
}

// `fixed`: with the shapes of the inputs given, else with those of the file.
void RunCases(const std::string& file, size_t least, bool fixed) {
  const auto cases = ReadCases(file);
  REQUIRE(cases.size() >= least);
  for (const auto& [name, members] : cases) {
    const std::string fault = RunCase(name, members, fixed);
    INFO(name << ": " << fault);
    CHECK(fault.empty());
  }
}

}  // namespace

TEST_CASE("Operators and layers give the values of TensorFlow on the device") {
  RunCases("test/parsers/tensorflow/cases.npz", 300, false);
  RunCases("test/parsers/tensorflow/operators.npz", 50, false);
}

TEST_CASE("Exported models give the values of TensorFlow on the device") {
  RunCases("test/parsers/tensorflow/models.npz", 30, true);
}

TEST_CASE("Exported models with open batches give the values of TensorFlow on the device") {
  RunCases("test/parsers/tensorflow/models.npz", 30, false);
}

}  // namespace atc
