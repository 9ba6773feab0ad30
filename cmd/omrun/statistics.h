// Order statistics of measured times.
#pragma once

#include <vector>

namespace atc::omrun {

struct Latency {  // milliseconds
  double min = 0, median = 0, p90 = 0, p99 = 0;
};

// Linear interpolation between the closest ranks, as numpy.percentile does by default. `fraction` in [0, 1];
// `sorted` ascending and not empty.
double Quantile(const std::vector<double>& sorted, double fraction);

// All zero for no times.
Latency Summarize(std::vector<double> milliseconds);

}  // namespace atc::omrun
