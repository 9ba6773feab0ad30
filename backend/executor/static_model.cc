#include "backend/executor/static_model.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>

#include "backend/executor/constant_tasks.h"
#include "backend/executor/describe.h"
#include "backend/executor/side_by_side.h"
#include "backend/executor/wide_values.h"
#include "backend/kernels/team.h"
#include "backend/runtime/device.h"
#include "compiler/ir/device_slot.h"
#include "compiler/ir/error.h"
#include "compiler/plan/buffers.h"
#include "compiler/plan/parts.h"

namespace atc {
namespace {

// So many streams may be without tasks.
constexpr int64_t kFewStreams = 1024;

// Of the value in the plan.
size_t BytesOf(const Graph& graph, ValueId id) {
  const TensorDesc& desc = graph.desc(id);
  return DataTypeBytes(desc.dtype, std::max(desc.shape.NumElements(), desc.origin_shape.NumElements()));
}

// Memory of a sibling, if it has enough; else new memory, for siblings to come too. `*reused` counts the former.
Buffer Reused(Buffer* of_siblings, size_t bytes, uint64_t* reused) {
  if (of_siblings != nullptr && bytes > 0 && of_siblings->size >= bytes) {
    *reused += bytes;
    return *of_siblings;
  }
  Buffer buffer = Buffer::Allocate(bytes);
  if (of_siblings != nullptr) *of_siblings = buffer;
  return buffer;
}

Error Damaged(const OmModel& model, const std::string& what) {
  return Error("E10041", {{"parameter", model.name}, {"reason", what}}, "Convert the model again.");
}

}  // namespace

StaticModel::StaticModel(OmModel model, const LoadOptions& options)
    : model_(std::move(model)),
      info_(DescribeModel(model_)),
      options_(options),
      device_(options.device),
      cores_(std::max<int>(1, static_cast<int>(options.cores))),
      team_choice_(cores_) {
  // Streams and events without a task are of no use: a damaged number of them would only take memory.
  const auto tasks = static_cast<int64_t>(model_.tasks.size());
  if (model_.stream_num < 1 || model_.stream_num > std::max(kFewStreams, tasks) || model_.event_num < 0 ||
      model_.event_num > tasks) {
    throw Damaged(model_, "it asks for " + std::to_string(model_.stream_num) + " streams and " +
                              std::to_string(model_.event_num) + " events");
  }
  TakeMemory(options);
  try {
    FindPlaces();
    OrderTasks();
    computed_ = constants_.Compute(*model_.graph, model_.tasks);
    WidenPlaces();
    Prepare();
    BindInterface();
  } catch (...) {
    if (owns_arena_) device_->Free(arena_);
    throw;
  }
  events_ = std::make_unique<RunEvents>(num_events_);
}

StaticModel::~StaticModel() {
  if (owns_arena_) device_->Free(arena_);
}

void StaticModel::TakeMemory(const LoadOptions& options) {
  const auto bytes = static_cast<size_t>(std::max<int64_t>(model_.memory_size, 1));
  if (options.work != nullptr) {
    if (options.work_bytes < bytes) {
      throw Error::Internal("the model needs " + std::to_string(bytes) + " bytes of feature memory, " +
                            std::to_string(options.work_bytes) + " were given");
    }
    arena_ = static_cast<std::byte*>(options.work);
    return;
  }
  void* memory = nullptr;
  if (device_->Malloc(bytes, &memory) != runtime::kOk) {
    throw Error::Internal("the device has no " + std::to_string(bytes) + " bytes for feature memory");
  }
  arena_ = static_cast<std::byte*>(memory);
  owns_arena_ = true;
}

// Every offset is checked here, once: kernels trust their addresses.
void StaticModel::FindPlaces() {
  const Graph& graph = *model_.graph;
  places_.assign(graph.value_capacity(), nullptr);
  constants_.Hold(graph);
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    if (!node.alive) continue;
    if (node.type() == "Const" && node.attrs.FindAs<Tensor>("value") != nullptr) continue;
    for (const ValueId output : node.outputs) {
      const Value& value = graph.value(output);
      if (!value.desc.shape.IsKnown())
        throw Damaged(model_, "'" + node.name + "' has an unknown shape in a static model");
      const auto bytes = static_cast<int64_t>(DataTypeBytes(value.desc.dtype, value.desc.shape.NumElements()));
      const auto origin = static_cast<int64_t>(DataTypeBytes(value.desc.dtype, value.desc.origin_shape.NumElements()));
      if (value.offset < 0 || value.offset > model_.memory_size ||
          std::max(bytes, origin) > model_.memory_size - value.offset) {
        throw Damaged(model_, "output " + std::to_string(value.index) + " of '" + node.name + "' lies at " +
                                  std::to_string(value.offset) + " with " + std::to_string(bytes) +
                                  " bytes, the memory has " + std::to_string(model_.memory_size));
      }
      places_[output] = arena_ + value.offset;
    }
    if (const std::optional<Parts> parts = MarkedParts(graph, node)) {
      // Whoever writes a part writes it into the whole.
      for (size_t i = 0; i < parts->values.size(); ++i) {
        if (graph.value(parts->values[i]).offset == graph.value(parts->whole).offset + parts->at[i]) continue;
        throw Damaged(model_, "part " + std::to_string(i) + " of '" + node.name + "' does not lie in its whole");
      }
    }
  }
}

