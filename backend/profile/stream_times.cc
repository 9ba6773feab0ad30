#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "backend/profile/profile.h"

namespace atc::profile {
namespace {

struct Span {
  uint64_t start, end;
};

// Overlapping spans joined, in order.
std::vector<Span> Joined(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.start < b.start; });
  std::vector<Span> joined;
  for (const Span& span : spans) {
    if (!joined.empty() && span.start <= joined.back().end) joined.back().end = std::max(joined.back().end, span.end);
    else joined.push_back(span);
  }
  return joined;
}

// How much of [start, end) the joined spans cover.
uint64_t Covered(const std::vector<Span>& spans, uint64_t start, uint64_t end) {
  uint64_t covered = 0;
  auto at = std::upper_bound(spans.begin(), spans.end(), start, [](uint64_t t, const Span& span) { return t < span.end; });
  for (; at != spans.end() && at->start < end; ++at) covered += std::min(end, at->end) - std::max(start, at->start);
  return covered;
}

struct Run {
  Span whole{UINT64_MAX, 0};                             // from its first to its last task
  std::map<int64_t, uint64_t> recorded;                  // by event: when its record was over
  std::map<uint32_t, std::vector<const TaskTime*>> streams;
};

}  // namespace

std::vector<StreamTime> StreamTimes(const ModelProfile& model) {
  std::map<uint32_t, Run> runs;
  std::map<uint32_t, StreamTime> times;
  std::vector<Span> kernels;
  for (const TaskTime& task : model.tasks) {
    Run& run = runs[task.run];
    run.whole.start = std::min(run.whole.start, task.start_ns);
    run.whole.end = std::max(run.whole.end, task.end_ns);
    if (task.kind == TaskKind::kEventRecord) run.recorded[task.event] = task.end_ns;
    if (task.kind == TaskKind::kKernel) kernels.push_back({task.start_ns, task.end_ns});
    run.streams[task.stream].push_back(&task);
    times[task.stream].stream = task.stream;
  }
  const std::vector<Span> busy = Joined(std::move(kernels));  // of any stream: one's own does not overlap its gaps
  const Run* last = nullptr;
  for (const auto& [number, run] : runs) {
    for (auto& [stream, time] : times) {
      if (last != nullptr && run.whole.start > last->whole.end) time.for_host += run.whole.start - last->whole.end;
      uint64_t free_at = run.whole.start;
      const auto tasks = run.streams.find(stream);
      if (tasks != run.streams.end()) {
        for (const TaskTime* task : tasks->second) {
          // The event was there at `ready`, whenever the wait itself had its turn.
          if (task->kind == TaskKind::kEventWait) {
            const auto record = run.recorded.find(task->event);
            const uint64_t ready = record == run.recorded.end() ? free_at : std::min(record->second, task->end_ns);
            if (ready > free_at) {
              time.for_data += ready - free_at;
              free_at = ready;
            }
            continue;
          }
          if (task->start_ns > free_at) {
            const uint64_t others = Covered(busy, free_at, task->start_ns);
            time.for_cores += others;
            time.for_host += task->start_ns - free_at - others;
          }
          if (task->kind == TaskKind::kKernel) time.working += task->end_ns - std::max(task->start_ns, std::min(free_at, task->end_ns));
          free_at = std::max(free_at, task->end_ns);
        }
      }
      if (run.whole.end > free_at) time.idle += run.whole.end - free_at;
    }
    last = &run;
  }
  std::vector<StreamTime> result;
  for (const auto& [stream, time] : times) result.push_back(time);
  return result;
}

std::vector<std::string> StreamSentences(const ModelProfile& model) {
  std::vector<std::string> sentences;
  for (const StreamTime& time : StreamTimes(model)) {
    struct Share {
      uint64_t ns;
      const char* verdict;
    };
    const Share shares[] = {{time.working, "works"},
                            {time.for_data, "waits for data"},
                            {time.for_cores, "waits for cores"},
                            {time.for_host, "waits for the host"},
                            {time.idle, "is done before the others"}};
    uint64_t total = 0;
    for (const Share& share : shares) total += share.ns;
    const Share* most = std::max_element(std::begin(shares), std::end(shares),
                                         [](const Share& a, const Share& b) { return a.ns < b.ns; });
    const auto percent = [&](uint64_t ns) { return total > 0 ? 100.0 * static_cast<double>(ns) / static_cast<double>(total) : 0.0; };
    sentences.push_back(
        fmt::format("stream {} mostly {}: it worked {:.0f} % of the time, waited {:.0f} % for data, {:.0f} % for cores, "
                    "{:.0f} % for the host, and was done {:.0f} % before the others",
                    time.stream, most->verdict, percent(time.working), percent(time.for_data), percent(time.for_cores),
                    percent(time.for_host), percent(time.idle)));
  }
  return sentences;
}

}  // namespace atc::profile
