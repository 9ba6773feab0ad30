// acl_mdl.h: runs.
#include <algorithm>
#include <atomic>
#include <optional>

#include "backend/acl/dataset.h"
#include "backend/acl/handles.h"
#include "backend/acl/include/acl/acl_mdl.h"
#include "backend/acl/model_table.h"
#include "backend/acl/tensor_watch.h"
#include "backend/executor/value_codec.h"

using namespace atc::acl;
using atc::ModelInfo;
using atc::Shape;
using atc::TensorInfo;
using atc::TensorView;
using atc::runtime::Context;
using atc::runtime::MemoryKind;
using atc::runtime::Runtime;
using atc::runtime::Stream;

namespace {

constexpr auto kParam = static_cast<aclError>(ACL_ERROR_GE_PARAM_INVALID);
constexpr auto kAddress = static_cast<aclError>(ACL_ERROR_GE_EXEC_MODEL_ADDR_INVALID);
constexpr aclError kModelExecute = ACL_ERROR_RT_MODEL_EXECUTE;  // a run that fails on its stream
constexpr auto kShape = static_cast<aclError>(ACL_ERROR_GE_SHAPE_INVALID);

// What a run was prepared for. While none of it has changed, the next run of the same need not be prepared anew.
struct Prepared {
  uint32_t model_id = 0;
  const aclmdlDataset* input = nullptr;
  const aclmdlDataset* output = nullptr;  // null: nothing was
  uint64_t dataset_changes = 0;
  std::optional<uint64_t> frees;          // of memory, when it was looked at
  std::optional<uint64_t> removed_descs;  // when the outputs were described

  bool IsFor(uint32_t id, const aclmdlDataset* in, const aclmdlDataset* out) const {
    return out != nullptr && output == out && input == in && model_id == id &&
           dataset_changes == atc::acl::dataset_changes.load(std::memory_order_acquire);
  }
};

// A run that is ready to go: the buffers as they were when it was asked for.
struct Run {
  Prepared prepared;
  std::shared_ptr<Model> model;
  std::shared_ptr<Dataset> input_set;
  std::shared_ptr<Dataset> output_set;
  std::vector<TensorView> inputs;
  std::vector<TensorView> outputs;
  std::vector<char> allocated;  // of each output: its memory is made by the run
};

// A run that is kept from one call of the thread to the next, with all that was found for it. Calls may nest.
class ReusedRun {
 public:
  ReusedRun() : run_(std::move(spare)) {
    if (!run_) run_ = std::make_unique<Run>();
  }
  ~ReusedRun() { spare = std::move(run_); }
  ReusedRun(const ReusedRun&) = delete;
  ReusedRun& operator=(const ReusedRun&) = delete;
  Run& operator*() const { return *run_; }

 private:
  static thread_local std::unique_ptr<Run> spare;
  std::unique_ptr<Run> run_;
};
thread_local std::unique_ptr<Run> ReusedRun::spare;

// An input or an output in messages: its name is made only where a message is.
struct Port {
  const char* side;
  size_t index;
  const TensorInfo& tensor;
  std::string Named() const { return std::string(side) + " " + std::to_string(index) + " ('" + tensor.name + "')"; }
};

// Memory of a device, as far as it is said to reach.
aclError CheckMemory(const TensorView& view, const Port& port) {
  if (view.data == nullptr) return ACL_SUCCESS;
  const atc::runtime::Memory& memory = Runtime::Get().memory();
  const auto found = memory.Find(view.data);
  if (!found || found->kind != MemoryKind::kDevice) {
    return Fail(kAddress, port.Named() + ": the buffer's address is not device memory (aclrtMalloc), or was freed");
  }
  const auto offset = static_cast<size_t>(static_cast<const std::byte*>(view.data) - found->base);
  if (view.bytes <= found->bytes - offset || memory.InBounds(view.data, view.bytes)) return ACL_SUCCESS;
  return Fail(kAddress, port.Named() + ": the buffer is said to have " + std::to_string(view.bytes) +
                            " bytes, which reaches past its allocation");
}

aclError CheckAllMemory(Run& run) {
  const uint64_t frees = Runtime::Get().memory().frees();
  if (run.prepared.frees == frees) return ACL_SUCCESS;
  const ModelInfo& info = *run.model->signature;
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    const aclError code = CheckMemory(run.inputs[i], {"input", i, info.inputs[i]});
    if (code != ACL_SUCCESS) return code;
  }
  for (size_t i = 0; i < run.outputs.size(); ++i) {
    const aclError code = CheckMemory(run.outputs[i], {"output", i, info.outputs[i]});
    if (code != ACL_SUCCESS) return code;
  }
  run.prepared.frees = frees;
  return ACL_SUCCESS;
}

