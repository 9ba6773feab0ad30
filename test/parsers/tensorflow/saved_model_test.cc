// SavedModels and text files as TensorFlow writes them (test/dev/tensorflow_goldens.py), and what is wrong with damaged ones.
#include <catch2/catch.hpp>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "compiler/ir/error_block.h"
#include "compiler/ops/evaluator.h"
#include "compiler/ops/inference.h"
#include "parsers/onnx/parser.h"
#include "test/parsers/tensorflow/cases.h"

namespace atc {
namespace {

using namespace tf_cases;
namespace fs = std::filesystem;

constexpr const char* kFolder = "test/parsers/tensorflow/";

// OPENATC_TF_SIGNATURE, for a scope.
class Signature {
 public:
  explicit Signature(const std::string& name) { ::setenv("OPENATC_TF_SIGNATURE", name.c_str(), 1); }
  ~Signature() { ::unsetenv("OPENATC_TF_SIGNATURE"); }
};

// A copy of a SavedModel that may be damaged.
class Copy {
 public:
  explicit Copy(const std::string& model) : folder_(fs::temp_directory_path() / ("openatc_saved_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::copy(kFolder + std::string("saved/") + model, folder_, fs::copy_options::recursive);
  }
  ~Copy() { fs::remove_all(folder_); }

  std::string folder() const { return folder_.string(); }
  std::string path(const char* file) const { return (folder_ / file).string(); }
  std::string Read(const char* file) const {
    std::ifstream in(folder_ / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void Write(const char* file, const std::string& bytes) const {
    std::ofstream(folder_ / file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

 private:
  fs::path folder_;
};

std::string Outcome(const std::string& path) {
  try {
    const std::unique_ptr<Graph> graph = ParseTensorFlow(path, {}, nullptr);
    graph->Verify();
    InferShapes(*graph);
    return "";
  } catch (const Error& error) {
    CHECK(!error.diagnostic().code.empty());
    return ErrorBlock(error.diagnostic(), {});
  }
}

bool Holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void CheckValues(const std::string& model, const std::string& path, const Members& members) {
  std::unique_ptr<Graph> graph = ParseTensorFlow(path, {}, nullptr);
  graph->Verify();
  InferShapes(*graph);
  const std::string difference = FirstDifference(Evaluate(*graph, Inputs(*graph, members)), members, {1e-4, 1e-5});
  INFO(model << ": " << difference);
  CHECK(difference.empty());
}

constexpr const char* kIndex = "variables/variables.index";
constexpr const char* kData = "variables/variables.data-00000-of-00001";

}  // namespace

TEST_CASE("SavedModels give the values of TensorFlow, by each of their signatures") {
  const auto cases = ReadCases(kFolder + std::string("saved.npz"));
  CHECK(cases.size() == 6);
  for (const auto& [name, members] : cases) {
    const size_t slash = name.find('/');
    const Signature chosen(name.substr(slash + 1));
    CheckValues(name, kFolder + ("saved/" + name.substr(0, slash)), members);
  }
}

TEST_CASE("A SavedModel is named by its folder or by the file in it") {
  const auto cases = ReadCases(kFolder + std::string("saved.npz"));
  const Members& members = cases.at("keras_dense/serving_default");
  CheckValues("folder", kFolder + std::string("saved/keras_dense"), members);
  CheckValues("file", kFolder + std::string("saved/keras_dense/saved_model.pb"), members);
}

TEST_CASE("A frozen graph as text gives the values of the SavedModel") {
  Members members = ReadCases(kFolder + std::string("saved.npz")).at("keras_dense/serving_default");
  for (auto& [name, tensor] : Members(members)) {
    if (!name.starts_with("out_")) members["x"] = tensor;
  }
  CheckValues("text", kFolder + std::string("dense.pbtxt"), members);
}

TEST_CASE("Without a default signature the others are listed") {
  const std::string fault = Outcome(kFolder + std::string("saved/signatures"));
  CHECK(Holds(fault, "decode, encode"));
  CHECK(Holds(fault, "OPENATC_TF_SIGNATURE"));
  const Signature wrong("score");
  CHECK(Holds(Outcome(kFolder + std::string("saved/signatures")), "score"));
}

TEST_CASE("SavedModels that lack a part are told which") {
  {
    const Copy copy("keras_dense");
    fs::remove_all(copy.path("variables"));
    const std::string fault = Outcome(copy.folder());
    CHECK(Holds(fault, "no variables/variables.index"));
  }
  {
    const Copy copy("keras_dense");
    fs::remove(copy.path(kData));
    CHECK(Holds(Outcome(copy.folder()), "variables.data-00000-of-00001"));
  }
  {
    const Copy copy("keras_dense");
    fs::remove(copy.path("saved_model.pb"));
    CHECK(Holds(Outcome(copy.folder()), "no saved_model.pb"));
  }
  {
    const Copy copy("keras_dense");
    copy.Write(kData, copy.Read(kData).substr(0, 100));
    CHECK(Holds(Outcome(copy.folder()), "outside of"));
  }
}

TEST_CASE("Files of another kind are told what they are, with the cure") {
  const Copy copy("keras_dense");
  CHECK(Holds(Outcome(copy.path(kIndex)), "checkpoint"));
  CHECK(Holds(Outcome(copy.path(kData)), "checkpoint"));
  copy.Write("checkpoint", "model_checkpoint_path: \"variables\"\n");
  CHECK(Holds(Outcome(copy.path("checkpoint")), "checkpoint"));
  fs::rename(copy.path("saved_model.pb"), copy.path("model.pb"));
  CHECK(Holds(Outcome(copy.path("model.pb")), "SavedModel"));
  // A TensorFlow model given as ONNX.
  const auto cases = ReadCases(kFolder + std::string("cases.npz"));
  for (const std::string& bytes : {Text(cases.at("Relu").at("graph")), copy.Read("model.pb")}) {
    try {
      ParseOnnxBytes("model.onnx", bytes, {}, nullptr);
      FAIL("taken for ONNX");
    } catch (const Error& error) {
      CHECK(Holds(ErrorBlock(error.diagnostic(), {}), "--framework=3"));
    }
  }
}

TEST_CASE("Damaged SavedModels are read or refused") {
  std::mt19937 random(11);  // the numbers of this engine are fixed by the standard
  int refused = 0, all = 0;
  for (const char* model : {"keras_dense", "signatures", "version_1"}) {
    const Signature chosen(model == std::string("signatures") ? "encode" : "serving_default");
    const Copy copy(model);
    for (const char* file : {"saved_model.pb", kIndex, kData}) {
      const std::string whole = copy.Read(file);
      for (int i = 0; i < 40; ++i, ++all) {
        std::string changed = whole;
        if (i % 4 == 0) changed.resize(random() % whole.size());
        for (uint32_t n = i % 4 == 0 ? 0 : 1 + random() % 3; n > 0; --n) {
          changed[random() % changed.size()] = static_cast<char>(random() % 256);
        }
        copy.Write(file, changed);
        refused += !Outcome(copy.folder()).empty();
      }
      copy.Write(file, whole);
    }
    CHECK(Outcome(copy.folder()).empty());
  }
  CHECK(all == 360);
  CHECK(refused > all / 5);
}

}  // namespace atc
