#include "cmd/omrun/statistics.h"

#include <algorithm>

namespace atc::omrun {

double Quantile(const std::vector<double>& sorted, double fraction) {
  const double rank = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(rank);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (rank - static_cast<double>(below));
}

Latency Summarize(std::vector<double> milliseconds) {
  if (milliseconds.empty()) return {};
  std::sort(milliseconds.begin(), milliseconds.end());
  return {milliseconds.front(), Quantile(milliseconds, 0.5), Quantile(milliseconds, 0.9), Quantile(milliseconds, 0.99)};
}

}  // namespace atc::omrun
