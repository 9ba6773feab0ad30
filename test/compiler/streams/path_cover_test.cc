#include "compiler/streams/path_cover.h"

#include <catch2/catch.hpp>
#include <random>

using namespace atc;

namespace {

using Paths = std::vector<std::vector<uint32_t>>;

// The fewest paths, by trying for each node every successor or none.
size_t Fewest(const Paths& after, uint32_t node, uint32_t taken) {
  if (node == after.size()) return 0;
  size_t best = 1 + Fewest(after, node + 1, taken);  // a path ends here
  for (const uint32_t to : after[node]) {
    if (!(taken >> to & 1)) best = std::min(best, Fewest(after, node + 1, taken | 1u << to));
  }
  return best;
}

}  // namespace

TEST_CASE("a diamond takes two paths, a chain one, an empty graph none") {
  CHECK(MinimumPathCover({{1, 2}, {3}, {3}, {}}) == Paths{{0, 1, 3}, {2}});
  CHECK(MinimumPathCover({{1}, {2}, {}}) == Paths{{0, 1, 2}});
  CHECK(MinimumPathCover({}) == Paths{});
}

TEST_CASE("a first choice is taken back where that saves a path") {
  // 0 could go to 2 or 3, 1 to 2 alone.
  CHECK(MinimumPathCover({{2, 3}, {2}, {}, {}}) == Paths{{0, 3}, {1, 2}});
}

TEST_CASE("covers of random graphs hold each node once, follow edges, and are the smallest by trying all") {
  for (uint32_t seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    const size_t count = 2 + seed % 9;
    Paths after(count);
    for (uint32_t i = 0; i < count; ++i) {
      for (uint32_t j = i + 1; j < count; ++j) {
        if (random() % 3 == 0) after[i].push_back(j);
      }
    }
    const Paths paths = MinimumPathCover(after);
    INFO("seed " << seed);
    std::vector<int> times(count, 0);
    for (const auto& path : paths) {
      for (size_t i = 0; i < path.size(); ++i) {
        ++times[path[i]];
        if (i > 0) CHECK(std::count(after[path[i - 1]].begin(), after[path[i - 1]].end(), path[i]) == 1);
      }
    }
    CHECK(times == std::vector<int>(count, 1));
    CHECK(paths.size() == Fewest(after, 0, 0));
  }
}

TEST_CASE("a path as long as a large graph is found without recursion") {
  Paths after(100000);
  for (uint32_t i = 0; i + 1 < after.size(); ++i) after[i].push_back(i + 1);
  CHECK(MinimumPathCover(after).size() == 1);
}
