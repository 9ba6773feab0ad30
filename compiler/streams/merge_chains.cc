#include "compiler/streams/merge_chains.h"

#include <algorithm>
#include <numeric>

namespace atc {
namespace {

constexpr uint32_t kWindow = 6;       // levels
constexpr double kEventUs = 1;        // that a wait between streams takes
constexpr size_t kCandidates = 6;     // streams that are scored
constexpr size_t kWeightedCandidates = 8;
constexpr size_t kSimulated = 3;      // of these, whose end is predicted

struct Chain {
  const std::vector<uint32_t>* tasks = nullptr;
  double load = 0;
  double start = 0, finish = 0;  // earliest, with streams and cores without end
  bool critical = false;
  bool alone = true;  // at each of its levels
};

struct Stream {
  double load = 0;
  double busy_until = 0;  // earliest end of its chains
  double free_at = 0;     // predicted
  bool used = false;
  std::vector<double> window;   // load by window of levels
  std::vector<bool> level;      // taken
};

class Merger {
 public:
  Merger(const TaskDag& dag, const std::vector<std::vector<uint32_t>>& chains, const ParallelMode& mode)
      : dag_(dag), mode_(mode), of_task_(dag.cost.size(), -1), end_(dag.cost.size(), 0) {
    FindTimes();
    streams_.resize(static_cast<size_t>(mode.streams));
    for (Stream& stream : streams_) {
      stream.window.assign(window_.size(), 0);
      stream.level.assign(width_.size(), false);
    }
    FindChains(chains);
  }

  std::vector<int32_t> Run() {
    for (const Chain& chain : chains_) Put(chain, Choose(chain));
    return std::move(of_task_);
  }

 private:
  void FindTimes() {
    const size_t count = dag_.cost.size();
    level_.assign(count, 0);
    start_.assign(count, 0);
    std::vector<double> tail(count, 0);
    double makespan = 0;
    for (uint32_t i = 0; i < count; ++i) {
      for (const uint32_t before : dag_.before[i]) {
        level_[i] = std::max(level_[i], level_[before] + 1);
        start_[i] = std::max(start_[i], start_[before] + dag_.cost[before].us);
      }
      makespan = std::max(makespan, start_[i] + dag_.cost[i].us);
      total_ += dag_.cost[i].us;
      if (level_[i] >= width_.size()) width_.resize(level_[i] + 1, 0);
      ++width_[level_[i]];
      if (level_[i] / kWindow >= window_.size()) window_.resize(level_[i] / kWindow + 1, 0);
      window_[level_[i] / kWindow] += dag_.cost[i].us;
    }
    for (uint32_t i = static_cast<uint32_t>(count); i-- > 0;) {
      for (const uint32_t after : dag_.after[i]) tail[i] = std::max(tail[i], tail[after]);
      tail[i] += dag_.cost[i].us;
    }
    // One critical path, of equal ones that of the first tasks.
    critical_.assign(count, false);
    const auto is_long = [&](uint32_t i) { return start_[i] + tail[i] >= makespan * (1 - 1e-9); };
    uint32_t at = 0;
    while (at < count && !(dag_.before[at].empty() && is_long(at))) ++at;
    while (at < count) {
      critical_[at] = true;
      const auto next = std::find_if(dag_.after[at].begin(), dag_.after[at].end(), is_long);
      at = next == dag_.after[at].end() ? static_cast<uint32_t>(count) : *next;
    }
    total_ = std::max(total_, 1e-9);
  }

  void FindChains(const std::vector<std::vector<uint32_t>>& chains) {
    for (const std::vector<uint32_t>& tasks : chains) {
      Chain& chain = chains_.emplace_back();
      chain.tasks = &tasks;
      chain.start = start_[tasks.front()];
      chain.finish = start_[tasks.back()] + dag_.cost[tasks.back()].us;
      for (const uint32_t task : tasks) {
        chain.load += dag_.cost[task].us;
        chain.critical = chain.critical || critical_[task];
        chain.alone = chain.alone && width_[level_[task]] == 1;
      }
    }
    std::stable_sort(chains_.begin(), chains_.end(), [&](const Chain& a, const Chain& b) {
      return level_[a.tasks->front()] < level_[b.tasks->front()];
    });
  }

