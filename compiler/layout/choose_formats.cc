#include "compiler/layout/choose_formats.h"

#include <algorithm>
#include <map>
#include <vector>

#include "compiler/ir/error.h"
#include "compiler/ir/stream_label.h"
#include "compiler/ops/quantized_product.h"

namespace atc {
namespace {

// Operators whose kernels want blocked channels: which input holds the data.
struct FormatRow {
  const char* type;
  uint32_t data_input;
};

constexpr FormatRow kWantBlocked[] = {
    {"AvgPoolV2", 0},       {"BatchNorm", 0}, {"Conv2D", 0}, {"Conv2DTranspose", 1},
    {"GlobalAveragePool", 0}, {"MaxPoolV3", 0}, {"onnx::QLinearConv", 0},
};

// Four dims, the channels known; batch, height and width may be open.
bool CanBlock(const TensorDesc& desc) {
  const Shape& shape = desc.origin_shape;
  const bool wide = desc.dtype == DT_FLOAT || IsHalf(desc.dtype);
  return (wide || desc.dtype == DT_INT8 || desc.dtype == DT_UINT8) && shape.HasRank() && shape.rank() == 4 && shape[1] > 0 &&
         shape[0] != 0 && shape[2] != 0 && shape[3] != 0;
}

void SetBlocked(TensorDesc& desc) {
  desc.origin_format = FORMAT_NCHW;
  desc.format = FORMAT_NC1HWC0;
  desc.shape = BlockedShape(desc.origin_shape, desc.dtype);
}

// Where input `inner` of the operator that a fused node keeps its type of enters the node; itself when not fused. Its
// data may be dequantised first.
uint32_t OuterInput(const Node& node, uint32_t inner) {
  if (!node.fused) return inner;
  for (const NodeId id : node.fused->TopologicalOrder()) {
    const Node& member = node.fused->node(id);
    if (!(member.type() == node.type())) continue;
    const Node* source = &node.fused->producer(member.inputs[inner]);
    while (source->type() != "Data" && !source->inputs.empty()) source = &node.fused->producer(source->inputs[0]);
    return static_cast<uint32_t>(source->attrs.Get<int64_t>("index", 0));
  }
  return inner;
}

class Layout {
 public:
  Layout(Graph& graph, Journal& journal) : graph_(graph), journal_(journal) {}

  void Run() {
    for (const NodeId id : graph_.TopologicalOrder()) Choose(graph_.node(id));
  }

 private:
  void Choose(Node& node) {
    if (const auto* format = node.attrs.FindAs<std::string>(kStorageFormatAttr)) return Obey(node, *format);
    const FormatRow* row = nullptr;
    for (const FormatRow& candidate : kWantBlocked) {
      if (node.type() == candidate.type) row = &candidate;
    }
    if (row != nullptr && node.outputs.size() == 1 && CanBlock(graph_.desc(node.outputs[0])) &&
        CanBlock(graph_.desc(node.inputs[OuterInput(node, row->data_input)]))) {
      const uint32_t data = OuterInput(node, row->data_input);
      node.Because("format", "NC1HWC0: wanted by " + node.type().str());
      BlockedNode(node, data);
    } else if (Spreads(node)) {
      node.Because("format", "NC1HWC0: spread from " + graph_.producer(BlockedInput(node)).name);
      BlockedNode(node, kNoId);
    } else {
      for (uint32_t i = 0; i < node.inputs.size(); ++i) Want(node, i, false);
    }
  }

  // What the attribute says. A Data keeps the layout of the interface: what reads it reads a TransData of it.
  void Obey(Node& node, const std::string& format) {
    const bool blocked = format == FormatName(FORMAT_NC1HWC0);
    node.Because("format", format + ": asked for");
    if (!blocked) {
      for (uint32_t i = 0; i < node.inputs.size(); ++i) Want(node, i, false);
      for (const ValueId output : node.outputs) graph_.desc(output).SetFormat(FormatFromName(format));
      return;
    }
    if (node.outputs.size() != 1 || !CanBlock(graph_.desc(node.outputs[0]))) {
      throw Error("E14001", {{"value", "The storage format"},
                             {"opname", node.name},
                             {"optype", node.type().str()},
                             {"reason", "NC1HWC0 was asked for; it takes one floating-point output of four dims with "
                                        "known channels"}},
                  "Ask for another format, or for that of another tensor.");
    }
    if (!node.Is(kSource)) return BlockedNode(node, DataInput(node));
    const std::vector<Use> uses = graph_.value(node.outputs[0]).uses;
    const ValueId inside = MakeTransData(node, node.outputs[0], true);
    for (const Use& use : uses) graph_.SetInput(graph_.node(use.node), use.input, inside);
    made_[inside] = node.outputs[0];
  }

