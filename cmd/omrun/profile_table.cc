#include "cmd/omrun/profile_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cmd/omrun/statistics.h"

namespace atc::omrun {

std::vector<OperatorTime> OperatorTimes(const std::vector<profile::ModelProfile>& profiles) {
  std::vector<OperatorTime> times;
  std::vector<std::vector<double>> ms;
  std::map<std::pair<uint32_t, std::string>, size_t> index;  // by task and name
  double all = 0;
  for (const profile::ModelProfile& model : profiles) {
    for (const profile::TaskTime& task : model.tasks) {
      if (task.kind != profile::TaskKind::kKernel) continue;
      const auto [at, added] = index.try_emplace({task.task, task.name}, times.size());
      if (added) {
        times.push_back({task.name, task.type, 0, 0, 0, 0, 0});
        ms.emplace_back();
      }
      ms[at->second].push_back(static_cast<double>(task.end_ns - task.start_ns) / 1e6);
      all += ms[at->second].back();
    }
  }
  for (size_t i = 0; i < times.size(); ++i) {
    OperatorTime& time = times[i];
    time.count = ms[i].size();
    for (const double one : ms[i]) time.total_ms += one;
    const Latency latency = Summarize(std::move(ms[i]));
    time.mean_ms = latency.mean;
    time.median_ms = latency.median;
    time.percent = all > 0 ? 100 * time.total_ms / all : 0;
  }
  return times;
}

std::string OperatorTable(const std::vector<OperatorTime>& times) {
  std::string text = fmt::format("{:>12} {:>12} {:>12} {:>8}  {}\n", "Time(ms)", "Avg.(ms)", "Median(ms)", "Time(%)", "Operator");
  OperatorTime sum;
  for (const OperatorTime& time : times) {
    text += fmt::format("{:>12.4f} {:>12.4f} {:>12.4f} {:>8.1f}  {} ({})\n", time.total_ms, time.mean_ms, time.median_ms,
                        time.percent, time.name, time.type);
    sum.total_ms += time.total_ms;
    sum.mean_ms += time.mean_ms;
    sum.median_ms += time.median_ms;
    sum.percent += time.percent;
  }
  return text + fmt::format("{:>12.4f} {:>12.4f} {:>12.4f} {:>8.1f}  Total of {} operators\n", sum.total_ms, sum.mean_ms,
                            sum.median_ms, sum.percent, times.size());
}

std::string OperatorJson(const std::vector<OperatorTime>& times) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  uint64_t runs = 0;
  for (const OperatorTime& time : times) runs = std::max(runs, time.count);
  list.push_back({{"count", runs}});
  for (const OperatorTime& time : times) {
    list.push_back({{"name", time.name},
                    {"type", time.type},
                    {"timeMs", time.total_ms},
                    {"averageMs", time.mean_ms},
                    {"medianMs", time.median_ms},
                    {"percentage", time.percent}});
  }
  return list.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace atc::omrun
