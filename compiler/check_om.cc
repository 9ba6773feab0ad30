#include "compiler/check_om.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "compiler/io/utf8.h"
#include "compiler/ir/blocked_formats.h"
#include "compiler/ir/device_slot.h"
#include "compiler/ir/gears.h"
#include "compiler/om/reader.h"
#include "compiler/om_order.h"
#include "compiler/plan/in_place.h"
#include "compiler/plan/parts.h"

namespace atc {
namespace {

constexpr uint32_t kBeforeRun = UINT32_MAX;  // "task" that wrote the inputs of the model
constexpr ValueId kNothing = kNoId;          // held by bytes that nobody wrote

// What is known of a run of bytes; the map's key is where it begins.
struct Segment {
  int64_t end = 0;
  ValueId holds = kNothing;
  uint32_t writer = kBeforeRun;
  std::vector<std::pair<uint32_t, uint32_t>> readers;  // by stream the last one, sorted
};

enum class Doubt { kReadWhileWritten, kWriteWhileWritten, kWriteWhileRead, kControl, kDataBefore, kReset };

// What is a fault unless `before` is over when `task` starts; of several that belong to one access the first is told.
struct Finding {
  Doubt doubt;
  uint32_t before, task;
  uint32_t access;
  int64_t begin, end;  // bytes
};

class Judge {
 public:
  explicit Judge(const OmModel& model)
      : model_(model),
        graph_(*model.graph),
        order_(model.tasks, [this](const Task& task) { return Started(task); }),
        task_of_(graph_.node_capacity(), kBeforeRun),
        root_(graph_.value_capacity(), kNoId) {
    verdict_.tasks = model.tasks.size();
    verdict_.streams = model.stream_num;
    verdict_.events = model.event_num;
    verdict_.bytes = model.memory_size;
  }

  OmVerdict Run() {
    for (uint32_t i = 0; i < model_.tasks.size(); ++i) {
      if (model_.tasks[i].op_index < graph_.node_capacity()) task_of_[model_.tasks[i].op_index] = i;
    }
    TellTroubles();
    FindTasksBefore();
    SetUpMemory();
    for (const uint32_t task : order_.order()) RunOne(task);
    for (const auto& [wait, record] : order_.resets()) Doubtful(Doubt::kReset, wait, record, 0);
    const Node* net_output = graph_.NetOutput();
    if (order_.complete() && !model_.dynamic && net_output != nullptr) {
      for (const ValueId input : net_output->inputs) ReadAtEnd(input);
    }
    Settle();
    return std::move(verdict_);
  }

