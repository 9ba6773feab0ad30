#include "compiler/check_om.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/om/reader.h"
#include "compiler/plan/in_place.h"

namespace atc {
namespace {

constexpr size_t kBeforeRun = SIZE_MAX;  // "task" that wrote the inputs of the model
constexpr ValueId kNothing = kNoId;      // held by bytes that nobody wrote

using Clock = std::vector<int64_t>;  // by stream: how many of its tasks are over

// What is known of a run of bytes; the map's key is where it begins.
struct Segment {
  int64_t end = 0;
  ValueId holds = kNothing;
  size_t writer = kBeforeRun;
  std::map<uint32_t, size_t> readers;  // by stream the last one
};

class Judge {
 public:
  explicit Judge(const OmModel& model)
      : model_(model), graph_(*model.graph), place_(model.tasks.size(), 0), task_of_(graph_.node_capacity(), kBeforeRun) {
    verdict_.tasks = model.tasks.size();
    verdict_.streams = model.stream_num;
    verdict_.events = model.event_num;
    verdict_.bytes = model.memory_size;
  }

  OmVerdict Run() {
    SetUp();
    FindActivations();
    RunTasks();
    const Node* net_output = graph_.NetOutput();
    if (!stuck_ && !model_.dynamic && net_output != nullptr) {
      for (const ValueId input : net_output->inputs) ReadAtEnd(input);
    }
    return std::move(verdict_);
  }