kernels::Port StaticModel::MakePort(ValueId id) const {
  kernels::Port port;
  if (id == kNoId) return port;
  const Graph& graph = *model_.graph;
  const TensorDesc& desc = graph.desc(id);
  port.present = true;
  port.dtype = desc.dtype;
  port.shape = desc.origin_shape;
  if (wide_[id]) {
    port.rounded = port.dtype;
    port.dtype = DT_FLOAT;
  }
  port.channels_last = HoldsChannelsLast(graph, id);
  port.constant = constants_[id].defined() ? &constants_[id] : nullptr;
  return port;
}

// Every number of a task is checked here, once.
void StaticModel::OrderTasks() {
  for (const Task& task : model_.tasks) {
    if (task.stream >= static_cast<uint64_t>(model_.stream_num) || task.op_index >= model_.graph->node_capacity()) {
      throw Damaged(model_, "task " + std::to_string(task.id) + " names a stream or node that does not exist");
    }
    const bool event = task.type == TaskType::kEventRecord || task.type == TaskType::kEventWait;
    if (task.type != TaskType::kKernel && task.type != TaskType::kStreamActive &&
        (!event || task.event >= static_cast<uint64_t>(model_.event_num))) {
      throw Damaged(model_, "task " + std::to_string(task.id) + " has a type or event that this device does not know");
    }
  }
  StartsToEvents();
  std::vector<Task> order = FindRunOrder(model_.tasks, static_cast<size_t>(model_.stream_num), num_events_);
  if (order.size() != model_.tasks.size()) throw Damaged(model_, "some of its streams wait for each other for ever");
  model_.tasks = std::move(order);
}

// A stream that a StreamActive starts waits, ahead of its first task, for an event that is recorded there.
void StaticModel::StartsToEvents() {
  num_events_ = static_cast<size_t>(model_.event_num);
  std::vector<Task> tasks;
  std::vector<uint32_t> starts(static_cast<size_t>(model_.stream_num),
                               0);  // event + 1; 0: the stream begins with the model
  for (Task& task : model_.tasks) {
    if (task.type != TaskType::kStreamActive) continue;
    const Node& node = model_.graph->node(task.op_index);
    task.type = TaskType::kEventRecord;
    task.event = static_cast<uint32_t>(num_events_++);
    for (const int64_t stream : node.attrs.Get<std::vector<int64_t>>("active_stream_list", {})) {
      if (stream < 0 || stream >= model_.stream_num) {
        throw Damaged(model_, "'" + node.name + "' starts stream " + std::to_string(stream) + ", which does not exist");
      }
      uint32_t& start = starts[static_cast<size_t>(stream)];
      if (start == 0) start = task.event + 1;
    }
  }
  if (num_events_ == static_cast<size_t>(model_.event_num)) return;
  for (const Task& task : model_.tasks) {
    if (uint32_t& start = starts[task.stream]; start != 0) {
      Task wait = task;  // named as the task that it holds up
      wait.type = TaskType::kEventWait;
      wait.event = start - 1;
      start = 0;
      tasks.push_back(std::move(wait));
    }
    tasks.push_back(task);
  }
  model_.tasks = std::move(tasks);
}

