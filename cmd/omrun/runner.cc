#include "cmd/omrun/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

namespace atc::omrun {
namespace {

// FNV-1a over type, dims and bytes.
uint64_t Fingerprint(const std::vector<Tensor>& tensors) {
  uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](const void* data, size_t size) {
    for (size_t i = 0; i < size; ++i) hash = (hash ^ static_cast<const uint8_t*>(data)[i]) * 0x100000001b3u;
  };
  for (const Tensor& tensor : tensors) {
    add(&tensor.type, sizeof tensor.type);
    add(tensor.dims.data(), tensor.dims.size() * sizeof(int64_t));
    add(tensor.bytes.data(), tensor.bytes.size());
  }
  return hash;
}

class Runner {
 public:
  Runner(Model& first, const RunPlan& plan, Feed& feed, const RunEvents& events)
      : first_(first), plan_(plan), feed_(feed), events_(events), fingerprints_(feed.groups()), taken_(feed.groups(), false) {}

  RunOutcome Run() {
    Pause(plan_.start_delay_ms);
    if (plan_.threads * plan_.devices.size() == 1) {
      waiting_for_ = 1;
      Work(plan_.devices[0], 0);
    } else {
      waiting_for_ = plan_.threads * plan_.devices.size();
      std::vector<std::thread> threads;
      uint32_t number = 0;
      for (const int32_t device : plan_.devices) {
        for (uint32_t t = 0; t < plan_.threads; ++t) threads.emplace_back([this, device, n = number++] { Work(device, n); });
      }
      for (std::thread& thread : threads) thread.join();
    }
    if (error_ && failed_group_ && events_.failed) events_.failed(*failed_group_);
    if (error_) std::rethrow_exception(error_);
    outcome_.measured_s = static_cast<double>(end_ns_ - outcome_.start_ns) / 1e9;
    outcome_.load_ms = first_.load_ms();
    outcome_.stats = first_.stats();
    outcome_.checked = checked_;
    return std::move(outcome_);
  }

 private:
  struct Lane {
    std::unique_ptr<Model> own;  // none for the first slot of all
    std::unique_ptr<Slot> slot;
    uint32_t number = 0;
    size_t group = 0;       // that its inputs are of
    bool has_inputs = false;
    bool busy = false;
  };

  void Work(int32_t device, uint32_t thread) {
    std::vector<Lane> lanes;
    bool waited = false;
    try {
      if (thread > 0 || plan_.threads * plan_.devices.size() > 1) first_.device().Use(device);
      Prepare(device, thread, &lanes);
      WaitForAll();
      waited = true;
      if (!stop_) Measure(&lanes);
      if (plan_.profile && !stop_) EndProfiles(&lanes);
    } catch (...) {
      std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      stop_ = true;
    }
    if (!waited) WaitForAll();
  }

  void Prepare(int32_t device, uint32_t thread, std::vector<Lane>* lanes) {
    for (uint32_t s = 0; s < plan_.streams; ++s) {
      Lane lane;
      lane.number = thread * plan_.streams + s;
      if (lane.number > 0) lane.own = std::make_unique<Model>(first_.device(), plan_.model, device);
      lane.slot = std::make_unique<Slot>(lane.own ? *lane.own : first_, plan_.slot);
      lanes->push_back(std::move(lane));
    }
    for (Lane& lane : *lanes) {
      const uint64_t start = HostCalls::Now();
      for (uint32_t run = 0; run < plan_.warmup || Seconds(start) * 1000 < plan_.warmup_ms; ++run) {
        Start(&lane, lane.number % feed_.groups());
        OnDevice(lane, [&] { lane.slot->Finish(); });
        lane.busy = false;
        TellFirstRun(lane.slot->times());
        if (stop_) return;
      }
      if (plan_.profile) lane.slot->model().BeginProfile();
    }
  }

  // No run is measured before every slot is warm.
  void WaitForAll() {
    std::unique_lock lock(mutex_);
    if (--waiting_for_ == 0) {
      outcome_.start_ns = end_ns_ = HostCalls::Now();
      all_ready_.notify_all();
      return;
    }
    all_ready_.wait(lock, [&] { return waiting_for_ == 0; });
  }

