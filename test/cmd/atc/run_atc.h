// Runs the program as a user does, and tells what it printed, where to, and how it ended.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace atc::cli {

inline std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// A folder for the life of a test.
struct TestFolder {
  std::string path;

  TestFolder() {
    char name[] = "/tmp/openatc_atc_XXXXXX";
    path = mkdtemp(name);
  }
  ~TestFolder() { std::filesystem::remove_all(path); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  std::string File(const std::string& name, const std::string& content) const {
    std::ofstream(path + "/" + name, std::ios::binary) << content;
    return path + "/" + name;
  }
};

struct Result {
  int status = -1;
  std::string out, err;
};

using Environment = std::vector<std::pair<std::string, std::string>>;

// `environment` is added to that of the test; `cwd` is where the program runs, empty: where the test does.
inline Result RunAtc(const std::vector<std::string>& args, const Environment& environment = {},
                     const std::string& cwd = "") {
  const TestFolder folder;
  const pid_t pid = fork();
  if (pid == 0) {
    if (!freopen((folder.path + "/stdout").c_str(), "w", stdout) ||
        !freopen((folder.path + "/stderr").c_str(), "w", stderr) || (!cwd.empty() && chdir(cwd.c_str()) != 0)) {
      _exit(1);
    }
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> argv = {const_cast<char*>(OPENATC_ATC)};
    for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
    argv.push_back(nullptr);
    execv(OPENATC_ATC, argv.data());
    _exit(1);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadFile(folder.path + "/stdout"),
          ReadFile(folder.path + "/stderr")};
}

}  // namespace atc::cli
