#include "compiler/om_order.h"

#include <algorithm>

namespace atc {
namespace {

constexpr uint32_t kNoSlot = UINT32_MAX;
constexpr size_t kColumns = 64;  // streams whose progress clocks know at a time

bool Waits(const Task& task) { return task.type == TaskType::kEventWait; }
bool Records(const Task& task) { return task.type == TaskType::kEventRecord; }

// Rows of kColumns numbers.
class Clocks {
 public:
  explicit Clocks(size_t rows) : numbers_(rows * kColumns, 0) {}
  int32_t* Row(size_t row) { return numbers_.data() + row * kColumns; }
  void Clear() { std::fill(numbers_.begin(), numbers_.end(), 0); }
  void Copy(size_t from, Clocks& other, size_t to) { std::copy_n(Row(from), kColumns, other.Row(to)); }
  void Join(size_t to, int32_t* from) {
    int32_t* row = Row(to);
    for (size_t i = 0; i < kColumns; ++i) row[i] = std::max(row[i], from[i]);
  }

 private:
  std::vector<int32_t> numbers_;
};

}  // namespace

OmOrder::OmOrder(const std::vector<Task>& tasks, const std::function<std::vector<int64_t>(const Task&)>& started)
    : tasks_(tasks), place_(tasks.size(), 0) {
  uint32_t streams = 0;
  for (const Task& task : tasks_) streams = std::max(streams, task.stream + 1);
  on_stream_.resize(streams);
  for (uint32_t i = 0; i < tasks_.size(); ++i) {
    std::vector<uint32_t>& stream = on_stream_[tasks_[i].stream];
    place_[i] = static_cast<uint32_t>(stream.size());
    stream.push_back(i);
  }
  Run(started);
  GiveSlots();
}

// One order of many that are possible: what clocks say of two tasks is the same in all.
void OmOrder::Run(const std::function<std::vector<int64_t>(const Task&)>& started) {
  uint32_t events = 0;
  for (const Task& task : tasks_) {
    if (Waits(task) || Records(task)) events = std::max(events, task.event + 1);
  }
  std::vector<bool> recorded(events, false);
  std::vector<uint32_t> last_wait(events, UINT32_MAX);  // tasks
  std::vector<std::vector<uint32_t>> waiting(events);  // streams
  std::vector<bool> held(on_stream_.size(), false);
  const auto begun_by = [&](const Task& task) {
    std::vector<int64_t> streams;
    if (task.type == TaskType::kStreamActive) streams = started(task);
    std::erase_if(streams, [&](int64_t s) { return s < 0 || s >= static_cast<int64_t>(on_stream_.size()); });
    return streams;
  };
  for (const Task& task : tasks_) {
    for (const int64_t stream : begun_by(task)) held[static_cast<size_t>(stream)] = true;
  }
  std::vector<uint32_t> next(on_stream_.size(), 0);
  std::vector<uint32_t> ready;
  for (auto s = static_cast<uint32_t>(on_stream_.size()); s-- > 0;) {
    if (!held[s]) ready.push_back(s);
  }
  while (!ready.empty()) {
    const uint32_t stream = ready.back();
    ready.pop_back();
    for (; next[stream] < on_stream_[stream].size(); ++next[stream]) {
      const uint32_t at = on_stream_[stream][next[stream]];
      const Task& task = tasks_[at];
      if (Waits(task) && !recorded[task.event]) {
        waiting[task.event].push_back(stream);
        break;
      }
      if (Waits(task)) {
        const uint32_t last = last_wait[task.event];
        if (last != UINT32_MAX && tasks_[last].stream != stream) faults_.push_back({Trouble::kTakenByOthers, at});
        recorded[task.event] = false;
        last_wait[task.event] = at;
      }
      Step step{at, 0, static_cast<uint32_t>(begun_.size()), kNoSlot, false};
      for (const int64_t other : begun_by(task)) {
        if (!held[static_cast<size_t>(other)]) continue;
        held[static_cast<size_t>(other)] = false;
        begun_.push_back(static_cast<uint32_t>(other));
        ready.push_back(static_cast<uint32_t>(other));
        ++step.begins;
      }
      order_.push_back(at);
      steps_.push_back(step);
      if (!Records(task)) continue;
      if (recorded[task.event]) faults_.push_back({Trouble::kRecordedAgain, at});
      if (last_wait[task.event] != UINT32_MAX) resets_.emplace_back(last_wait[task.event], at);
      recorded[task.event] = true;
      std::vector<uint32_t>& others = waiting[task.event];
      if (others.empty()) continue;
      ready.push_back(others.front());
      others.erase(others.begin());
    }
  }
  for (size_t s = 0; s < held.size(); ++s) {
    if (held[s] && !on_stream_[s].empty()) faults_.push_back({Trouble::kNeverStarted, on_stream_[s].front()});
  }
  for (const std::vector<uint32_t>& streams : waiting) {
    for (const uint32_t stream : streams) faults_.push_back({Trouble::kWaitsForEver, on_stream_[stream][next[stream]]});
  }
}

// An event's clock is kept from its record to its last wait, so that few are kept at a time.
void OmOrder::GiveSlots() {
  uint32_t events = 0;
  for (const Task& task : tasks_) {
    if (Waits(task) || Records(task)) events = std::max(events, task.event + 1);
  }
  std::vector<bool> seen(events, false);
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    const Task& task = tasks_[step->task];
    if (!Waits(task) || seen[task.event]) continue;
    seen[task.event] = true;
    step->last_wait = true;
  }
  std::vector<uint32_t> slot_of(events, kNoSlot);
  std::vector<uint32_t> free;
  for (Step& step : steps_) {
    const Task& task = tasks_[step.task];
    if (Records(task) && seen[task.event]) {  // somebody waits for it
      uint32_t& slot = slot_of[task.event];
      if (slot == kNoSlot && !free.empty()) {
        slot = free.back();
        free.pop_back();
      } else if (slot == kNoSlot) {
        slot = slots_++;
      }
      step.slot = slot;
    } else if (Waits(task)) {
      step.slot = slot_of[task.event];
      if (!step.last_wait) continue;
      free.push_back(step.slot);
      slot_of[task.event] = kNoSlot;
      seen[task.event] = false;
    }
  }
}

