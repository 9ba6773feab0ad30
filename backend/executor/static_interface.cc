// How a static model takes its inputs and gives its outputs: in place where it may, else by a copy.
#include <algorithm>
#include <cstring>

#include "backend/executor/static_model.h"
#include "backend/runtime/device.h"
#include "compiler/ir/blocked_formats.h"
#include "compiler/ir/error.h"

namespace atc {

// Inputs and outputs are the tail of the plan and share bytes with nothing, so tasks may find them anywhere.
void StaticModel::BindInterface() {
  const Graph& graph = *model_.graph;
  const auto binding = [&](ValueId value) {
    const TensorDesc& desc = graph.desc(value);
    return Binding(Address(value), DataTypeBytes(desc.dtype, desc.origin_shape.NumElements()));
  };
  for (const NodeId id : graph.Inputs()) inputs_.push_back(binding(graph.node(id).outputs[0]));
  for (size_t i = 0; i < info_.outputs.size(); ++i) outputs_.push_back(binding(graph.NetOutput()->inputs[i]));
  std::vector<Binding*> all;
  for (auto* side : {&inputs_, &outputs_}) {
    for (Binding& one : *side) all.push_back(&one);
  }
  // Those that overlap another one; what starts lowest comes first.
  std::vector<Binding*> by_place = all;
  std::stable_sort(by_place.begin(), by_place.end(), [](const Binding* a, const Binding* b) { return a->home() < b->home(); });
  for (size_t i = 1; i < by_place.size(); ++i) {
    if (!by_place[i]->Overlaps(*by_place[i - 1])) continue;
    by_place[i]->Refuse();
    by_place[i - 1]->Refuse();
  }
  const auto bytes_of = [&](ValueId value) {
    const TensorDesc& desc = graph.desc(value);
    const auto elements = std::max(desc.shape.NumElements(), desc.origin_shape.NumElements());
    return DataTypeBytes(desc.dtype, IsPrivate(desc.format) ? desc.origin_shape.NumElements() : elements);
  };
  // The one at or below an address is the only one that holds it, where none overlap.
  const auto note = [&](auto** slot, ValueId value, auto&& take) {
    const auto* at = static_cast<const std::byte*>(*slot);
    if (at == nullptr || value == kNoId) return;
    const auto above = std::partition_point(by_place.begin(), by_place.end(), [&](const Binding* b) { return b->home() <= at; });
    if (above != by_place.begin()) take(**std::prev(above), slot, bytes_of(value));
    if (above != by_place.end()) take(**above, slot, bytes_of(value));
  };
  for (size_t i = 0; i < steps_.size(); ++i) {
    Step& step = steps_[i];
    const Node& node = graph.node(model_.tasks[i].op_index);
    for (size_t k = 0; k < step.inputs.size(); ++k) {
      note(&step.inputs[k], node.inputs[k], [](Binding& b, const void** slot, size_t bytes) { b.NoteRead(slot, bytes); });
    }
    for (size_t k = 0; k < step.outputs.size(); ++k) {
      note(&step.outputs[k], node.outputs[k], [](Binding& b, void** slot, size_t bytes) { b.NoteWrite(slot, bytes); });
    }
  }
  for (Binding& input : inputs_) input.KeepUnwritten();
  for (Binding& output : outputs_) output.KeepWritten();
  ranges_.reserve(all.size());
  placed_.assign(outputs_.size(), false);
}

void StaticModel::TakeInputs(std::span<const TensorView> inputs) {
  if (inputs.size() != inputs_.size()) {
    throw Error::Internal("the model has " + std::to_string(inputs_.size()) + " inputs, " + std::to_string(inputs.size()) +
                          " were given");
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    Binding& input = inputs_[i];
    if (inputs[i].bytes < input.bytes()) {
      throw Error::Internal("input '" + info_.inputs[i].name + "' has " + std::to_string(inputs[i].bytes) + " bytes, " +
                            std::to_string(input.bytes()) + " are needed");
    }
    if (!input.Use(inputs[i].data) && input.bytes() > 0) std::memcpy(input.base(), inputs[i].data, input.bytes());
  }
}

// Memory of the stream's device for outputs that have none.
void StaticModel::MakeRoom(std::span<TensorView> outputs, runtime::Stream& stream) {
  if (outputs.size() != outputs_.size()) {
    throw Error::Internal("the model has " + std::to_string(outputs_.size()) + " outputs, " +
                          std::to_string(outputs.size()) + " were given");
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Binding& output = outputs_[i];
    outputs[i].shape = model_.graph->desc(model_.graph->NetOutput()->inputs[i]).origin_shape;
    if (outputs[i].data == nullptr && output.bytes() > 0) {
      if (stream.device().Malloc(output.bytes(), &outputs[i].data) != runtime::kOk) {
        throw Error::Internal("the device has no " + std::to_string(output.bytes()) + " bytes for output " + std::to_string(i));
      }
      outputs[i].bytes = output.bytes();
    }
  }
}

void StaticModel::PlaceOutputs(std::span<const TensorView> inputs, std::span<TensorView> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Binding& output = outputs_[i];
    if (outputs[i].bytes < output.bytes()) {
      throw Error::Internal("output '" + info_.outputs[i].name + "' needs " + std::to_string(output.bytes()) + " bytes, " +
                            std::to_string(outputs[i].bytes) + " were given");
    }
  }
  // A caller may give one memory for several: what is read until the end must not be written before.
  ranges_.clear();
  placed_.assign(outputs.size(), true);
  const auto add = [&](const void* data, size_t bytes, size_t output) {
    ranges_.push_back({static_cast<const std::byte*>(data), static_cast<const std::byte*>(data) + bytes, output});
  };
  for (size_t i = 0; i < inputs.size(); ++i) add(inputs[i].data, inputs_[i].bytes(), SIZE_MAX);
  for (size_t i = 0; i < outputs.size(); ++i) add(outputs[i].data, outputs_[i].bytes(), i);
  std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.output < b.output;
  });
  for (size_t i = 1, widest = 0; i < ranges_.size(); ++i) {
    if (ranges_[i].begin < ranges_[widest].end) {
      for (const size_t met : {ranges_[i].output, ranges_[widest].output}) {
        if (met != SIZE_MAX) placed_[met] = false;
      }
    }
    if (ranges_[i].end > ranges_[widest].end) widest = i;
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (placed_[i]) {
      placed_[i] = outputs_[i].Use(outputs[i].data);
    } else {
      outputs_[i].UseArena();
    }
  }
}

}  // namespace atc