// The shape of an input in this run: as declared, or as the dataset's description says where that is open. With gears it
// may stay open until the run, which finds the gear in the input that tells it.
aclError InputShape(const Port& port, const TensorDesc* desc, bool gears, Shape* out) {
  const TensorInfo& declared = port.tensor;
  if (desc == nullptr) {
    if (!declared.shape.IsKnown() && !gears) {
      return Fail(kShape, port.Named() + ": its shape " + ToString(declared.shape) +
                              " is open; set the one of this run by aclmdlSetDatasetTensorDesc");
    }
    *out = declared.shape;
    return ACL_SUCCESS;
  }
  bool fits = desc->shape.IsKnown();
  if (fits && declared.shape.HasRank()) {
    fits = desc->shape.rank() == declared.shape.rank();
    for (size_t i = 0; fits && i < declared.shape.rank(); ++i) {
      fits = declared.shape[i] < 0 || declared.shape[i] == desc->shape[i];
    }
  }
  if (!fits) {
    return Fail(kShape, port.Named() + ": the shape " + ToString(desc->shape) + " was set; the model takes " +
                            ToString(declared.shape));
  }
  *out = desc->shape;
  return ACL_SUCCESS;
}

// Bytes that a buffer of this type and shape has at least; strings and sequences take a count for each element and more.
std::optional<size_t> LeastBytes(atc::DataType dtype, const Shape& shape) {
  return TensorBytes(atc::IsSerialised(dtype) ? atc::DT_UINT64 : dtype, shape);
}

aclError MakeViews(Dataset& set, const ModelInfo& info, bool is_input, bool may_allocate,
                   std::vector<TensorView>* views) {
  const std::vector<TensorInfo>& declared = is_input ? info.inputs : info.outputs;
  const char* side = is_input ? "input" : "output";
  std::lock_guard lock(set.mutex);
  if (set.entries.size() != declared.size()) {
    return Fail(kParam, "the " + std::string(side) + " dataset has " + std::to_string(set.entries.size()) +
                            " buffer(s); the model has " + std::to_string(declared.size()) + " " + side + "(s)");
  }
  views->resize(declared.size());
  for (size_t i = 0; i < declared.size(); ++i) {
    const TensorInfo& tensor = declared[i];
    const Port port{side, i, tensor};
    TensorView& view = (*views)[i];  // from an earlier run: all of it is set
    {
      Buffer& buffer = *set.entries[i].buffer;
      std::lock_guard buffer_lock(buffer.mutex);
      view.data = buffer.data;
      view.bytes = buffer.bytes;
    }
    // Bytes that must be there; none is known for an output whose shape only the run tells.
    std::optional<size_t> needed;
    if (is_input) {
      if (const aclError code = InputShape(port, set.entries[i].desc.get(), !info.gears.empty(), &view.shape);
          code != ACL_SUCCESS) {
        return code;
      }
      if (view.shape.IsKnown()) needed = LeastBytes(tensor.dtype, view.shape);
      if (!needed && view.shape.IsKnown())
        return Fail(kShape, port.Named() + ": the shape " + ToString(view.shape) + " is too large");
    } else if (tensor.shape.IsKnown()) {
      view.shape = tensor.shape;
      needed = LeastBytes(tensor.dtype, view.shape);
    } else {
      view.shape = Shape();
    }
    const bool allocated_later = !is_input && may_allocate && view.bytes == 0;
    if (view.data == nullptr && needed != 0u && !allocated_later) {
      return Fail(ACL_ERROR_INVALID_PARAM, port.Named() + ": the buffer's address is NULL");
    }
    if (view.data != nullptr && needed && view.bytes < *needed) {
      return Fail(kParam, port.Named() + ": the buffer has " + std::to_string(view.bytes) + " bytes; " +
                              std::string(DataTypeName(tensor.dtype)) + " " + ToString(view.shape) + " takes " +
                              std::to_string(*needed) + (atc::IsSerialised(tensor.dtype) ? " or more" : ""));
    }
  }
  return ACL_SUCCESS;
}

// Whether the views of this run hold for the next one too: not where a description may have another shape by then, or
// memory is made by the run.
bool Repeatable(const Run& run) {
  const auto known = [](const TensorInfo& tensor) { return tensor.shape.IsKnown(); };
  const ModelInfo& info = *run.model->signature;
  return std::all_of(info.inputs.begin(), info.inputs.end(), known) &&
         std::all_of(info.outputs.begin(), info.outputs.end(), known) &&
         std::none_of(run.outputs.begin(), run.outputs.end(),
                      [](const TensorView& view) { return view.data == nullptr; });
}

