#include "cmd/omrun/output_files.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cmd/omrun/tensor.h"

namespace atc::omrun {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() : path(fs::temp_directory_path() / ("outputs" + std::to_string(getpid()))) { fs::create_directory(path); }
  ~Folder() { fs::remove_all(path); }
  size_t count() const { return std::distance(fs::directory_iterator(path), fs::directory_iterator()); }
  const fs::path path;
};

std::string Read(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("files appear at Commit, all together") {
  const Folder folder;
  {
    OutputFiles files;
    files.MakeFolder(folder.path / "a/b");
    const size_t one = files.Reserve(folder.path / "a/b/1"), two = files.Reserve(folder.path / "a/b/2");
    files.Fill(two, std::string("two"));
    files.Fill(one, std::string("one"));
    CHECK_FALSE(fs::exists(folder.path / "a/b/1"));
    files.Commit();
  }
  CHECK(Read(folder.path / "a/b/1") == "one");
  CHECK(Read(folder.path / "a/b/2") == "two");
  CHECK(std::distance(fs::directory_iterator(folder.path / "a/b"), fs::directory_iterator()) == 2);
}

TEST_CASE("without Commit nothing is left and old files stay") {
  const Folder folder;
  std::ofstream(folder.path / "old") << "old";
  {
    OutputFiles files;
    files.MakeFolder(folder.path / "a/b");
    files.Fill(files.Reserve(folder.path / "a/b/1"), std::string("one"));
    files.Fill(files.Reserve(folder.path / "old"), std::string("new"));
  }
  CHECK(folder.count() == 1);
  CHECK(Read(folder.path / "old") == "old");
  OutputFiles files;
  files.Reserve(folder.path / "x");
  files.Discard();
  CHECK(folder.count() == 1);
  CHECK_THROWS_AS(files.Reserve(folder.path / "x"), RunError);
  CHECK_THROWS_AS(files.Commit(), RunError);
}

TEST_CASE("places that cannot be written to are told before any work") {
  const Folder folder;
  OutputFiles files;
  CHECK_THROWS_WITH(files.Reserve(folder.path), Catch::Contains("it is a folder"));
  CHECK_THROWS_WITH(files.Reserve(folder.path / "none/x"), Catch::Contains("No such file"));
  std::ofstream(folder.path / "file") << "";
  CHECK_THROWS_WITH(files.MakeFolder(folder.path / "file"), Catch::Contains("not a folder"));
  CHECK_THROWS_WITH(files.MakeFolder(folder.path / "file/b"), Catch::Contains("cannot make the folder"));
}

TEST_CASE("a full disk leaves nothing") {
  if (!fs::exists("/dev/full")) {
    WARN("SKIPPED: this system has no /dev/full");
    return;
  }
  const Folder folder;
  OutputFiles files;
  files.Fill(files.Reserve(folder.path / "x"), std::string("x"));
  files.Fill(files.Reserve("/dev/full"), std::string("y"));
  CHECK_THROWS_WITH(files.Commit(), Catch::Contains("/dev/full") && Catch::Contains("No space left"));
  CHECK(folder.count() == 0);
  CHECK(fs::exists("/dev/full"));
}

}  // namespace atc::omrun
