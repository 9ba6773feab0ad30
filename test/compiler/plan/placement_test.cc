#include "compiler/plan/placement.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "compiler/plan/lower_bound.h"

using namespace atc;

namespace {

struct Interval {
  int64_t begin, end, size;  // needed from begin to before end
};

// The same as tasks of one stream: each buffer is written by the task at its begin.
struct Instance {
  HappensBefore order;
  Lifetimes lifetimes;

  explicit Instance(std::vector<Interval> intervals) : order(HappensBefore::Serial(Last(intervals))), lifetimes(order) {
    std::stable_sort(intervals.begin(), intervals.end(),
                     [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
    for (const Interval& i : intervals) {
      const auto last = static_cast<NodeId>(i.end - 1);
      lifetimes.Add(i.size, static_cast<NodeId>(i.begin), std::span(&last, 1));
    }
  }
  Instance(const Instance&) = delete;

  static uint32_t Last(const std::vector<Interval>& intervals) {
    int64_t last = 0;
    for (const Interval& i : intervals) last = std::max(last, i.end);
    return static_cast<uint32_t>(last);
  }
};

bool Valid(const Lifetimes& lifetimes, const Placement& placement) {
  for (size_t a = 0; a < lifetimes.count(); ++a) {
    if (placement.offset[a] < 0 || placement.offset[a] + lifetimes.Size(a) > placement.total) return false;
    for (size_t b = 0; b < a; ++b) {
      const bool meet =
          lifetimes.WriteLaunch(a) <= lifetimes.LastLaunch(b) && lifetimes.WriteLaunch(b) <= lifetimes.LastLaunch(a);
      if (meet && placement.offset[a] < placement.offset[b] + lifetimes.Size(b) &&
          placement.offset[b] < placement.offset[a] + lifetimes.Size(a)) {
        return false;
      }
    }
  }
  return true;
}

std::vector<Interval> Read(const std::string& path) {
  std::vector<Interval> intervals;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    long long id, begin, end, size;
    if (std::sscanf(line.c_str(), "%lld,%lld,%lld,%lld", &id, &begin, &end, &size) == 4)
      intervals.push_back({begin, end, size});
  }
  return intervals;
}

}  // namespace

TEST_CASE("all placements of random intervals are valid, and none is below the bound") {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<Interval> intervals;
    for (int i = 0; i < 30; ++i) {
      const int64_t begin = random() % 30;
      intervals.push_back(
          {begin, begin + 1 + static_cast<int64_t>(random() % 10), 512 * (1 + static_cast<int64_t>(random() % 20))});
    }
    const Instance instance(intervals);
    const LowerBound bound = FindLowerBound(instance.lifetimes);
    CHECK(bound.exact);
    const Placement walked = PlaceInLaunchOrder(instance.lifetimes);
    const Placement best = PlaceBuffers(instance.lifetimes, bound.bytes);
    INFO("round " << round);
    CHECK(Valid(instance.lifetimes, walked));
    CHECK(Valid(instance.lifetimes, best));
    CHECK(best.total <= walked.total);
    const auto fitted = PlaceFirstFit(instance.lifetimes, 1 << 20);
    REQUIRE(fitted);
    CHECK(Valid(instance.lifetimes, *fitted));
    CHECK(best.total <= fitted->total);
    CHECK_FALSE(PlaceFirstFit(instance.lifetimes, 10));
    CHECK(best.total >= bound.bytes);
    const auto searched = PlaceBySearch(instance.lifetimes, walked.total, 1 << 20);
    if (searched) CHECK(Valid(instance.lifetimes, *searched));
  }
}

TEST_CASE("the search finds what no placement in one order of arrival does, and sees where there is none") {
  // Two long ones that must lie at opposite ends for a third, in the middle of time, to fit between them.
  const Instance instance({{0, 2, 4}, {1, 4, 2}, {3, 6, 4}, {2, 3, 4}, {0, 1, 2}, {4, 6, 2}});
  const auto found = PlaceBySearch(instance.lifetimes, 6, 1 << 16);
  REQUIRE(found);
  CHECK(found->total == 6);
  CHECK(Valid(instance.lifetimes, *found));
  CHECK_FALSE(PlaceBySearch(instance.lifetimes, 5, 1 << 16));
}

TEST_CASE("challenging instances fit the capacity that is known to hold them, in a bounded number of steps") {
  const char* corpus = std::getenv("OPENATC_CORPUS");
  const std::string folder = std::string(corpus != nullptr ? corpus : "../shared/corpus") + "/minimalloc/";
  if (!std::ifstream(folder + "F.1048576.csv")) {
    WARN("SKIPPED: " << folder << " is not there; set OPENATC_CORPUS");
    return;
  }
  for (const char* name : {"B", "D", "F", "J"}) {
    const Instance instance(Read(folder + name + ".1048576.csv"));
    const auto found = PlaceBySearch(instance.lifetimes, 1048576, size_t{1} << 27);
    INFO(name);
    REQUIRE(found.has_value());
    CHECK(found->total <= 1048576);
    CHECK(Valid(instance.lifetimes, *found));
  }
}