  // The data input of an operator that wants blocked channels; kNoId of any other.
  uint32_t DataInput(const Node& node) const {
    for (const FormatRow& row : kWantBlocked) {
      if (node.type() == row.type) return OuterInput(node, row.data_input);
    }
    return kNoId;
  }

  // The data input and every operand of the output's shape are blocked; what is broadcast stays as it is.
  void BlockedNode(Node& node, uint32_t data) {
    TensorDesc& output = graph_.desc(node.outputs[0]);
    for (uint32_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNoId) continue;
      const TensorDesc& desc = graph_.desc(node.inputs[i]);
      const bool like_output = desc.origin_shape == output.origin_shape && CanBlock(desc) &&
                               graph_.Constant(node.inputs[i]) == nullptr;
      const bool parameter = !node.fused && data != kNoId && i != data;  // filter, bias, statistics
      Want(node, i, i == data || (like_output && !parameter));
    }
    SetBlocked(output);
  }

  ValueId BlockedInput(const Node& node) const {
    for (const ValueId input : node.inputs) {
      if (input != kNoId && Blocked(input) &&
          graph_.desc(input).origin_shape == graph_.desc(node.outputs[0]).origin_shape) {
        return input;
      }
    }
    return kNoId;
  }

  // A value that came through a TransData from a blocked one counts as blocked.
  bool Blocked(ValueId value) const { return graph_.desc(value).format == FORMAT_NC1HWC0; }

  bool Spreads(const Node& node) const {
    return node.Is(kLayoutAgnostic) && node.outputs.size() == 1 && CanBlock(graph_.desc(node.outputs[0])) &&
           SameTypes(node) && BlockedInput(node) != kNoId;
  }

  // Operators that mix types (Cast, Select) are kept out: the block size follows the type. Between floats and 8-bit
  // tensors there are operators of their own, which change the block size with the type.
  bool SameTypes(const Node& node) const {
    if (IsQuantizedUnit(node)) return true;
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId input) {
      return input == kNoId || graph_.desc(input).dtype == graph_.desc(node.outputs[0]).dtype;
    });
  }

  void Want(Node& node, uint32_t input, bool blocked) {
    const ValueId value = node.inputs[input];
    if (value == kNoId || Blocked(value) == blocked) return;
    const auto [it, added] = made_.try_emplace(value, kNoId);
    if (added) it->second = MakeTransData(node, value, blocked);
    graph_.SetInput(node, input, it->second);
  }

  ValueId MakeTransData(const Node& consumer, ValueId value, bool blocked) {
    journal_.Require("TransData", {&graph_.producer(value), &consumer});
    const Node& served = consumer.origin == kNoOrigin ? graph_.producer(value) : consumer;
    Node& trans = graph_.Add("TransData", "trans_TransData_" + std::to_string(number_++), {value}, 1);
    TensorDesc desc = graph_.desc(value);
    if (blocked) {
      SetBlocked(desc);
    } else {
      desc.shape = desc.origin_shape;
      desc.format = desc.origin_format;
    }
    trans.attrs.Set("src_format", blocked ? "NCHW" : "NC1HWC0");
    trans.attrs.Set("dst_format", blocked ? "NC1HWC0" : "NCHW");
    trans.origin = served.origin;
    CopyStreamLabels(served, trans);
    trans.Because("format", "ends of the edge to " + consumer.name + " differ");
    graph_.desc(trans.outputs[0]) = desc;
    journal_.Made(trans);
    return trans.outputs[0];
  }

  Graph& graph_;
  Journal& journal_;
  std::map<ValueId, ValueId> made_;  // value -> the same tensor in the other format
  int number_ = 0;
};

}  // namespace

int64_t BlockChannels(DataType dtype) { return DataTypeBits(dtype) == 8 ? 32 : 16; }

Shape BlockedShape(const Shape& nchw, DataType dtype) {
  const int64_t block = BlockChannels(dtype);
  return {nchw[0], (nchw[1] + block - 1) / block, nchw[2], nchw[3], block};
}

void ChooseFormats(Graph& graph, Journal& journal) { Layout(graph, journal).Run(); }

}  // namespace atc
