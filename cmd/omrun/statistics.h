// Order statistics of measured times.
#pragma once

#include <vector>

namespace atc::omrun {

struct Latency {  // milliseconds
  double min = 0, median = 0, p90 = 0, p99 = 0;
  double mean = 0, max = 0;
  std::vector<double> wanted;  // what Summarize was asked for
};

// Linear interpolation between the closest ranks, as numpy.percentile does by default. `fraction` in [0, 1];
// `sorted` ascending and not empty.
double Quantile(const std::vector<double>& sorted, double fraction);

// All zero for no times. `percentiles`: of 0 to 100, for Latency::wanted.
Latency Summarize(std::vector<double> milliseconds, const std::vector<double>& percentiles = {});

}  // namespace atc::omrun
