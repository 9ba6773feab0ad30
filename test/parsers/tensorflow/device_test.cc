// The cases of TensorFlow's values through all stages of the compiler, an om, and the device.
#include <catch2/catch.hpp>

#include "test/backend_cases/on_device.h"
#include "test/parsers/tensorflow/cases.h"

namespace atc {
namespace {

using namespace tf_cases;

constexpr Tolerance kTolerance = {1e-3, 1e-4};

// Why the case's outputs are wrong; empty when they are right.
std::string RunCase(const std::string& name, const Members& members) try {
  std::unique_ptr<Graph> graph = Parse(name, members);
  std::vector<Tensor> inputs = Inputs(*graph, members);
  backend_cases::OnDevice device;
  device.Load(std::move(graph), name);
  const std::vector<Tensor> outputs = device.Run(std::move(inputs));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor wanted = ToTensor(members.at("out_" + std::to_string(i)));
    if (const std::string difference = Difference(outputs[i], wanted, kTolerance); !difference.empty()) {
      return "output " + std::to_string(i) + ": " + difference;
    }
  }
  return "";
} catch (const Error& error) {
  // What the parser refuses is listed by the test of the cases themselves.
  return error.diagnostic().code == "E13010" ? "" : error.what();
}

void RunCases(const std::string& file, size_t least) {
  const auto cases = ReadCases(file);
  REQUIRE(cases.size() >= least);
  for (const auto& [name, members] : cases) {
    const std::string fault = RunCase(name, members);
    INFO(name << ": " << fault);
    CHECK(fault.empty());
  }
}

}  // namespace

TEST_CASE("Operators and layers give the values of TensorFlow on the device") {
  RunCases("test/parsers/tensorflow/cases.npz", 300);
}

}  // namespace atc
