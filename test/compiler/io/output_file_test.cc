#include "compiler/io/output_file.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "compiler/ir/error.h"

namespace atc {
namespace {

namespace fs = std::filesystem;

struct TemporaryFolder {
  fs::path path;
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "openatc_test_XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~TemporaryFolder() { fs::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
  size_t entries() const { return std::distance(fs::directory_iterator(path), fs::directory_iterator()); }
};

std::string Read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string CodeOf(auto&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.diagnostic().code;
  }
  return "";
}

TEST_CASE("a file appears only when it is committed") {
  TemporaryFolder folder;
  const std::string path = folder / "m.om";
  {
    OutputFile file(path);
    file.Write("abc");
    CHECK_FALSE(fs::exists(path));
    CHECK(folder.entries() == 1);
    const std::string large(1 << 20, 'x');
    file.Write(large);
    file.Write("d");
    CHECK(file.size() == large.size() + 4);
    file.Commit();
    CHECK(Read(path) == "abc" + large + "d");
    CHECK(folder.entries() == 1);
  }
  {
    OutputFile file(path);
    file.Write("other");
  }
  CHECK(Read(path).substr(0, 3) == "abc");
  CHECK(folder.entries() == 1);
}

TEST_CASE("permissions are the ones asked for") {
  TemporaryFolder folder;
  OutputFile file(folder / "dump.txt", 0600);
  file.Commit();
  struct stat info;
  REQUIRE(stat(file.path().c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
}

TEST_CASE("a link is followed, a device is written and not replaced") {
  TemporaryFolder folder;
  std::ofstream(folder / "real") << "old";
  fs::create_symlink("real", folder / "link");
  OutputFile file(folder / "link");
  file.Write("new");
  file.Commit();
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(Read(folder / "real") == "new");

  OutputFile device("/dev/null");
  device.Write("x");
  device.Commit();
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("failures name the path and the reason") {
  TemporaryFolder folder;
  CHECK(CodeOf([&] { OutputFile file(folder / "missing/m.om"); }) == "E13001");
  CHECK(CodeOf([&] { OutputFile file(folder.path.string()); }) == "E13001");
  CHECK(CodeOf([&] { OutputFile file(""); }) == "E13001");
  CHECK(CodeOf([&] { OutputFile file(folder / std::string(300, 'n').c_str()); }) == "E13001");
  CHECK(folder.entries() == 0);
  if (fs::is_character_file("/dev/full")) {
    OutputFile full("/dev/full");
    full.Write("x");
    try {
      full.Commit();
      FAIL("the disk is full");
    } catch (const Error& error) {
      CHECK(error.diagnostic().code == "E13004");
      CHECK(error.diagnostic().args[0].second == "/dev/full");
      CHECK(error.diagnostic().args[1].second == "No space left on device");
    }
  }
}

TEST_CASE("a signal handler removes what is unfinished") {
  TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGTERM, [](int) {
      UnlinkUnfinishedFiles();
      _exit(3);
    });
    OutputFile file(folder / "m.om");
    file.Write(std::string(1 << 20, 'x'));
    raise(SIGTERM);
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 3);
  CHECK(folder.entries() == 0);
}

TEST_CASE("a signal handler leaves nothing of threads that go on making files") {
  TemporaryFolder folder;
  for (int round = 0; round < 20; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      std::signal(SIGTERM, [](int) {
        UnlinkUnfinishedFiles();
        // The others go on until then.
        usleep(1000);
        _exit(3);
      });
      std::vector<std::thread> threads;
      for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&folder, i] {
          try {
            while (true) {
              OutputFile file(folder / std::to_string(i).c_str());
              file.Write("x");
              if (i > 0) file.Commit();
            }
          } catch (const Error&) {  // the handler has taken the file away that was to be finished
            while (true) pause();
          }
        });
      }
      usleep(500 + 100 * round);
      kill(getpid(), SIGTERM);
      for (std::thread& thread : threads) thread.join();
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WEXITSTATUS(status) == 3);
  }
  for (const auto& entry : fs::directory_iterator(folder.path)) CHECK(entry.path().filename().string()[0] != '.');
}

TEST_CASE("a folder that gets another name keeps no temporary file") {
  TemporaryFolder folder;
  const auto move_away = [&] { fs::rename(folder / "here", folder / "there"); };
  const auto left = [&] { return std::distance(fs::directory_iterator(folder / "there"), fs::directory_iterator()); };
  fs::create_directory(folder / "here");
  SECTION("of a file that is given up") {
    {
      OutputFile file(folder / "here/m.om");
      file.Write("x");
      move_away();
    }
    CHECK(left() == 0);
  }
  SECTION("of a file that is finished: it is where its folder is, and another folder of the old name is not its own") {
    OutputFile file(folder / "here/m.om");
    file.Write("x");
    move_away();
    fs::create_directory(folder / "here");
    file.Commit();
    CHECK(left() == 1);
    CHECK(Read(folder / "there/m.om") == "x");
    CHECK(fs::is_empty(folder / "here"));
  }
  SECTION("of a process that a signal ends") {
    const pid_t child = fork();
    if (child == 0) {
      std::signal(SIGTERM, [](int) {
        UnlinkUnfinishedFiles();
        _exit(3);
      });
      OutputFile file(folder / "here/m.om");
      move_away();
      raise(SIGTERM);
      _exit(0);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WEXITSTATUS(status) == 3);
    CHECK(left() == 0);
  }
  SECTION("of a folder that is gone: the fault is told") {
    OutputFile file(folder / "here/m.om");
    fs::remove_all(folder / "here");
    CHECK(CodeOf([&] { file.Commit(); }) == "E13004");
    CHECK(folder.entries() == 0);
  }
}

TEST_CASE("parent folders are made") {
  TemporaryFolder folder;
  MakeParentFolders(folder / "a/b/c.om");
  CHECK(fs::is_directory(folder / "a/b"));
  CHECK_FALSE(fs::exists(folder / "a/b/c.om"));
  std::ofstream(folder / "file") << "x";
  CHECK(CodeOf([&] { MakeParentFolders(folder / "file/b/c.om"); }) == "E13001");
}

}  // namespace
}  // namespace atc