  void Measure(std::vector<Lane>* lanes) {
    bool more = true;
    for (bool any = true; any && !stop_;) {
      any = false;
      for (Lane& lane : *lanes) {
        if (stop_) break;
        if (lane.busy) {
          End(&lane);
          Pause(plan_.idle_ms);
        }
        std::optional<size_t> group;
        if (more) group = Next();
        more = more && group.has_value();
        if (group) Start(&lane, *group);
        any = any || lane.busy;
      }
    }
    for (Lane& lane : *lanes) {
      if (lane.busy && !stop_) End(&lane);
    }
  }

  // The group of the next run; none when all are given out.
  std::optional<size_t> Next() {
    std::lock_guard lock(mutex_);
    const uint64_t all = plan_.loop * feed_.groups();
    if (next_ >= all && Seconds(outcome_.start_ns) >= plan_.duration) return std::nullopt;
    return next_++ % feed_.groups();
  }

  void Start(Lane* lane, size_t group) {
    lane->slot->ForgetCopies();
    if (!lane->has_inputs || lane->group != group || plan_.transfers || plan_.read_again) {
      lane->slot->SetInputs(*feed_.Load(group));
      lane->group = group;
      lane->has_inputs = true;
    }
    OnDevice(*lane, [&] { lane->slot->Launch(); });
    lane->busy = true;
  }

  // Keeps whose run it was that failed first.
  template <class Call>
  void OnDevice(const Lane& lane, Call call) {
    try {
      call();
    } catch (...) {
      std::lock_guard lock(mutex_);
      if (!error_ && !failed_group_) failed_group_ = lane.group;
      throw;
    }
  }

  void End(Lane* lane) {
    Slot& slot = *lane->slot;
    OnDevice(*lane, [&] { slot.Finish(); });
    lane->busy = false;
    const uint64_t end = HostCalls::Now();
    bool mine = false;
    {
      std::lock_guard lock(mutex_);
      mine = !taken_[lane->group];
      taken_[lane->group] = true;
    }
    TellFirstRun(slot.times());
    std::vector<Tensor> outputs;
    if (mine || plan_.transfers || plan_.check_runs) outputs = slot.Outputs();
    const uint64_t print = plan_.check_runs ? Fingerprint(outputs) : 0;
    std::lock_guard lock(mutex_);
    outcome_.runs.push_back({lane->group, lane->number, slot.times()});
    end_ns_ = std::max(end_ns_, plan_.transfers ? HostCalls::Now() : end);
    if (plan_.check_runs) CheckSame(lane->group, print);
    if (mine && events_.outputs) events_.outputs(lane->group, std::move(outputs));
  }

  void CheckSame(size_t group, uint64_t print) {
    ++checked_;
    std::optional<uint64_t>& known = fingerprints_[group];
    if (!known) known = print;
    if (*known == print) return;
    throw RunError(fmt::format("--check_runs: run {} gives other outputs for the same inputs than the first one did (group {})",
                               checked_, group));
  }

  void TellFirstRun(const RunTimes& times) {
    std::lock_guard lock(mutex_);
    if (told_first_) return;
    told_first_ = true;
    outcome_.first_run_ms = times.compute_ms();
    if (events_.first_run) events_.first_run();
  }

  void EndProfiles(std::vector<Lane>* lanes) {
    for (Lane& lane : *lanes) {
      profile::ModelProfile profile = lane.slot->model().EndProfile();
      std::lock_guard lock(mutex_);
      if (outcome_.profiles.size() <= lane.number) outcome_.profiles.resize(lane.number + 1);
      outcome_.profiles[lane.number] = std::move(profile);
    }
  }

  static void Pause(double ms) {
    if (ms > 0) std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms));
  }
  static double Seconds(uint64_t since) { return static_cast<double>(HostCalls::Now() - since) / 1e9; }

  Model& first_;
  const RunPlan& plan_;
  Feed& feed_;
  const RunEvents& events_;

  std::mutex mutex_;
  std::condition_variable all_ready_;
  size_t waiting_for_ = 0;
  std::atomic<bool> stop_ = false;
  std::exception_ptr error_;
  std::optional<size_t> failed_group_;
  uint64_t next_ = 0;  // runs that were given out
  uint64_t end_ns_ = 0;
  uint64_t checked_ = 0;
  bool told_first_ = false;
  std::vector<std::optional<uint64_t>> fingerprints_;  // by group
  std::vector<bool> taken_;                            // by group: its outputs are somebody's to hand over
  RunOutcome outcome_;
};

}  // namespace

RunOutcome RunAll(Model& first, const RunPlan& plan, Feed& feed, const RunEvents& events) {
  return Runner(first, plan, feed, events).Run();
}

}  // namespace atc::omrun