 private:
  template <typename... Args>
  void Fault(fmt::format_string<Args...> text, Args&&... args) {
    if (verdict_.faults.size() < kMostFaults) verdict_.faults.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  std::string Name(uint32_t task) const {
    if (task == kBeforeRun) return "the model's input";
    const Task& t = model_.tasks[task];
    const std::string node = t.op_index < graph_.node_capacity() ? graph_.node(t.op_index).name : std::string("?");
    return fmt::format("task {} ('{}', stream {})", t.id, OneLine(node), t.stream);
  }

  void TellTroubles() {
    for (const OmOrder::Fault& fault : order_.faults()) {
      switch (fault.what) {
        case OmOrder::Trouble::kRecordedAgain:
          Fault("{} records event {} again", Name(fault.task), model_.tasks[fault.task].event);
          break;
        case OmOrder::Trouble::kTakenByOthers:
          Fault("{} waits for event {}, which another stream waits for too: either may take its record",
                Name(fault.task), model_.tasks[fault.task].event);
          break;
        case OmOrder::Trouble::kNeverStarted: Fault("{} is on a stream that nothing starts", Name(fault.task)); break;
        case OmOrder::Trouble::kWaitsForEver:
          Fault("{} waits for event {} for ever", Name(fault.task), model_.tasks[fault.task].event);
          break;
      }
    }
  }

  // The value whose bytes these are: nodes without a task pass their input on.
  ValueId Root(ValueId value) {
    ValueId at = value;
    while (root_[at] == kNoId) {
      const Node& node = graph_.producer(at);
      if (task_of_[node.id] != kBeforeRun || node.inputs.empty() || node.inputs[0] == kNoId ||
          !(node.Is(kShapeOnly) || KeepsSlot(graph_, node))) {
        root_[at] = at;
      } else {
        at = node.inputs[0];
      }
    }
    const ValueId root = root_[at];
    for (at = value; root_[at] == kNoId; at = graph_.producer(at).inputs[0]) root_[at] = root;
    return root;
  }

  // Calls visit(root, first, last, place) for the values that tasks write bytes `begin` to `end` of the given one into:
  // bytes `first` to `last` of the root are read from `place` on.
  template <typename F>
  void ForWritten(ValueId value, int64_t begin, int64_t end, int64_t place, F&& visit) {
    value = Root(value);
    const Node& node = graph_.producer(value);
    const auto found = task_of_[node.id] == kBeforeRun ? parts_.find(node.id) : parts_.end();
    if (found == parts_.end()) return visit(value, begin, end, place);
    const auto& [whole, values, starts] = found->second;
    if (whole != value) {
      const int64_t at = starts[graph_.value(value).index];
      return ForWritten(whole, at + begin, at + end, place, visit);
    }
    for (size_t i = 0; i < values.size(); ++i) {
      const int64_t first = std::max(begin - starts[i], int64_t{0});
      const int64_t last = std::min(end - starts[i], Bytes(values[i]));
      if (first < last) ForWritten(values[i], first, last, place + starts[i] + first - begin, visit);
    }
  }

  int64_t Bytes(ValueId value) const {
    const TensorDesc& desc = graph_.desc(value);
    // In storage formats the device holds what the origin view has, and never touches what fills blocks up.
    const int64_t elements = desc.origin_shape.NumElements();
    return static_cast<int64_t>(
        DataTypeBytes(desc.dtype, IsPrivate(desc.format) ? elements : std::max(desc.shape.NumElements(), elements)));
  }
  std::pair<int64_t, int64_t> Range(ValueId value) const {
    const int64_t offset = graph_.value(value).offset;
    return {offset, offset + Bytes(value)};
  }

  bool InMemory(ValueId value) { return value != kNoId && graph_.producer(Root(value)).type() != "Const"; }

  std::vector<int64_t> Started(const Task& task) const {
    if (task.op_index >= graph_.node_capacity()) return {};
    return graph_.node(task.op_index).attrs.Get<std::vector<int64_t>>("active_stream_list", {});
  }

  // By node without a task: the tasks that come before what comes after it.
  void FindTasksBefore() {
    through_.resize(graph_.node_capacity());
    for (const NodeId id : graph_.TopologicalOrder()) {
      if (task_of_[id] != kBeforeRun || graph_.node(id).Is(kSource)) continue;
      std::vector<uint32_t> found = TasksBefore(graph_.node(id));
      std::sort(found.begin(), found.end());
      found.erase(std::unique(found.begin(), found.end()), found.end());
      through_[id] = std::move(found);
    }
  }

  void AddTasks(NodeId before, std::vector<uint32_t>* found) const {
    if (task_of_[before] != kBeforeRun) {
      found->push_back(task_of_[before]);
    } else {
      found->insert(found->end(), through_[before].begin(), through_[before].end());
    }
  }

  std::vector<uint32_t> TasksBefore(const Node& node) const {
    std::vector<uint32_t> found;
    for (const ValueId input : node.inputs) {
      if (input != kNoId) AddTasks(graph_.value(input).producer, &found);
    }
    for (const NodeId before : node.control_in) AddTasks(before, &found);
    return found;
  }

  void SetUpMemory() {
    memory_[0] = Segment{std::max<int64_t>(model_.memory_size, 0), kNothing, kBeforeRun, {}};
    if (model_.dynamic) return;
    for (NodeId id = 0; id < graph_.node_capacity(); ++id) {
      if (std::optional<Parts> parts = MarkedParts(graph_, graph_.node(id))) parts_.emplace(id, std::move(*parts));
    }
    for (const NodeId id : graph_.Inputs()) {
      const ValueId value = graph_.node(id).outputs[0];
      ForRange(value, [&](Segment& segment) { segment.holds = value; });
    }
  }

  // Calls visit(segment) for the parts of the value's bytes, cut at its ends.
  template <typename F>
  void ForRange(ValueId value, F&& visit) {
    const auto [begin, end] = Range(value);
    ForBytes(graph_.producer(value), begin, end, visit);
  }
  template <typename F>
  void ForBytes(const Node& node, int64_t begin, int64_t end, F&& visit) {
    if (begin >= end) return;
    if (begin < 0 || end > model_.memory_size) {
      Fault("what '{}' writes lies at bytes {} to {}, the memory has {}", node.name, begin, end, model_.memory_size);
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

  // To be settled once all is known.
  void Doubtful(Doubt doubt, uint32_t before, uint32_t task, uint32_t access, int64_t begin = 0, int64_t end = 0) {
    if (before == kBeforeRun) return;
    const bool same = !findings_.empty() && findings_.back().before == before && findings_.back().access == access;
    if (!same) findings_.push_back({doubt, before, task, access, begin, end});
  }

  void Read(ValueId value, uint32_t reader) {
    ForWritten(value, 0, Bytes(value), graph_.value(value).offset,
               [&](ValueId wanted, int64_t first, int64_t last, int64_t begin) {
                 ReadBytes(wanted, graph_.value(wanted).offset + first, begin, begin + last - first, reader);
               });
  }

  // Bytes of a value that a task wrote from `written` on.
  void ReadBytes(ValueId wanted, int64_t written, int64_t begin, int64_t end, uint32_t reader) {
    const auto access = static_cast<uint32_t>(++verdict_.accesses);
    const Node& producer = graph_.producer(wanted);
    if (begin != written) {
      Fault("{} reads '{}' at byte {}, which is written at byte {}", Name(reader), producer.name, begin, written);
      return;
    }
    const uint32_t stream = model_.tasks[reader].stream;
    bool told = false;  // one fault for a value is enough
    ForBytes(producer, begin, end, [&](Segment& segment) {
      if (!told && segment.holds != wanted) {
        told = true;
        Fault("{} may read bytes {} to {} before {} writes them: they hold {}", Name(reader), begin, end,
              Name(task_of_[producer.id]),
              segment.holds == kNothing ? "nothing" : "the output of " + Name(segment.writer));
      } else if (!told) {
        Doubtful(Doubt::kReadWhileWritten, segment.writer, reader, access, begin, end);
      }
      const auto at = std::lower_bound(segment.readers.begin(), segment.readers.end(), std::pair(stream, uint32_t{0}));
      if (at != segment.readers.end() && at->first == stream) {
        at->second = reader;
      } else {
        segment.readers.emplace(at, stream, reader);
      }
    });
  }

  void Write(ValueId value, uint32_t writer) {
    const auto [begin, end] = Range(value);
    WriteBytes(value, begin, end, writer, LiesInPlace(graph_, graph_.producer(value)));
  }

  void WriteBytes(ValueId value, int64_t begin, int64_t end, uint32_t writer, bool in_place) {
    const auto access = static_cast<uint32_t>(++verdict_.accesses);
    ForBytes(graph_.node(model_.tasks[writer].op_index), begin, end, [&](Segment& segment) {
      Doubtful(Doubt::kWriteWhileWritten, segment.writer, writer, access, begin, end);
      for (const auto& [stream, reader] : segment.readers) {
        if (reader != writer || !in_place) Doubtful(Doubt::kWriteWhileRead, reader, writer, access, begin, end);
      }
      segment.holds = value;
      segment.writer = writer;
      segment.readers.clear();
    });
    Join(begin, end);
  }

  // One segment for what one task wrote, so that segments do not grow in number.
  void Join(int64_t begin, int64_t end) {
    if (begin >= end || begin < 0 || end > model_.memory_size) return;
    const auto first = memory_.find(begin);
    first->second.end = end;
    memory_.erase(std::next(first), memory_.lower_bound(end));
  }

  void ReadAtEnd(ValueId value) {
    if (!InMemory(value)) return;
    ForWritten(value, 0, Bytes(value), graph_.value(value).offset,
               [&](ValueId wanted, int64_t first, int64_t last, int64_t begin) {
                 bool told = false;
                 ForBytes(graph_.producer(wanted), begin, begin + last - first, [&](Segment& segment) {
                   if (told || segment.holds == wanted) return;
                   told = true;
                   Fault("the model's output '{}' is overwritten by {}", graph_.producer(wanted).name,
                         Name(segment.writer));
                 });
               });
  }

  void RunOne(uint32_t at) {
    const Task& task = model_.tasks[at];
    if (task.op_index >= graph_.node_capacity()) return;
    const Node& node = graph_.node(task.op_index);
    std::vector<uint32_t> before;
    for (const NodeId other : node.control_in) AddTasks(other, &before);
    for (const uint32_t other : before) Doubtful(Doubt::kControl, other, at, 0);
    if (model_.dynamic) {
      // Without places in memory: whoever makes an input must be over.
      for (const ValueId input : node.inputs) {
        if (input == kNoId) continue;
        ++verdict_.accesses;
        before.clear();
        AddTasks(graph_.value(input).producer, &before);
        for (const uint32_t other : before) Doubtful(Doubt::kDataBefore, other, at, 0);
      }
      return;
    }
    if (task.type != TaskType::kKernel) return;
    for (const ValueId input : node.inputs) {
      if (InMemory(input)) Read(input, at);
    }
    // What it works on holds nothing for others, and is nobody else's while it runs.
    for (size_t i = 0; i < node.workspace_bytes.size(); ++i) {
      const int64_t begin = i < node.workspace_offset.size() ? node.workspace_offset[i] : -1;
      WriteBytes(kNothing, begin, begin + node.workspace_bytes[i], at, false);
    }
    for (const ValueId output : node.outputs) Write(output, at);
  }

  void Settle() {
    std::vector<std::pair<uint32_t, uint32_t>> questions;
    questions.reserve(findings_.size());
    for (const Finding& finding : findings_) questions.emplace_back(finding.before, finding.task);
    const std::vector<bool> over = order_.Before(questions);
    uint32_t told = 0;  // access
    for (size_t i = 0; i < findings_.size(); ++i) {
      const Finding& f = findings_[i];
      if (over[i] || (f.access != 0 && f.access == told)) continue;
      told = f.access;
      switch (f.doubt) {
        case Doubt::kReadWhileWritten:
          Fault("{} may read bytes {} to {} while {} writes them", Name(f.task), f.begin, f.end, Name(f.before));
          break;
        case Doubt::kWriteWhileWritten:
          Fault("{} may write bytes {} to {} while {} writes them", Name(f.task), f.begin, f.end, Name(f.before));
          break;
        case Doubt::kWriteWhileRead:
          Fault("{} may write bytes {} to {} while {} reads them", Name(f.task), f.begin, f.end,
                f.before == f.task ? "it" : Name(f.before));
          break;
        case Doubt::kControl:
          Fault("{} may start before {} is over, which it must wait for", Name(f.task), Name(f.before));
          break;
        case Doubt::kReset:
          Fault("{} may record event {} again before {} has waited for it", Name(f.task), model_.tasks[f.task].event,
                Name(f.before));
          break;
        case Doubt::kDataBefore:
          Fault("{} may read the output of {} before it is written", Name(f.task), Name(f.before));
          break;
      }
    }
  }

  const OmModel& model_;
  const Graph& graph_;
  OmVerdict verdict_;
  const OmOrder order_;
  std::vector<uint32_t> task_of_;               // by node; kBeforeRun: none
  std::vector<ValueId> root_;                   // by value; kNoId: not asked for yet
  std::vector<std::vector<uint32_t>> through_;  // tasks, by node without one
  std::map<NodeId, Parts> parts_;               // of nodes without a task
  std::map<int64_t, Segment> memory_;
  std::vector<Finding> findings_;
};

// The tasks that a nested graph stands for: its nodes with a stream, in the order of their ids.
OmModel NestedModel(const OmModel& model, const Graph& graph, bool gear) {
  OmModel nested;
  nested.stream_num = model.stream_num;
  nested.event_num = model.event_num;
  nested.dynamic = !gear || model.dynamic;  // the values of others have no places
  nested.memory_size = model.memory_size;
  nested.weight_size = model.weight_size;
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
      const OmVerdict nested = Judge(NestedModel(model, *subgraph.graph, IsGearCase(graph.node(id)))).Run();
      verdict->accesses += nested.accesses;
      for (const std::string& fault : nested.faults) {
        if (verdict->faults.size() < kMostFaults)
          verdict->faults.push_back("in graph '" + subgraph.graph->name + "': " + fault);
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

OmVerdict CheckOmFile(const std::string& path) {
  ReadOptions options;
  options.tell_reused_events_apart = false;  // whether a number may be used again is to be judged
  return CheckOm(ReadOm(path, options));
}

}  // namespace atc