// Places of twice the bytes, twice as far in an arena of their own, overlap where those of the plan do and nowhere else.
void StaticModel::WidenPlaces() {
  const Graph& graph = *model_.graph;
  wide_ = FindWideValues(graph, model_.tasks, computed_);
  int64_t end = 0;
  const auto for_each = [&](const auto& body) {
    for (ValueId id = 0; id < wide_.size(); ++id) {
      if (wide_[id]) body(id);
    }
  };
  for_each([&](ValueId id) {
    end = std::max(end, 2 * (graph.value(id).offset + static_cast<int64_t>(BytesOf(graph, id))));
  });
  if (end == 0) return;
  wide_arena_ =
      Reused(options_.siblings ? &options_.siblings->wide_arena : nullptr, static_cast<size_t>(end), &shared_bytes_);
  for_each([&](ValueId id) { places_[id] = wide_arena_.data + 2 * graph.value(id).offset; });
}

// What a run writes of the arena, or of the wide one.
Pages StaticModel::PagesOf(bool wide) const {
  const Graph& graph = *model_.graph;
  Pages pages(wide ? wide_arena_.size : static_cast<size_t>(std::max<int64_t>(model_.memory_size, 1)));
  if (!wide && wide_arena_.size == 0) {
    pages.AddAll();
    return pages;
  }
  const size_t scale = wide ? 2 : 1;
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    if (!node.alive || node.type() == "Const") continue;
    for (const ValueId output : node.outputs) {
      if (wide_[output] == wide)
        pages.Add(scale * static_cast<size_t>(graph.value(output).offset), scale * BytesOf(graph, output));
    }
    for (size_t i = 0; !wide && i < std::min(node.workspace_bytes.size(), node.workspace_offset.size()); ++i) {
      const int64_t at = node.workspace_offset[i], bytes = node.workspace_bytes[i];
      // FindWorkspace refuses what does not fit.
      if (at >= 0 && bytes >= 0 && bytes <= model_.memory_size - at)
        pages.Add(static_cast<size_t>(at), static_cast<size_t>(bytes));
    }
  }
  return pages;
}

// Steps in the order of preparation: what has most to prepare first, so that threads which share the work end together.
// Steps of one kind are likely to share code that oneDNN makes for the first of them, for which another thread would have
// to wait: all others come last.
std::vector<size_t> StaticModel::ByConstants() const {
  struct Work {
    size_t at, bytes;
    bool repeated;
  };
  std::vector<Work> all;
  std::set<std::string> kinds;
  for (size_t at = 0; at < steps_.size(); ++at) {
    const Node& node = model_.graph->node(model_.tasks[at].op_index);
    Work work{at, 0, false};
    std::string kind = node.type().str();
    for (const ValueId input : node.inputs) {
      if (input == kNoId) continue;
      const Tensor& constant = constants_[input];
      work.bytes += constant.NumBytes();
      kind += ToString(constant.defined() ? constant.shape() : model_.graph->desc(input).origin_shape);
    }
    work.repeated = !kinds.insert(std::move(kind)).second;
    all.push_back(work);
  }
  std::stable_sort(all.begin(), all.end(), [](const Work& a, const Work& b) {
    return a.repeated != b.repeated ? b.repeated : a.bytes > b.bytes;
  });
  std::vector<size_t> order;
  for (const Work& work : all) order.push_back(work.at);
  return order;
}

// Calls visit(value, port) for each input of the kernel that a step has, if it has one.
template <typename Visit>
void StaticModel::ForInputs(size_t at, const Visit& visit) const {
  const Task& task = model_.tasks[at];
  if (task.type != TaskType::kKernel || computed_[task.op_index]) return;
  const std::vector<ValueId>& inputs = model_.graph->node(task.op_index).inputs;
  for (size_t port = 0; port < inputs.size(); ++port) {
    if (inputs[port] != kNoId) visit(inputs[port], port);
  }
}

