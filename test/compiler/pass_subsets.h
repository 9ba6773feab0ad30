// Which passes run in the tests that compare what is compiled under different ones.
#pragma once

#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/pipeline.h"

namespace atc::test {

using PassSet = std::set<std::string_view>;

struct PassSubset {
  std::string name;
  PassSet on;
};

inline PassSwitches SwitchesOf(const PassSet& on) {
  PassSwitches switches;
  for (const PassInfo& pass : KnownPasses()) switches.Set(pass.name, on.contains(pass.name));
  return switches;
}

// No pass, all, each alone, all but one, and `random_ones` seeded subsets.
inline std::vector<PassSubset> PassSubsets(uint32_t seed, int random_ones) {
  PassSet all;
  for (const PassInfo& pass : KnownPasses()) all.insert(pass.name);
  std::vector<PassSubset> subsets = {{"none", {}}, {"all", all}};
  for (const std::string_view pass : all) {
    subsets.push_back({"only " + std::string(pass), {pass}});
    PassSet rest = all;
    rest.erase(pass);
    subsets.push_back({"all but " + std::string(pass), rest});
  }
  std::mt19937 random(seed);
  for (int i = 0; i < random_ones; ++i) {
    PassSet some;
    for (const std::string_view pass : all) {
      if (random() % 2 == 0) some.insert(pass);
    }
    subsets.push_back({"subset " + std::to_string(i), some});
  }
  return subsets;
}

}  // namespace atc::test
