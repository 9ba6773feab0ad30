// The time of each operator of a profile: on the terminal and as JSON.
#pragma once

#include <string>
#include <vector>

#include "backend/profile/profile.h"

namespace atc::omrun {

struct OperatorTime {
  std::string name, type;
  uint64_t count = 0;
  double total_ms = 0, mean_ms = 0, median_ms = 0, percent = 0;
};

// One for each kernel of the plan, in the order of the first run; all copies of the model together.
std::vector<OperatorTime> OperatorTimes(const std::vector<profile::ModelProfile>& profiles);

// A line each under titles, and one of the sums.
std::string OperatorTable(const std::vector<OperatorTime>& times);

// [{"count": runs}, {"name", "type", "timeMs", "averageMs", "medianMs", "percentage"}, ...]
std::string OperatorJson(const std::vector<OperatorTime>& times);

}  // namespace atc::omrun