 private:
  template <typename... Args>
  void Fault(fmt::format_string<Args...> text, Args&&... args) {
    if (verdict_.faults.size() < kMostFaults) verdict_.faults.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  std::string Name(size_t task) const {
    if (task == kBeforeRun) return "the model's input";
    const Task& t = model_.tasks[task];
    const std::string node = t.op_index < graph_.node_capacity() ? graph_.node(t.op_index).name : std::string("?");
    return fmt::format("task {} ('{}', stream {})", t.id, node, t.stream);
  }

  // The value whose bytes these are: nodes without a task pass their input on.
  ValueId Root(ValueId value) {
    while (true) {
      const Node& node = graph_.producer(value);
      if (task_of_[node.id] != kBeforeRun || !node.Is(kShapeOnly) || node.inputs.empty() || node.inputs[0] == kNoId) return value;
      value = node.inputs[0];
    }
  }

  std::pair<int64_t, int64_t> Range(ValueId value) const {
    const Value& v = graph_.value(value);
    const int64_t elements = std::max(v.desc.shape.NumElements(), v.desc.origin_shape.NumElements());
    return {v.offset, v.offset + static_cast<int64_t>(DataTypeBytes(v.desc.dtype, elements))};
  }

  bool InMemory(ValueId value) { return value != kNoId && graph_.producer(Root(value)).type() != "Const"; }

  void SetUp() {
    on_stream_.resize(static_cast<size_t>(std::max<int64_t>(model_.stream_num, 1)));
    for (size_t i = 0; i < model_.tasks.size(); ++i) {
      const Task& task = model_.tasks[i];
      place_[i] = on_stream_[task.stream].size();
      on_stream_[task.stream].push_back(i);
      if (task.op_index < graph_.node_capacity()) task_of_[task.op_index] = i;
    }
    clocks_.assign(on_stream_.size(), Clock(on_stream_.size(), 0));
    recorded_.resize(static_cast<size_t>(std::max<int64_t>(model_.event_num, 0)));
    waiting_.resize(recorded_.size());
    memory_[0] = Segment{std::max<int64_t>(model_.memory_size, 0), kNothing, kBeforeRun, {}};
    if (model_.dynamic) return;
    for (const NodeId id : graph_.Inputs()) {
      const ValueId value = graph_.node(id).outputs[0];
      ForRange(value, [&](Segment& segment) { segment.holds = value; });
    }
  }

  // Streams that some StreamActive starts stand still until then.
  void FindActivations() {
    held_.assign(on_stream_.size(), false);
    for (const Task& task : model_.tasks) {
      for (const int64_t stream : Started(task)) held_[static_cast<size_t>(stream)] = true;
    }
  }

  std::vector<int64_t> Started(const Task& task) const {
    if (task.type != TaskType::kStreamActive || task.op_index >= graph_.node_capacity()) return {};
    auto streams = graph_.node(task.op_index).attrs.Get<std::vector<int64_t>>("active_stream_list", {});
    std::erase_if(streams, [&](int64_t stream) { return stream < 0 || stream >= static_cast<int64_t>(on_stream_.size()); });
    return streams;
  }

  // Calls visit(segment, begin) for the parts of the value's bytes, cut at its ends.
  template <typename F>
  void ForRange(ValueId value, F&& visit) {
    const auto [begin, end] = Range(value);
    if (begin >= end) return;
    if (begin < 0 || end > model_.memory_size) {
      Fault("output of '{}' lies at bytes {} to {}, the memory has {}", graph_.producer(value).name, begin, end, model_.memory_size);
      return;
    }
    Cut(begin);
    Cut(end);
    for (auto it = memory_.find(begin); it != memory_.end() && it->first < end; ++it) visit(it->second);
  }

  void Cut(int64_t at) {
    auto it = memory_.upper_bound(at);
    if (it == memory_.begin()) return;
    --it;
    if (it->first == at || it->second.end <= at) return;
    Segment rest = it->second;
    it->second.end = at;
    memory_.emplace(at, std::move(rest));
  }

  bool Over(size_t task, const Clock& now) const {
    return task == kBeforeRun || now[model_.tasks[task].stream] > static_cast<int64_t>(place_[task]);
  }

  void Read(ValueId value, size_t reader, const Clock& now) {
    const auto [begin, end] = Range(value);
    const ValueId wanted = Root(value);
    const size_t producer = task_of_[graph_.producer(wanted).id];
    if (begin != graph_.value(wanted).offset) {
      Fault("{} reads '{}' at byte {}, which is written at byte {}", Name(reader), graph_.producer(wanted).name, begin,
            graph_.value(wanted).offset);
      return;
    }
    ++verdict_.accesses;
    bool told = false;  // one fault for a value is enough
    ForRange(value, [&](Segment& segment) {
      if (!told && segment.holds != wanted) {
        told = true;
        Fault("{} may read bytes {} to {} before {} writes them: they hold {}", Name(reader), begin, end, Name(producer),
              segment.holds == kNothing ? "nothing" : "the output of " + Name(segment.writer));
      } else if (!told && !Over(segment.writer, now)) {
        told = true;
        Fault("{} may read bytes {} to {} while {} writes them", Name(reader), begin, end, Name(segment.writer));
      }
      segment.readers[model_.tasks[reader].stream] = reader;
    });
  }

  void Write(ValueId value, size_t writer, const Clock& now) {
    const auto [begin, end] = Range(value);
    const bool in_place = LiesInPlace(graph_, graph_.producer(value));
    ++verdict_.accesses;
    bool told = false;
    ForRange(value, [&](Segment& segment) {
      if (!told && !Over(segment.writer, now)) {
        told = true;
        Fault("{} may write bytes {} to {} while {} writes them", Name(writer), begin, end, Name(segment.writer));
      }
      for (const auto& [stream, reader] : segment.readers) {
        if (told || Over(reader, now) || (reader == writer && in_place)) continue;
        told = true;
        Fault("{} may write bytes {} to {} while {} reads them", Name(writer), begin, end,
              reader == writer ? "it" : Name(reader));
      }
      segment.holds = value;
      segment.writer = writer;
      segment.readers.clear();
    });
    Join(value);
  }

  // One segment for what one task wrote, so that segments do not grow in number.
  void Join(ValueId value) {
    const auto [begin, end] = Range(value);
    if (begin >= end || begin < 0 || end > model_.memory_size) return;
    const auto first = memory_.find(begin);
    first->second.end = end;
    memory_.erase(std::next(first), memory_.lower_bound(end));
  }

  void ReadAtEnd(ValueId value) {
    if (!InMemory(value)) return;
    const ValueId wanted = Root(value);
    bool told = false;
    ForRange(value, [&](Segment& segment) {
      if (told || segment.holds == wanted) return;
      told = true;
      Fault("the model's output '{}' is overwritten by {}", graph_.producer(wanted).name, Name(segment.writer));
    });
  }

  void Control(const Node& node, size_t task, const Clock& now) {
    for (const NodeId before : node.control_in) {
      const size_t other = task_of_[before];
      if (other == kBeforeRun) {
        if (!graph_.node(before).Is(kSource)) Control(graph_.node(before), task, now);
      } else if (!Over(other, now)) {
        Fault("{} may start before {} is over, which it must wait for", Name(task), Name(other));
      }
    }
  }

  // Without places in memory: whoever makes an input must be over.
  void Data(const Node& node, size_t task, const Clock& now) {
    for (const ValueId input : node.inputs) {
      if (input == kNoId) continue;
      const NodeId producer = graph_.producer(Root(input)).id;
      const size_t other = task_of_[producer];
      ++verdict_.accesses;
      if (other == kBeforeRun) {
        if (!graph_.node(producer).Is(kSource)) Data(graph_.node(producer), task, now);
      } else if (!Over(other, now)) {
        Fault("{} may read the output of {} before it is written", Name(task), Name(other));
      }
    }
  }

  void RunOne(size_t at, const Clock& now) {
    const Task& task = model_.tasks[at];
    if (task.op_index >= graph_.node_capacity()) return;
    const Node& node = graph_.node(task.op_index);
    Control(node, at, now);
    if (model_.dynamic) Data(node, at, now);
    if (model_.dynamic || task.type != TaskType::kKernel) return;
    for (const ValueId input : node.inputs) {
      if (InMemory(input)) Read(input, at, now);
    }
    for (const ValueId output : node.outputs) Write(output, at, now);
  }

  // One linearisation: races between tasks show on clocks whichever it is.
  void RunTasks() {
    std::vector<size_t> next(on_stream_.size(), 0);
    std::vector<uint32_t> ready;
    for (uint32_t s = static_cast<uint32_t>(on_stream_.size()); s-- > 0;) {
      if (!held_[s]) ready.push_back(s);
    }
    while (!ready.empty()) {
      const uint32_t stream = ready.back();
      ready.pop_back();
      Clock& now = clocks_[stream];
      for (; next[stream] < on_stream_[stream].size(); ++next[stream]) {
        const size_t at = on_stream_[stream][next[stream]];
        const Task& task = model_.tasks[at];
        if (task.type == TaskType::kEventWait) {
          const Clock& then = recorded_[task.event];
          if (then.empty()) {
            waiting_[task.event].push_back(stream);
            break;
          }
          for (size_t s = 0; s < now.size(); ++s) now[s] = std::max(now[s], then[s]);
        }
        RunOne(at, now);
        now[stream] = static_cast<int64_t>(next[stream]) + 1;
        for (const int64_t started : Started(task)) {
          if (!held_[static_cast<size_t>(started)]) continue;
          held_[static_cast<size_t>(started)] = false;
          clocks_[static_cast<size_t>(started)] = now;
          ready.push_back(static_cast<uint32_t>(started));
        }
        if (task.type != TaskType::kEventRecord) continue;
        if (!recorded_[task.event].empty()) Fault("{} records event {} again", Name(at), task.event);
        recorded_[task.event] = now;
        ready.insert(ready.end(), waiting_[task.event].begin(), waiting_[task.event].end());
        waiting_[task.event].clear();
      }
    }
    for (size_t s = 0; s < held_.size(); ++s) {
      if (!held_[s] || on_stream_[s].empty()) continue;
      stuck_ = true;
      Fault("{} is on a stream that nothing starts", Name(on_stream_[s].front()));
    }
    for (size_t event = 0; event < waiting_.size(); ++event) {
      for (const uint32_t stream : waiting_[event]) {
        stuck_ = true;
        Fault("{} waits for event {} for ever", Name(on_stream_[stream][next[stream]]), event);
      }
    }
  }

  const OmModel& model_;
  const Graph& graph_;
  OmVerdict verdict_;
  std::vector<std::vector<size_t>> on_stream_;  // tasks
  std::vector<size_t> place_;                   // of a task on its stream
  std::vector<size_t> task_of_;                 // by node; kBeforeRun: none
  std::vector<Clock> clocks_;                   // by stream
  std::vector<Clock> recorded_;                 // by event; empty: not yet
  std::vector<std::vector<uint32_t>> waiting_;  // streams, by event
  std::map<int64_t, Segment> memory_;
  std::vector<bool> held_;  // by stream: not started yet
  bool stuck_ = false;
};

// The tasks that a nested graph stands for: its nodes with a stream, in the order of their ids.
OmModel NestedModel(const OmModel& model, const Graph& graph) {
  OmModel nested;
  nested.stream_num = model.stream_num;
  nested.event_num = model.event_num;
  nested.dynamic = true;  // its values have no places
  nested.graph = graph.Clone();
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    if (!node.alive || node.stream < 0 || node.stream >= model.stream_num) continue;
    Task task;
    task.id = id;
    task.stream = static_cast<uint32_t>(node.stream);
    task.op_index = id;
    if (node.type() == "StreamActive") task.type = TaskType::kStreamActive;
    if (node.type() == "Send" || node.type() == "Recv") {
      const auto event = node.attrs.Get<int64_t>("event_id", -1);
      if (event < 0 || event >= model.event_num) continue;
      task.type = node.type() == "Send" ? TaskType::kEventRecord : TaskType::kEventWait;
      task.event = static_cast<uint32_t>(event);
    }
    nested.tasks.push_back(std::move(task));
  }
  return nested;
}

void CheckNested(const OmModel& model, const Graph& graph, OmVerdict* verdict) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    for (const Subgraph& subgraph : graph.node(id).subgraphs) {
      const OmVerdict nested = Judge(NestedModel(model, *subgraph.graph)).Run();
      verdict->accesses += nested.accesses;
      for (const std::string& fault : nested.faults) {
        if (verdict->faults.size() < kMostFaults) verdict->faults.push_back("in graph '" + subgraph.graph->name + "': " + fault);
      }
      CheckNested(model, *subgraph.graph, verdict);
    }
  }
}

}  // namespace

OmVerdict CheckOm(const OmModel& model) {
  OmVerdict verdict = Judge(model).Run();
  CheckNested(model, *model.graph, &verdict);
  return verdict;
}

OmVerdict CheckOmFile(const std::string& path) { return CheckOm(ReadOm(path)); }

}  // namespace atc
