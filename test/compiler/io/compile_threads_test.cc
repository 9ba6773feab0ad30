#include "compiler/io/compile_threads.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace atc {
namespace {

TEST_CASE("every number is worked on once, with any number of threads") {
  for (const size_t threads : {1, 2, 7, 100}) {
    std::vector<int> done(50, 0);
    CHECK(ForEachOnThreads(done.size(), threads, [&](size_t i) { ++done[i]; }) == nullptr);
    CHECK(done == std::vector<int>(50, 1));
  }
  CHECK(ForEachOnThreads(0, 4, [](size_t) { throw std::runtime_error("none"); }) == nullptr);
}

TEST_CASE("of what is thrown, that of the smallest number is told") {
  const auto told = [](size_t threads) -> std::string {
    try {
      std::rethrow_exception(ForEachOnThreads(20, threads, [](size_t i) {
        if (i >= 5) throw std::runtime_error(std::to_string(i));
      }));
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  };
  CHECK(told(1) == "5");
  CHECK(told(4) == "5");
}

TEST_CASE("a team works again and again, also after a fault") {
  CompileTeam team(3);
  for (size_t count = 0; count < 200; ++count) {
    std::vector<int> done(count, 0);
    CHECK(team.ForEach(count, [&](size_t i) { ++done[i]; }) == nullptr);
    CHECK(done == std::vector<int>(count, 1));
    if (count % 50 == 0) CHECK(team.ForEach(3, [](size_t) { throw std::runtime_error("once"); }) != nullptr);
  }
}

TEST_CASE("the variable's number of threads, and what it falls back to") {
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  unsetenv("MAX_COMPILE_CORE_NUMBER");
  CHECK(CompileThreads(1) == 1);
  CHECK(CompileThreads(1000) == cores);
  for (const auto& [text, wanted] : std::vector<std::pair<const char*, size_t>>{
           {"1", 1}, {"100000", cores}, {"0", 1}, {"-3", 1}, {"two", 1}, {"", 1}}) {
    setenv("MAX_COMPILE_CORE_NUMBER", text, 1);
    CHECK(CompileThreads(1) == wanted);
  }
  unsetenv("MAX_COMPILE_CORE_NUMBER");
}

}  // namespace
}  // namespace atc