void StaticModel::Prepare() {
  Graph& graph = *model_.graph;
  std::vector<TaskTime> times;
  times.reserve(model_.tasks.size());
  for (const Task& task : model_.tasks) {
    times.push_back(task.type == TaskType::kKernel ? EstimateTaskTime(graph, graph.node(task.op_index), cores_)
                                                   : TaskTime());
  }
  Schedule schedule = MakeSchedule(model_.tasks, times, static_cast<size_t>(model_.stream_num), cores_);
  phases_ = std::move(schedule.phases);
  phase_times_.resize(phases_.size());
  steps_.resize(model_.tasks.size());
  size_t lanes = 1;
  for (const Phase& phase : phases_) lanes = std::max(lanes, phase.lanes.size());
  std::vector<size_t> scratch(lanes, 0);
  for (size_t at = 0; at < steps_.size(); ++at) ForInputs(at, [&](ValueId value, size_t) { constants_.Expect(value); });
  for (const ValueId output : graph.NetOutput()->inputs) {
    constants_.Expect(output);
    constants_.Borrow(output);
    constants_.Return(output, true);
  }
  const auto prepared = options_.siblings ? options_.siblings->prepared : kernels::MakePreparedConstants();
  const std::vector<size_t> order = ByConstants();
  const Pages arena_pages = PagesOf(false), wide_pages = PagesOf(true);
  // The arena's pages come first: they take as long as the longest step.
  const bool touches = owns_arena_ || options_.siblings;
  const size_t arena = touches || wide_arena_.size > 0 ? 1 : 0;
  SideBySide(cores_, arena + order.size(), [&](size_t i) {
    if (i < arena) {
      if (touches) arena_pages.Touch(arena_);
      return wide_pages.Touch(wide_arena_.data);
    }
    const size_t at = order[i - arena];
    steps_[at].times.expected = static_cast<float>(times[at].alone_us);
    PrepareStep(at, schedule.team[at] ? cores_ : 1, prepared.get());
  });
  for (const Step& step : steps_) info_.prepared_weight_bytes += step.kernel ? step.kernel->prepared_bytes() : 0;
  for (const Phase& phase : phases_) {
    for (size_t lane = 0; lane < phase.lanes.size(); ++lane) {
      for (const uint32_t at : phase.lanes[lane]) {
        if (steps_[at].kernel && steps_[at].workspace == nullptr) {
          scratch[lane] = std::max(scratch[lane], steps_[at].kernel->scratch_bytes());
        }
        // The lanes of a phase may have to run one after the other, on the first one's scratch.
        scratch[0] = std::max(scratch[0], scratch[lane]);
      }
    }
  }
  constants_.DropUnread();
  uint64_t scratch_bytes = 0;
  if (options_.siblings && options_.siblings->scratch.size() < lanes) options_.siblings->scratch.resize(lanes);
  for (size_t lane = 0; lane < lanes; ++lane) {
    uint64_t reused = 0;
    scratch_.push_back(Reused(options_.siblings ? &options_.siblings->scratch[lane] : nullptr, scratch[lane], &reused));
    Pages pages(scratch[lane]);
    pages.AddAll();
    pages.Touch(scratch_.back().data);
    scratch_bytes += scratch[lane] - reused;
  }
  spans_.resize(lanes);
  own_bytes_ = info_.arena_bytes + info_.weight_bytes + info_.prepared_weight_bytes + scratch_bytes;
  if (shared_bytes_ == 0) own_bytes_ += wide_pages.bytes();
  info_.peak_bytes = own_bytes_;
  options_.siblings.reset();
}

