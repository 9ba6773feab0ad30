#include "cmd/omrun/input_binding.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "cmd/omrun/npy.h"
#include "cmd/omrun/options.h"

namespace atc::omrun {
namespace {

const std::vector<TensorInfo> kInputs = {
    {"x", ACL_FLOAT, ACL_FORMAT_ND, {1, 2}, 8},
    {"in:0", ACL_INT32, ACL_FORMAT_ND, {2}, 8},
    {"a=b", ACL_FLOAT, ACL_FORMAT_ND, {-1, 2}, 0},
};

// A folder with x.npy (float32 [1, 2]), i.npy (int32 [2]), d.npy (float32 [3, 2]), d.bin (24 bytes); gone afterwards.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("binding" + std::to_string(getpid()))) {
    std::filesystem::create_directory(path_);
    Write("x.npy", FormatNpy({ACL_FLOAT, {1, 2}, std::vector<std::byte>(8)}));
    Write("i.npy", FormatNpy({ACL_INT32, {2}, std::vector<std::byte>(8)}));
    Write("d.npy", FormatNpy({ACL_FLOAT, {3, 2}, std::vector<std::byte>(24)}));
    Write("d.bin", std::vector<std::byte>(24));
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const char* name) const { return (path_ / name).string(); }

 private:
  void Write(const char* name, const std::vector<std::byte>& bytes) {
    std::ofstream(path_ / name, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  std::filesystem::path path_;
};

std::string ErrorOf(const Options& options) {
  try {
    BindInputs(kInputs, options);
  } catch (const RunError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("arguments are split at an input's name, not at any '='") {
  const auto split = [](const char* text) { return SplitArgument(text, kInputs); };
  CHECK(split("x=f.npy") == std::pair<std::optional<size_t>, std::string>{0, "f.npy"});
  CHECK(split("x=dir/q=1/f.npy") == std::pair<std::optional<size_t>, std::string>{0, "dir/q=1/f.npy"});
  CHECK(split("in:0=f.npy") == std::pair<std::optional<size_t>, std::string>{1, "f.npy"});
  CHECK(split("a=b=f=1.npy") == std::pair<std::optional<size_t>, std::string>{2, "f=1.npy"});
  CHECK(split("q=1/f.npy") == std::pair<std::optional<size_t>, std::string>{std::nullopt, "q=1/f.npy"});
  CHECK(split("f.npy") == std::pair<std::optional<size_t>, std::string>{std::nullopt, "f.npy"});
}

TEST_CASE("files go to named inputs, the others in order") {
  const Folder folder;
  Options options;
  options.inputs = {folder / "x.npy", "a=b=" + folder / "d.npy", folder / "i.npy"};
  const std::vector<BoundInput> bound = BindInputs(kInputs, options);
  CHECK(bound[0].source == folder / "x.npy");
  CHECK(bound[1].source == folder / "i.npy");
  CHECK(bound[2].tensor.dims == Dims{3, 2});
}

TEST_CASE("a mismatch names input, shapes, types and bytes") {
  const Folder folder;
  Options options;
  options.seed_given = true;
  options.inputs = {"x=" + folder / "d.npy"};
  CHECK_THAT(ErrorOf(options),
             Catch::Contains("input 'x' does not fit: expected float32 [1, 2], 8 bytes, found float32 "
                             "[3, 2], 24 bytes in '" +
                             folder / "d.npy"));
  options.inputs = {"x=" + folder / "i.npy"};
  CHECK_THAT(ErrorOf(options), Catch::Contains("found int32 [2], 8 bytes"));
  options.inputs = {"x=" + folder / "d.bin"};
  CHECK_THAT(ErrorOf(options), Catch::Contains("found 24 bytes"));
  options.inputs = {"a=b=" + folder / "i.npy"};
  CHECK_THAT(ErrorOf(options), Catch::Contains("expected float32 [?, 2], found int32"));
}

TEST_CASE("wrong names, too many files and missing ones are told") {
  const Folder folder;
  Options options;
  options.inputs = {"y=" + folder / "x.npy"};
  CHECK_THAT(ErrorOf(options), Catch::Contains("neither an input 'y'") && Catch::Contains("'in:0'"));
  options.inputs = {folder / "x.npy"};
  CHECK_THAT(ErrorOf(options), Catch::Contains("input 'in:0' is missing: expected int32 [2], 8 bytes"));
  options.inputs = {"x=" + folder / "x.npy", "x=" + folder / "x.npy"};
  CHECK_THAT(ErrorOf(options), Catch::Contains("twice for input 'x'"));
  options.inputs = {"1.npy", "2.npy", "3.npy", "4.npy"};
  CHECK_THAT(ErrorOf(options), Catch::Contains("'4.npy' has no input to go to"));
}

TEST_CASE("open shapes come from the file, from --shape, or are 1") {
  const Folder folder;
  Options options;
  options.seed_given = true;
  CHECK(BindInputs(kInputs, options)[2].tensor.dims == Dims{1, 2});
  options.shapes = {"a=b=5,2"};
  CHECK(BindInputs(kInputs, options)[2].tensor.dims == Dims{5, 2});
  options.inputs = {"a=b=" + folder / "d.bin"};  // 24 bytes are no 5x2 floats
  CHECK_THAT(ErrorOf(options), Catch::Contains("does not fit"));
  options.shapes = {};
  CHECK(BindInputs(kInputs, options)[2].tensor.dims == Dims{3, 2});  // one open dim follows from the bytes
  options.shapes = {"a=b=5,3"};
  CHECK_THAT(ErrorOf(options), Catch::Contains("--shape [5, 3] for input 'a=b' does not fit its shape [?, 2]"));
  options.shapes = {"a=b=5,"};
  CHECK_THAT(ErrorOf(options), Catch::Contains("no list of dims"));
}

}  // namespace atc::omrun
