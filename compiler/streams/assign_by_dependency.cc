// A cluster C may follow a predecessor P when
//   P's engine is not independent and P has no label,
//   no other consumer of P has P's engine (it would be held up; under MemoryPriority streams are shared all the same), and
//   C's engine is P's, or C's engine attaches, or the cluster that P itself followed has C's engine.
// Of several the one whose engine costs least is taken, the first of equals. A cluster that can follow none takes the
// next stream of its engine, which has ge.streamMaxParallelNum of them, in turn. The streams of one engine lie side by
// side, engines by name.
#include <algorithm>
#include <map>

#include "compiler/streams/stream_passes.h"

namespace atc {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

class ByDependency {
 public:
  explicit ByDependency(StreamContext& context)
      : context_(context), all_(context.clusters.all), followed_(all_.size(), kNone), counter_(all_.size(), -1) {
    // How many consumers of each cluster have its engine; a consumer asks for others than itself.
    same_engine_.reserve(all_.size());
    for (const Cluster& cluster : all_) {
      same_engine_.push_back(std::count_if(cluster.after.begin(), cluster.after.end(), [&](uint32_t after) {
        return all_[after].engine == cluster.engine;
      }));
    }
  }

  void Run() {
    for (uint32_t at = 0; at < all_.size(); ++at) {
      if (all_[at].stream >= 0) continue;
      const uint32_t best = Followable(at);
      if (best == kNone) {
        TakeNext(at);
      } else {
        followed_[at] = followed_[best] == kNone ? best : followed_[best];
        leader_.emplace_back(at, best);
      }
    }
    // In a nested graph the first one that takes a stream is given that of the graph's owner.
    const auto is_owners = [&](const std::string& engine, int32_t number) {
      return context_.nested && engine == first_engine_ && number == 0;
    };
    std::map<std::pair<std::string, int32_t>, int32_t> stream_of;
    for (const auto& [engine, count] : streams_of_) {
      for (int32_t number = 0; number < count; ++number) {
        stream_of[{engine, number}] = is_owners(engine, number) ? context_.default_stream : context_.next_stream++;
      }
    }
    for (uint32_t at = 0; at < all_.size(); ++at) {
      if (counter_[at] < 0) continue;
      Cluster& cluster = all_[at];
      cluster.stream = stream_of[{cluster.engine->name, counter_[at]}];
      cluster.rule = is_owners(cluster.engine->name, counter_[at])
                         ? "AssignByDependency: stream of the graph's owner"
                         : "AssignByDependency: stream " + std::to_string(counter_[at]) + " of " + cluster.engine->name;
      if (context_.default_stream < 0) context_.default_stream = cluster.stream;
    }
    // In order of dependency, so that whom a cluster follows has its stream by then.
    for (const auto& [at, best] : leader_) {
      all_[at].stream = all_[best].stream;
      all_[at].rule = "AssignByDependency: follows " + context_.graph.node(all_[best].nodes.front()).name;
    }
  }

 private:
  uint32_t Followable(uint32_t at) const {
    uint32_t best = kNone;
    for (const uint32_t before : all_[at].before) {
      if (!CanFollow(before, at)) continue;
      if (best == kNone || all_[before].engine->cost < all_[best].engine->cost) best = before;
    }
    return best;
  }

  bool CanFollow(uint32_t before, uint32_t at) const {
    const Cluster& p = all_[before];
    const Cluster& c = all_[at];
    // A stated stream is as good as a label.
    if (p.engine->independent || !p.label.empty() || p.new_stream_id >= 0) return false;
    if (!context_.options.memory_priority && same_engine_[before] > (c.engine == p.engine ? 1 : 0)) return false;
    if (c.engine == p.engine || c.engine->attach) return true;
    return followed_[before] != kNone && all_[followed_[before]].engine == c.engine;
  }

  void TakeNext(uint32_t at) {
    const std::string& engine = all_[at].engine->name;
    if (streams_of_.empty()) first_engine_ = engine;
    int32_t& next = next_of_[engine];
    if (next >= context_.options.MaxParallelStreams(engine)) next = 0;
    counter_[at] = next++;
    streams_of_[engine] = std::max(streams_of_[engine], counter_[at] + 1);
  }

  StreamContext& context_;
  std::vector<Cluster>& all_;
  std::vector<int64_t> same_engine_;
  std::vector<uint32_t> followed_;  // by cluster: at the end of the chain of those it follows
  std::vector<int32_t> counter_;    // by cluster: which of its engine's streams; -1: follows
  std::vector<std::pair<uint32_t, uint32_t>> leader_;
  std::map<std::string, int32_t> next_of_, streams_of_;
  std::string first_engine_;  // of the first one that follows nobody
};

}  // namespace

void AssignByDependency(StreamContext& context) { ByDependency(context).Run(); }

}  // namespace atc