void StaticModel::PrepareStep(size_t at, int threads, kernels::PreparedConstants* prepared) {
  const Graph& graph = *model_.graph;
  const Task& task = model_.tasks[at];
  Step& step = steps_[at];
  step.type = task.type;
  step.event = task.event;
  step.threads = threads;
  if (task.type != TaskType::kKernel || computed_[task.op_index]) return;
  const kernels::Team team(threads);
  const Node& node = graph.node(task.op_index);
  kernels::KernelSpec spec{node, {}, {}, threads, prepared};
  if (!node.subgraphs.empty()) {
    LoadOptions options = options_;
    options.cores = static_cast<uint32_t>(threads);
    step.nested = std::make_unique<NodeKernels>(model_, options);
    step.nested->PrepareBranches(graph, node);
    spec.nested = step.nested.get();
  }
  ForInputs(at, [&](ValueId value, size_t) { constants_.Borrow(value); });
  for (const ValueId input : node.inputs) {
    spec.inputs.push_back(MakePort(input));
    step.inputs.push_back(input == kNoId ? nullptr : Address(input));
  }
  for (const ValueId output : node.outputs) {
    spec.outputs.push_back(MakePort(output));
    // Of several outputs those that nobody reads need not be written.
    const bool unread = node.outputs.size() > 1 && graph.value(output).uses.empty();
    step.outputs.push_back(unread ? nullptr : Address(output));
  }
  step.kernel = kernels::MakeKernel(spec);
  ForInputs(at, [&](ValueId value, size_t port) { constants_.Return(value, step.kernel->Reads(port)); });
  step.workspace = FindWorkspace(node, step.kernel->scratch_bytes());
}

// Where a planned workspace has room for what the kernel works on, aligned as kernels want it.
std::byte* StaticModel::FindWorkspace(const Node& node, size_t bytes) const {
  for (size_t i = 0; i < node.workspace_bytes.size(); ++i) {
    const int64_t at = i < node.workspace_offset.size() ? node.workspace_offset[i] : -1;
    if (at < 0 || node.workspace_bytes[i] < 0 || node.workspace_bytes[i] > model_.memory_size - at) {
      throw Damaged(model_, "workspace " + std::to_string(i) + " of '" + node.name + "' lies at " + std::to_string(at) +
                                " with " + std::to_string(node.workspace_bytes[i]) + " bytes, the memory has " +
                                std::to_string(model_.memory_size));
    }
    if (bytes > 0 && static_cast<size_t>(node.workspace_bytes[i]) >= bytes && at % kBlockAlign == 0) return arena_ + at;
  }
  return nullptr;
}

void StaticModel::Fail(std::exception_ptr error) {
  {
    const std::lock_guard lock(error_mutex_);
    if (!error_) error_ = std::move(error);
  }
  events_->GiveUp();
}

void StaticModel::SetProfile(RunProfile* profile) {
  profile_ = profile;
  if (profile == nullptr) return;
  profiled_from_ = static_cast<uint32_t>(profile->tasks.size());
  for (const Task& task : model_.tasks) profile->tasks.push_back(DescribeTask(*model_.graph, task));
  for (std::vector<TaskSpan>& spans : spans_) spans.reserve(steps_.size());
}

// False when the run was given up.
bool StaticModel::RunStep(size_t at, size_t lane) {
  Step& step = steps_[at];
  const uint64_t start = profile_ ? ProfileClock() : 0;
  bool go_on = true;
  switch (step.type) {
    case TaskType::kEventRecord: events_->Record(step.event); break;
    case TaskType::kEventWait: go_on = events_->Wait(step.event); break;
    default:
      if (observer_ && observer_.inputs) TellInputs(at);  // before a kernel that works in place
      if (step.kernel) {                                  // without one its result is a constant by now
        step.kernel->Run(step.inputs.data(), step.outputs.data(),
                         step.workspace != nullptr ? step.workspace : scratch_[lane].data);
      }
      if (observer_) TellOutputs(at);
  }
  if (profile_) {
    spans_[lane].push_back({profile_->runs, profiled_from_ + static_cast<uint32_t>(at),
                            static_cast<uint32_t>(kernels::IsAlone() ? 1 : step.threads), start, ProfileClock()});
  }
  return go_on;
}