std::vector<bool> OmOrder::Before(const std::vector<std::pair<uint32_t, uint32_t>>& questions) const {
  std::vector<bool> answers(questions.size(), false);
  // By the block of the first one's stream and the place of the second one in the order.
  std::vector<uint32_t> place_in_order(tasks_.size(), UINT32_MAX);
  for (uint32_t i = 0; i < order_.size(); ++i) place_in_order[order_[i]] = i;
  std::vector<uint32_t> open;
  for (uint32_t i = 0; i < questions.size(); ++i) {
    const auto& [before, after] = questions[i];
    if (tasks_[before].stream == tasks_[after].stream) {
      answers[i] = place_[before] < place_[after];
    } else if (place_in_order[before] < place_in_order[after] && place_in_order[after] != UINT32_MAX) {
      open.push_back(i);
    }
  }
  const auto block_of = [&](uint32_t question) { return tasks_[questions[question].first].stream / kColumns; };
  std::sort(open.begin(), open.end(), [&](uint32_t a, uint32_t b) {
    const size_t x = block_of(a), y = block_of(b);
    return x != y ? x < y : place_in_order[questions[a].second] < place_in_order[questions[b].second];
  });
  Clocks now(on_stream_.size());  // how many tasks of each stream of the block are over for each stream
  Clocks kept(slots_);            // of events
  for (size_t at = 0; at < open.size();) {
    const size_t block = block_of(open[at]);
    now.Clear();
    for (const Step& step : steps_) {
      if (at == open.size() || block_of(open[at]) != block) break;
      const Task& task = tasks_[step.task];
      if (Waits(task)) now.Join(task.stream, kept.Row(step.slot));
      const int32_t* clock = now.Row(task.stream);
      for (; at < open.size() && questions[open[at]].second == step.task && block_of(open[at]) == block; ++at) {
        const uint32_t before = questions[open[at]].first;
        answers[open[at]] = clock[tasks_[before].stream % kColumns] > static_cast<int32_t>(place_[before]);
      }
      if (task.stream / kColumns == block) {
        now.Row(task.stream)[task.stream % kColumns] = static_cast<int32_t>(place_[step.task]) + 1;
      }
      for (uint32_t i = 0; i < step.begins; ++i) now.Copy(task.stream, now, begun_[step.first + i]);
      if (Records(task) && step.slot != kNoSlot) now.Copy(task.stream, kept, step.slot);
    }
  }
  return answers;
}

}  // namespace atc
