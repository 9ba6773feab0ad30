#include "compiler/om/external_weights.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "compiler/io/output_file.h"
#include "compiler/ir/error.h"
#include "compiler/om/proto_attr.h"
#include "compiler/om/reader.h"
#include "compiler/om/writer.h"
#include "test/compiler/om/sample_model.h"

using namespace atc;
namespace fs = std::filesystem;

namespace {

struct Folder {
  std::string path;
  Folder() {
    char name[] = "/tmp/openatc_weights_XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { fs::remove_all(path); }

  // Writes the sample; returns the path of the om.
  std::string Write(ExternalWeight kind, bool keep = true) const {
    const std::string om = path + "/m.om";
    OutputFile file(om);
    const auto weights = WriteOm(SampleModel(), file, kind, om);
    file.Commit();
    if (keep) weights->Keep();
    return om;
  }
  std::vector<std::string> Weights() const {
    std::vector<std::string> names;
    if (!fs::exists(path + "/weight")) return names;
    for (const auto& entry : fs::directory_iterator(path + "/weight")) names.push_back(entry.path().filename());
    return names;
  }
};

std::string BadWindow(const std::string& om, const std::string& location, int64_t offset, int64_t length) {
  try {
    ExternalFiles(om).Window(location, offset, length);
  } catch (const BadMessage& bad) {
    return bad.what;
  } catch (const Error& error) {
    return error.diagnostic().code;
  }
  return "";
}

}  // namespace

TEST_CASE("a model whose weights lie outside reads as the one that holds them") {
  for (const ExternalWeight kind : {ExternalWeight::kFilePerWeight, ExternalWeight::kOneFile}) {
    const Folder folder;
    const OmModel read = ReadOm(folder.Write(kind));
    CHECK(WriteOm(read) == WriteOm(SampleModel()));
    CHECK(folder.Weights().empty() == false);
  }
}

TEST_CASE("one file is named by the model, many by their contents") {
  const Folder one;
  one.Write(ExternalWeight::kOneFile);
  CHECK(one.Weights() == std::vector<std::string>{SampleModel().name + "_weight_combined"});
  const Folder many;
  many.Write(ExternalWeight::kFilePerWeight);
  for (const std::string& name : many.Weights()) {
    CHECK(name.starts_with("weight_"));
    CHECK(name.size() == std::string("weight_").size() + 64);
  }
}

TEST_CASE("weights of a conversion that fails do not stay") {
  for (const ExternalWeight kind : {ExternalWeight::kFilePerWeight, ExternalWeight::kOneFile}) {
    const Folder folder;
    folder.Write(kind, /*keep=*/false);
    CHECK(folder.Weights().empty());
  }
}

TEST_CASE("a weight file that was changed, cut or lost is told") {
  const Folder folder;
  const std::string om = folder.Write(ExternalWeight::kOneFile);
  const std::string file = folder.path + "/weight/" + folder.Weights()[0];
  const auto size = fs::file_size(file);
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).put('\x7f');
  CHECK_THROWS_WITH(ReadOm(om), Catch::Contains("E10041"));
  fs::resize_file(file, size - 1);
  CHECK_THROWS_WITH(ReadOm(om), Catch::Contains("E10041"));
  fs::remove(file);
  CHECK_THROWS_WITH(ReadOm(om), Catch::Contains("E13001"));
}

TEST_CASE("an om may not name files outside of its folder") {
  const Folder folder;
  const std::string om = folder.Write(ExternalWeight::kOneFile);
  std::ofstream(folder.path + "/secret") << "x";
  CHECK(BadWindow(om, "secret", 0, 1) == "");
  CHECK_FALSE(BadWindow(om, "/etc/passwd", 0, 1) == "");
  CHECK_FALSE(BadWindow(om, "weight/../../x", 0, 1) == "");
  CHECK_FALSE(BadWindow(om, "..", 0, 1) == "");
  CHECK_FALSE(BadWindow(om, "", 0, 1) == "");
  CHECK_FALSE(BadWindow(om, std::string("secret\0x", 8), 0, 1) == "");
  CHECK_FALSE(BadWindow(om, "secret", -1, 1) == "");
  CHECK_FALSE(BadWindow(om, "secret", 0, 2) == "");
  CHECK_FALSE(BadWindow(om, "secret", INT64_MAX, INT64_MAX) == "");
  CHECK_FALSE(BadWindow("", "secret", 0, 1) == "");
}