// Finds everything and makes the views: what can be wrong with a call is told at the call.
aclError Prepare(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output, bool may_allocate, Run* run) {
  if (run->prepared.IsFor(modelId, input, output)) return ACL_SUCCESS;
  run->prepared = {modelId, input, nullptr, dataset_changes.load(std::memory_order_acquire), {}, {}};
  if (input == nullptr) return NullArgument("input");
  if (output == nullptr) return NullArgument("output");
  run->input_set = Datasets().Find(input);
  if (!run->input_set) return BadHandle("input", "a dataset");
  run->output_set = Datasets().Find(output);
  if (!run->output_set) return BadHandle("output", "a dataset");
  if (const aclError code = ModelTable::Get().Find(modelId, &run->model); code != ACL_SUCCESS) return code;
  const ModelInfo& info = *run->model->signature;
  aclError code = MakeViews(*run->input_set, info, true, false, &run->inputs);
  if (code == ACL_SUCCESS) code = MakeViews(*run->output_set, info, false, may_allocate, &run->outputs);
  if (code == ACL_SUCCESS && Repeatable(*run)) run->prepared.output = output;
  return code;
}

// Writes what came out into the output dataset: shapes, and the memory of outputs that had none.
void Publish(Run& run) {
  const std::vector<TensorInfo>& declared = run.model->signature->outputs;
  std::lock_guard lock(run.output_set->mutex);
  const uint64_t removed = TensorDescs().removals();
  const bool same_handles = run.prepared.removed_descs == removed;
  run.prepared.removed_descs = removed;
  for (size_t i = 0; i < run.outputs.size(); ++i) {
    const TensorView& view = run.outputs[i];
    run.output_set->Describe(i, declared[i], view.shape, same_handles);
    if (run.allocated[i] == 0) continue;
    Buffer& buffer = *run.output_set->entries[i].buffer;
    std::lock_guard buffer_lock(buffer.mutex);
    buffer.data = view.data;
    buffer.bytes = view.bytes;
  }
}

// Runs it on the calling thread.
aclError Execute(Run& run, Stream& stream) {
  std::lock_guard lock(run.model->run);
  if (!run.model->loaded) {
    return Fail(static_cast<aclError>(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID),
                "model " + std::to_string(run.model->id) + " was unloaded before this run");
  }
  if (const aclError code = stream.device().StartKernel(run.model->signature->name); code != ACL_SUCCESS) return code;
  // Now, not when the run was asked for: what was right when it was queued may be freed by now.
  if (const aclError code = CheckAllMemory(run); code != ACL_SUCCESS) return code;
  const RunWatch watch(*run.model);
  run.allocated.resize(run.outputs.size());
  for (size_t i = 0; i < run.outputs.size(); ++i) run.allocated[i] = run.outputs[i].data == nullptr ? 1 : 0;
  try {
    run.model->loaded->Execute(run.inputs, run.outputs, stream);
  } catch (...) {
    for (size_t i = 0; i < run.outputs.size(); ++i) {
      if (run.allocated[i] != 0 && run.outputs[i].data != nullptr) stream.device().Free(run.outputs[i].data);
    }
    throw;
  }
  Publish(run);
  return ACL_SUCCESS;
}

}  // namespace

aclError aclmdlExecute(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output) {
  return Guard([&]() -> aclError {
    const ReusedRun run;
    if (const aclError code = Prepare(modelId, input, output, true, &*run); code != ACL_SUCCESS) return code;
    std::shared_ptr<Context> context;
    if (const aclError code = CurrentContext(&context); code != ACL_SUCCESS) return code;
    return Execute(*run, *context->default_stream());
  });
}

aclError aclmdlExecuteAsync(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output, aclrtStream stream) {
  return Guard([&]() -> aclError {
    auto run = std::make_shared<Run>();
    if (const aclError code = Prepare(modelId, input, output, false, run.get()); code != ACL_SUCCESS) return code;
    if (const aclError code = CheckAllMemory(*run); code != ACL_SUCCESS) return code;
    std::shared_ptr<Stream> on;
    if (const aclError code = FindStream(stream, &on); code != ACL_SUCCESS) return code;
    return on->Enqueue([run](Stream& self) { return Guard([&] { return Execute(*run, self); }, kModelExecute); });
  });
}
