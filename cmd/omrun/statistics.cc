#include "cmd/omrun/statistics.h"

#include <algorithm>
#include <numeric>

namespace atc::omrun {

double Quantile(const std::vector<double>& sorted, double fraction) {
  const double rank = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(rank);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (rank - static_cast<double>(below));
}

Latency Summarize(std::vector<double> milliseconds, const std::vector<double>& percentiles) {
  if (milliseconds.empty()) return {};
  std::sort(milliseconds.begin(), milliseconds.end());
  Latency latency;
  latency.min = milliseconds.front();
  latency.median = Quantile(milliseconds, 0.5);
  latency.p90 = Quantile(milliseconds, 0.9);
  latency.p99 = Quantile(milliseconds, 0.99);
  latency.mean = std::accumulate(milliseconds.begin(), milliseconds.end(), 0.0) / static_cast<double>(milliseconds.size());
  latency.max = milliseconds.back();
  for (const double percentile : percentiles) latency.wanted.push_back(Quantile(milliseconds, percentile / 100));
  return latency;
}

}  // namespace atc::omrun
