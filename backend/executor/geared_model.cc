#include "backend/executor/geared_model.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "backend/executor/describe.h"
#include "backend/executor/dynamic_model.h"
#include "backend/executor/shape_plan.h"
#include "backend/executor/static_model.h"
#include "backend/runtime/device.h"
#include "compiler/ir/error.h"

namespace atc {
namespace {

int64_t InputElements(const GearInfo::Gear& gear) {
  int64_t elements = 0;
  for (const Shape& shape : gear.inputs) elements += shape.IsKnown() ? shape.NumElements() : 0;
  return elements;
}

// Programs write 4 or 8 bytes for each size, by the room that there is.
template <typename T>
std::vector<int64_t> Read(const TensorView& told, size_t count) {
  std::vector<T> sizes(count);
  std::memcpy(sizes.data(), told.data, count * sizeof(T));
  return {sizes.begin(), sizes.end()};
}

}  // namespace

GearedModel::GearedModel(OmModel model, const LoadOptions& options)
    : info_(DescribeModel(model)), device_(options.device) {
  const Gears gears = GearsOf(*model.graph);
  LoadOptions shared = options;
  shared.siblings = std::make_shared<Siblings>();
  if (!model.dynamic && options.work == nullptr) {
    TakeMemory(options, model.memory_size);
    shared.work = arena_;
    shared.work_bytes = static_cast<size_t>(model.memory_size);
  }
  try {
    Load(model, gears, shared);
  } catch (...) {
    if (arena_ != nullptr) device_->Free(arena_);
    throw;
  }
  CountMemory();
}

GearedModel::~GearedModel() {
  copies_.clear();
  if (arena_ != nullptr) device_->Free(arena_);
}

void GearedModel::TakeMemory(const LoadOptions& options, int64_t bytes) {
  void* memory = nullptr;
  if (options.device->Malloc(static_cast<size_t>(std::max<int64_t>(bytes, 1)), &memory) != runtime::kOk) {
    throw Error::Internal("the device has no " + std::to_string(bytes) + " bytes for feature memory");
  }
  arena_ = static_cast<std::byte*>(memory);
}

void GearedModel::Load(OmModel& whole, const Gears& gears, const LoadOptions& options) {
  const std::vector<NodeId> inputs = whole.graph->Inputs();
  Node& owner = whole.graph->node(gears.owner);
  copies_.resize(gears.gears.size());
  // The largest first: what it takes serves the others.
  std::vector<size_t> order(copies_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return InputElements(info_.gears.gears[a]) > InputElements(info_.gears.gears[b]);
  });
  for (const size_t gear : order) {
    OmModel part;
    part.name = whole.name;
    part.attrs = whole.attrs;
    part.dynamic = whole.dynamic;
    part.memory_size = whole.memory_size;
    part.graph = std::move(owner.subgraphs[gear].graph);
    part.graph->parent_graph = nullptr;
    for (const NodeId id : part.graph->Inputs()) {
      const uint32_t outer = OuterInput(part.graph->node(id));
      const auto input = outer < owner.inputs.size()
                             ? std::find(inputs.begin(), inputs.end(), whole.graph->value(owner.inputs[outer]).producer)
                             : inputs.end();
      if (input == inputs.end()) {
        throw Error("E10041", {{"parameter", whole.name}, {"reason", "an input of a gear is none of the model"}},
                    "Convert the model again.");
      }
      copies_[gear].inputs.push_back(static_cast<size_t>(input - inputs.begin()));
    }
    if (part.dynamic) {
      part.stream_num = whole.stream_num;
      part.event_num = whole.event_num;
      copies_[gear].model = std::make_unique<DynamicModel>(std::move(part), options);
    } else {
      AddTasks(part);
      copies_[gear].model = std::make_unique<StaticModel>(std::move(part), options);
    }
  }
}

void GearedModel::CountMemory() {
  info_.peak_bytes = info_.arena_bytes + info_.weight_bytes;
  info_.prepared_weight_bytes = 0;
  for (const Copy& copy : copies_) {
    const ModelInfo& info = copy.model->info();
    info_.peak_bytes += info.peak_bytes - std::min(info.peak_bytes, info.arena_bytes);
    info_.prepared_weight_bytes += info.prepared_weight_bytes;
  }
}

size_t GearedModel::GearOf(const TensorView& told) const {
  const std::vector<GearInfo::Gear>& gears = info_.gears.gears;
  const size_t count = gears[0].sizes.size();
  if (told.data == nullptr || told.bytes < count * sizeof(uint32_t)) {
    throw Error::Internal("input '" + std::string(kGearData) + "' has " + std::to_string(told.bytes) + " bytes, " +
                          std::to_string(count * sizeof(uint32_t)) + " are needed");
  }
  std::vector<int64_t> sizes = Read<uint32_t>(told, count);
  const auto is_gear = [&](const GearInfo::Gear& gear) { return gear.sizes == sizes; };
  auto found = std::end(gears);
  if (told.bytes >= count * sizeof(uint64_t)) {
    const std::vector<int64_t> narrow = std::exchange(sizes, Read<uint64_t>(told, count));
    found = std::find_if(gears.begin(), gears.end(), is_gear);
    if (found == gears.end()) sizes = narrow;
  }
  if (found == gears.end()) found = std::find_if(gears.begin(), gears.end(), is_gear);
  if (found != gears.end()) return static_cast<size_t>(found - gears.begin());
  std::vector<std::vector<int64_t>> all;
  for (const GearInfo::Gear& gear : gears) all.push_back(gear.sizes);
  throw Error::Internal(GearsText({sizes}) + " is no gear of model '" + info_.name + "', which has " + GearsText(all) +
                        "; aclmdlSetDynamicBatchSize, aclmdlSetDynamicHWSize or aclmdlSetInputDynamicDims chooses one");
}

void GearedModel::Execute(std::span<const TensorView> inputs, std::span<TensorView> outputs, runtime::Stream& stream) {
  if (inputs.size() != info_.inputs.size()) {
    throw Error::Internal("the model has " + std::to_string(info_.inputs.size()) + " inputs, " +
                          std::to_string(inputs.size()) + " were given");
  }
  const size_t gear = GearOf(inputs[info_.gears.input]);
  const std::vector<Shape>& shapes = info_.gears.gears[gear].inputs;
  Copy& copy = copies_[gear];
  given_.clear();
  for (const size_t input : copy.inputs) {
    if (inputs[input].shape.IsKnown() && inputs[input].shape != shapes[input]) {
      throw Error::Internal("input '" + info_.inputs[input].name + "' has shape " + ToString(inputs[input].shape) +
                            ", the gear that was chosen has " + ToString(shapes[input]));
    }
    given_.push_back({inputs[input].data, inputs[input].bytes, shapes[input]});
  }
  if (copy.profile != profile_) {
    copy.model->SetProfile(profile_);
    copy.profile = profile_;
  }
  if (observer_ && !copy.observed) {
    copy.model->SetObserver(observer_);
    copy.observed = true;
  }
  copy.model->Execute(given_, outputs, stream);
  CountMemory();
}

void GearedModel::SetProfile(RunProfile* profile) {
  profile_ = profile;
  for (Copy& copy : copies_) {
    copy.model->SetProfile(nullptr);
    copy.profile = nullptr;
  }
}

void GearedModel::SetObserver(NodeObserver observer) {
  observer_ = std::move(observer);
  for (Copy& copy : copies_) {
    copy.model->SetObserver({});
    copy.observed = false;
  }
}

}  // namespace atc