  // Dependencies between the chain and what is placed, by stream.
  std::vector<double> Edges(const Chain& chain) const {
    std::vector<double> edges(streams_.size(), 0);
    for (const uint32_t task : *chain.tasks) {
      for (const auto* side : {&dag_.before[task], &dag_.after[task]}) {
        for (const uint32_t other : *side) {
          if (of_task_[other] >= 0) ++edges[of_task_[other]];
        }
      }
    }
    return edges;
  }

  // The main stream, those with most dependencies, then the least loaded, and one that is new.
  std::vector<size_t> Candidates(const std::vector<double>& edges) const {
    std::vector<size_t> found;
    for (size_t s = 0; s < streams_.size(); ++s) {
      found.push_back(s);
      if (!streams_[s].used) break;  // they are opened in order
    }
    const size_t most = mode_.kind == ParallelMode::kWeighted ? kWeightedCandidates : kCandidates;
    if (found.size() <= most) return found;
    const size_t opens = streams_[found.back()].used ? SIZE_MAX : found.back();
    std::stable_sort(found.begin(), found.end(), [&](size_t a, size_t b) {
      const auto rank = [&](size_t s) { return s == opens ? 0 : mode_.kind == ParallelMode::kMainStream && s == 0 ? 1 : 2; };
      if (rank(a) != rank(b)) return rank(a) < rank(b);
      if (edges[a] != edges[b]) return edges[a] > edges[b];
      return streams_[a].load < streams_[b].load;
    });
    // Half by dependencies, the rest by load.
    std::stable_sort(found.begin() + most / 2, found.end(),
                     [&](size_t a, size_t b) { return streams_[a].load < streams_[b].load; });
    found.resize(most);
    std::sort(found.begin(), found.end());
    return found;
  }

  double LoadBalance(const Chain& chain, size_t s) const {
    const auto count = static_cast<double>(streams_.size());
    double peak = 0;
    double added = 0;
    const std::vector<uint32_t>& tasks = *chain.tasks;
    for (size_t i = 0; i < tasks.size(); ++i) {
      const uint32_t window = level_[tasks[i]] / kWindow;
      added += dag_.cost[tasks[i]].us;
      if (i + 1 < tasks.size() && level_[tasks[i + 1]] / kWindow == window) continue;
      if (window_[window] > 0) peak = std::max(peak, count * (streams_[s].window[window] + added) / window_[window]);
      added = 0;
    }
    double sum = 0;
    double squares = 0;
    for (size_t other = 0; other < streams_.size(); ++other) {
      const double load = count * (streams_[other].load + (other == s ? chain.load : 0)) / total_;
      sum += load;
      squares += load * load;
    }
    const double variance = (squares - sum * sum / count) / count;
    return 4 * (peak + variance) + (streams_[s].load + chain.load) / total_;
  }

  double MainStream(const Chain& chain, size_t s) const {
    const auto taken = std::count_if(chain.tasks->begin(), chain.tasks->end(),
                                     [&](uint32_t task) { return streams_[s].level[level_[task]]; });
    const double conflict = static_cast<double>(taken) / static_cast<double>(chain.tasks->size());
    return 4 * conflict - (s == 0 && chain.critical ? 4 : 0);
  }

  double Weighted(const Chain& chain, size_t s) const {
    const double span = std::max(chain.finish - chain.start, 1e-9);
    const double overlap = std::clamp(streams_[s].busy_until - chain.start, 0.0, span) / span;
    return 4 * overlap + 2 * (streams_[s].load + chain.load) / total_;
  }