void StaticModel::Tell(size_t at, bool input, size_t port, ValueId value, const void* from) {
  if (value == kNoId) return;
  if (constants_[value].defined()) from = constants_[value].Data();
  if (from == nullptr) return;  // absent, or nobody reads it
  const Task& task = model_.tasks[at];
  const kernels::Port made = MakePort(value);
  NodeTensor tensor;
  tensor.graph = model_.graph.get();
  tensor.node = &model_.graph->node(task.op_index);
  tensor.input = input;
  tensor.port = static_cast<uint32_t>(port);
  tensor.position = static_cast<uint32_t>(at);
  tensor.task = task.id;
  tensor.stream = task.stream;
  tensor.value = value;
  tensor.data = CopyInOriginView(made.dtype, made.shape, from, made.channels_last);
  if (made.rounded != DT_UNDEFINED) tensor.data = Narrow(tensor.data, made.rounded);
  const std::lock_guard lock(observer_mutex_);
  observer_.tell(tensor);
}

void StaticModel::TellInputs(size_t at) {
  const Node& node = model_.graph->node(model_.tasks[at].op_index);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    Tell(at, true, i, node.inputs[i], i < steps_[at].inputs.size() ? steps_[at].inputs[i] : nullptr);
  }
}

void StaticModel::TellOutputs(size_t at) {
  const Node& node = model_.graph->node(model_.tasks[at].op_index);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    Tell(at, false, i, node.outputs[i], i < steps_[at].outputs.size() ? steps_[at].outputs[i] : nullptr);
  }
}

void StaticModel::RunLane(const std::vector<uint32_t>& steps, size_t lane) {
  try {
    for (const uint32_t at : steps) {
      if (!RunStep(at, lane)) return;
    }
  } catch (...) {
    Fail(std::current_exception());
  }
}

void StaticModel::RunTogether(size_t number) {
  const Phase& phase = phases_[number];
  const auto run = [&] {
    if (kernels::RunTogether(static_cast<int>(phase.lanes.size()), [&](int lane) { RunLane(phase.lanes[lane], lane); }))
      return true;
    std::vector<uint32_t> all;
    for (const std::vector<uint32_t>& lane : phase.lanes) all.insert(all.end(), lane.begin(), lane.end());
    std::sort(all.begin(), all.end());
    const kernels::Team team(1);
    RunLane(all, 0);
    return false;
  };
  kernels::RunChosen(team_choice_, phase_times_[number], static_cast<int>(phase.lanes.size()), run);
}

void StaticModel::RunPhase(size_t number) {
  if (phases_[number].together) return RunTogether(number);
  const kernels::Team narrow(1);
  try {
    for (const uint32_t at : phases_[number].lanes[0]) {
      Step& step = steps_[at];
      const auto run = [&] { return RunStep(at, 0); };
      if (step.nested) {  // its plans choose by themselves
        const kernels::Team team(step.threads);
        if (!run()) return;
      } else if (!(step.kernel && step.threads > 1 ? kernels::RunChosen(team_choice_, step.times, step.threads, run)
                                                   : run())) {
        return;
      }
    }
  } catch (...) {
    Fail(std::current_exception());
  }
}

void StaticModel::Execute(std::span<const TensorView> inputs, std::span<TensorView> outputs, runtime::Stream& stream) {
  MakeRoom(outputs, stream);
  Run(inputs, outputs);
}

void StaticModel::Run(std::span<const TensorView> inputs, std::span<TensorView> outputs) {
  TakeInputs(inputs);
  PlaceOutputs(inputs, outputs);
  error_ = nullptr;
  events_->Begin();
  for (size_t phase = 0; phase < phases_.size(); ++phase) {
    RunPhase(phase);
    if (events_->given_up()) break;
  }
  if (profile_) {
    for (std::vector<TaskSpan>& spans : spans_) {
      profile_->spans.insert(profile_->spans.end(), spans.begin(), spans.end());
      spans.clear();
    }
    ++profile_->runs;
  }
  uint64_t nested = 0;
  for (const Step& step : steps_) nested += step.nested ? step.nested->bytes() : 0;
  info_.peak_bytes = std::max(info_.peak_bytes, own_bytes_ + nested);
  if (error_) std::rethrow_exception(error_);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (placed_[i] || outputs_[i].bytes() == 0) continue;
    std::memcpy(outputs[i].data, outputs_[i].base(), outputs_[i].bytes());
  }
}

}  // namespace atc
