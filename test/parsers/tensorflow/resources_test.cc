// SavedModels with lookup tables and their files, variables in parts, variables that are written, functions within functions
// and several graphs (test/dev/tensorflow_resources.py).
#include <catch2/catch.hpp>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "compiler/ops/evaluator.h"
#include "compiler/ops/inference.h"
#include "test/parsers/tensorflow/cases.h"

namespace atc {
namespace {

using namespace tf_cases;
namespace fs = std::filesystem;

const std::string kFolder = "test/parsers/tensorflow/resources/";

const Members& MembersOf(const std::string& name) {
  static const auto cases = ReadCases("test/parsers/tensorflow/resources.npz");
  return cases.at(name);
}

// OPENATC_TF_TAGS, for a scope.
class Tags {
 public:
  explicit Tags(const char* tags) { ::setenv("OPENATC_TF_TAGS", tags, 1); }
  ~Tags() { ::unsetenv("OPENATC_TF_TAGS"); }
};

std::string Difference(const std::string& path, const std::string& name, Diagnostics* diagnostics = nullptr) {
  const std::unique_ptr<Graph> graph = ParseTensorFlow(path, {}, diagnostics);
  graph->Verify();
  InferShapes(*graph);
  return FirstDifference(Evaluate(*graph, Inputs(*graph, MembersOf(name))), MembersOf(name), {1e-4, 1e-5});
}

std::string Refusal(const std::string& path) {
  try {
    ParseTensorFlow(path, {}, nullptr);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("Tables, parts, writes and functions give the values of TensorFlow") {
  for (const char* model : {"functions", "partitioned", "tables", "writes"}) {
    const std::string difference = Difference(kFolder + model, model + std::string("/serving_default"));
    INFO(model << ": " << difference);
    CHECK(difference.empty());
  }
}

TEST_CASE("What a model writes into its variables is told") {
  Diagnostics diagnostics;
  Difference(kFolder + "writes", "writes/serving_default", &diagnostics);
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all()[0].code == "W19999");
  CHECK(diagnostics.all()[0].args[0].second.find("ResourceScatterDiv") != std::string::npos);
}

TEST_CASE("Tags choose among the graphs of a SavedModel") {
  CHECK(Difference(kFolder + "tagged", "tagged/serve").empty());  // the only one with "serve"
  {
    const Tags tags("train");
    CHECK(Difference(kFolder + "tagged", "tagged/train").empty());
  }
  {
    const Tags tags("gpu,serve");
    CHECK(Difference(kFolder + "tagged", "tagged/serve").empty());
  }
  const Tags tags("serve");
  const std::string fault = Refusal(kFolder + "tagged");
  CHECK(fault.find("train; gpu,serve") != std::string::npos);
}

TEST_CASE("A table whose file is missing is named with the file") {
  const fs::path copy = fs::temp_directory_path() / ("openatc_tables_" + std::to_string(::getpid()));
  fs::remove_all(copy);
  fs::copy(kFolder + "tables", copy, fs::copy_options::recursive);
  fs::remove(copy / "assets/vocabulary.txt");
  CHECK(Refusal(copy.string()).find("vocabulary.txt") != std::string::npos);
  fs::remove_all(copy);
}

}  // namespace atc