  double Score(const Chain& chain, size_t s, double crossing) const {
    double score = 3 * std::min(1.0, crossing * kEventUs / std::max(chain.load, 1e-9)) + (streams_[s].used ? 0 : 2);
    switch (mode_.kind) {
      case ParallelMode::kMainStream: return score + MainStream(chain, s);
      case ParallelMode::kWeighted: return score + Weighted(chain, s);
      default: return score + LoadBalance(chain, s);
    }
  }

  // When the chain would be over on a stream: after the stream's work and what it waits for, and not before the cores
  // could have done all that was placed so far.
  double PredictEnd(const Chain& chain, size_t s, std::vector<double>* ends) const {
    double at = streams_[s].free_at;
    double cube = cube_work_;
    double vector = vector_work_;
    for (const uint32_t task : *chain.tasks) {
      const TaskCost& cost = dag_.cost[task];
      for (const uint32_t before : dag_.before[task]) {
        if (of_task_[before] < 0) continue;  // in this chain, or placed later
        const bool waits = of_task_[before] != static_cast<int32_t>(s);
        at = std::max(at, end_[before] + (waits ? kEventUs : 0));
      }
      at += cost.us;
      (cost.cube ? cube : vector) += cost.us * cost.blocks;
      if (ends != nullptr) ends->push_back(at);
    }
    return std::max({at, cube / dag_.cube_cores, vector / dag_.vector_cores});
  }

  size_t Choose(const Chain& chain) const {
    if (mode_.kind == ParallelMode::kMainStream && chain.alone) return 0;
    const std::vector<double> edges = Edges(chain);
    const double all = std::accumulate(edges.begin(), edges.end(), 0.0);
    std::vector<std::pair<double, size_t>> scored;
    for (const size_t s : Candidates(edges)) scored.emplace_back(Score(chain, s, all - edges[s]), s);
    std::sort(scored.begin(), scored.end());
    if (mode_.kind != ParallelMode::kWeighted) return scored[0].second;
    size_t best = 0;
    double earliest = 0;
    for (size_t i = 0; i < std::min(scored.size(), kSimulated); ++i) {
      const double end = PredictEnd(chain, scored[i].second, nullptr);
      if (i > 0 && end >= earliest) continue;
      best = scored[i].second;
      earliest = end;
    }
    return best;
  }

  void Put(const Chain& chain, size_t s) {
    Stream& stream = streams_[s];
    std::vector<double> ends;
    stream.free_at = PredictEnd(chain, s, &ends);
    stream.used = true;
    stream.load += chain.load;
    stream.busy_until = std::max(stream.busy_until, chain.finish);
    for (size_t i = 0; i < chain.tasks->size(); ++i) {
      const uint32_t task = (*chain.tasks)[i];
      const TaskCost& cost = dag_.cost[task];
      of_task_[task] = static_cast<int32_t>(s);
      end_[task] = ends[i];
      stream.window[level_[task] / kWindow] += cost.us;
      stream.level[level_[task]] = true;
      (cost.cube ? cube_work_ : vector_work_) += cost.us * cost.blocks;
    }
  }

  const TaskDag& dag_;
  const ParallelMode mode_;
  std::vector<uint32_t> level_;
  std::vector<uint32_t> width_;  // tasks by level
  std::vector<double> window_;   // work by window of levels
  std::vector<double> start_;    // earliest
  std::vector<bool> critical_;
  std::vector<Chain> chains_;
  std::vector<Stream> streams_;
  std::vector<int32_t> of_task_;
  std::vector<double> end_;  // predicted
  double total_ = 0;
  double cube_work_ = 0, vector_work_ = 0;
};

}  // namespace

std::vector<int32_t> MergeChains(const TaskDag& dag, const std::vector<std::vector<uint32_t>>& chains,
                                 const ParallelMode& mode) {
  return Merger(dag, chains, mode).Run();
}

}  // namespace atc
