#include "compiler/layout/choose_formats.h"

#include <algorithm>
#include <map>
#include <vector>

#include "compiler/ir/blocked_formats.h"
#include "compiler/ir/error.h"
#include "compiler/ir/stream_label.h"
#include "compiler/ops/channel_shuffle.h"
#include "compiler/ops/data_format.h"
#include "compiler/ops/quantized_product.h"

namespace atc {
namespace {

// Operators whose kernels want blocked channels: which input holds the data.
struct FormatRow {
  const char* type;
  uint32_t data;
};

constexpr FormatRow kWantBlocked[] = {
    {"AvgPoolV2", 0},       {"BatchNorm", 0}, {"Conv2D", 0}, {"Conv2DTranspose", 1},
    {"GlobalAveragePool", 0}, {"MaxPoolV3", 0}, {"onnx::QLinearConv", 0},
};

// Operators that leave the channels of data with channels last where they are, and how many of the first inputs are data;
// 0: all.
constexpr FormatRow kKeepChannels[] = {
    {"BatchToSpace", 1},  {"BatchToSpaceND", 1}, {"ConcatD", 0},    {"MirrorPad", 1},        {"Pad", 1},
    {"PadV3", 1},         {"ReduceMax", 1},      {"ReduceMean", 1}, {"ReduceMin", 1},        {"ReduceSum", 1},
    {"SpaceToBatch", 1},  {"SpaceToBatchND", 1}, {"onnx::Resize", 1}, {"tf::ResizeArea", 1}, {"tf::ResizeBicubic", 1},
};

// The channels that a block of NC1HWC0_C04 holds.
constexpr int64_t kSmallChannels = 4;

// Of data with channels first: operators that are as well off with blocked channels, and take them where their data
// have them already; how many inputs, from the first on, are data.
struct FollowRow {
  const char* type;
  size_t data_inputs;
};

constexpr size_t kAllInputs = ~size_t{0};
constexpr FollowRow kFollow[] = {
    {"ConcatD", kAllInputs}, {"LRN", 1},    {"PadV3", 1},          {"Resize", 1},
    {"SplitD", 1},           {"Slice", 1},  {"StridedSliceV2", 1}, {"onnx::LRN", 1},
};

// Four dims, the channels known; batch, height and width may be open.
bool CanBlock(const TensorDesc& desc, Format plain) {
  const bool wide = desc.dtype == DT_FLOAT || IsHalf(desc.dtype);
  if (!wide && desc.dtype != DT_INT8 && desc.dtype != DT_UINT8) return false;
  if (desc.origin_shape.dims().size() != 4) return false;
  const Shape shape = plain == FORMAT_NHWC ? ToChannelsFirst(desc.origin_shape) : desc.origin_shape;
  return shape[1] > 0 && shape[0] != 0 && shape[2] != 0 && shape[3] != 0;
}

void SetBlocked(TensorDesc& desc, Format plain, Format format = FORMAT_NC1HWC0) {
  const Shape nchw = plain == FORMAT_NHWC ? ToChannelsFirst(desc.origin_shape) : desc.origin_shape;
  desc.origin_format = plain;
  desc.format = format;
  desc.shape = format == FORMAT_NC1HWC0_C04 ? Shape{nchw[0], 1, nchw[2], nchw[3], kSmallChannels}
                                            : BlockedShape(nchw, desc.dtype);
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

constexpr Format kPlain = FORMAT_ND;  // not blocked, whatever the order of the dims

class Layout {
 public:
  Layout(Graph& graph, Journal& journal, bool small_channels)
      : graph_(graph), journal_(journal), small_channels_(small_channels) {}

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
    const Format plain = IsChannelsLast(node) ? FORMAT_NHWC : FORMAT_NCHW;
    if (row != nullptr && node.outputs.size() == 1 && CanBlock(graph_.desc(node.outputs[0]), plain) &&
        CanBlock(graph_.desc(node.inputs[OuterInput(node, row->data)]), plain)) {
      const uint32_t data = OuterInput(node, row->data);
      if (small_channels_ && IsFirstOfFewChannels(node, node.inputs[data], plain)) WantSmall(node, data, plain);
      node.Because("format", "NC1HWC0: wanted by " + node.type().str());
      BlockedNode(node, data, plain);
    } else if (const ValueId led = FollowedInput(node); led != kNoId) {
      node.Because("format", "NC1HWC0: follows " + graph_.producer(led).name);
      Follow(node, FORMAT_NCHW);
    } else if (Spreads(node)) {
      node.Because("format", "NC1HWC0: spread from " + graph_.producer(BlockedInput(node)).name);
      BlockedNode(node, kNoId, graph_.desc(BlockedInput(node)).origin_format);
    } else if (const uint32_t count = KeepsChannels(node); count > 0) {
      node.Because("format", "NC1HWC0: keeps the channels of " + graph_.producer(node.inputs[0]).name);
      for (uint32_t i = 0; i < node.inputs.size(); ++i) Want(node, i, i < count ? FORMAT_NHWC : kPlain);
      SetBlocked(graph_.desc(node.outputs[0]), FORMAT_NHWC);
    } else {
      for (uint32_t i = 0; i < node.inputs.size(); ++i) Want(node, i, kPlain);
    }
  }

  // How many of the first inputs go in blocks through an operator that keeps channels apart; 0 when it takes none so.
  // Parts that are joined along the channels fill their blocks.
  uint32_t KeepsChannels(const Node& node) const {
    for (const FormatRow& row : kKeepChannels) {
      if (!(node.type() == row.type) || node.fused || node.outputs.size() != 1) continue;
      const uint32_t count = row.data == 0 ? static_cast<uint32_t>(node.inputs.size()) : row.data;
      const TensorDesc& output = graph_.desc(node.outputs[0]);
      if (!CanBlock(output, FORMAT_NHWC)) return 0;
      for (uint32_t i = 0; i < count; ++i) {
        const ValueId input = node.inputs[i];
        if (input == kNoId || !BlockedFrom(input, FORMAT_NHWC) || graph_.desc(input).dtype != output.dtype) return 0;
        const int64_t channels = graph_.desc(input).origin_shape[3];
        if (channels != output.origin_shape[3] && (count == 1 || channels % BlockChannels(output.dtype) != 0)) return 0;
      }
      return count;
    }
    return 0;
  }

  // What the attribute says. A Data keeps the layout of the interface: what reads it reads a TransData of it.
  void Obey(Node& node, const std::string& format) {
    const bool blocked = format == FormatName(FORMAT_NC1HWC0);
    node.Because("format", format + ": asked for");
    if (!blocked) {
      for (uint32_t i = 0; i < node.inputs.size(); ++i) Want(node, i, kPlain);
      for (const ValueId output : node.outputs) graph_.desc(output).SetFormat(FormatFromName(format));
      return;
    }
    const Format plain = PlainOf(node);
    if (node.outputs.size() != 1 || !CanBlock(graph_.desc(node.outputs[0]), plain)) {
      throw Error("E14001", {{"value", "The storage format"},
                             {"opname", node.name},
                             {"optype", node.type().str()},
                             {"reason", "NC1HWC0 was asked for; it takes one floating-point output of four dims with "
                                        "known channels"}},
                  "Ask for another format, or for that of another tensor.");
    }
    if (!node.Is(kSource)) return BlockedNode(node, DataInput(node), plain);
    const std::vector<Use> uses = graph_.value(node.outputs[0]).uses;
    const ValueId inside = MakeTransData(node, node.outputs[0], plain);
    for (const Use& use : uses) graph_.SetInput(graph_.node(use.node), use.input, inside);
    made_[{inside, kPlain}] = node.outputs[0];
  }

  // How the origin view of a node's result is laid out.
  Format PlainOf(const Node& node) const {
    const bool last = IsChannelsLast(node) ||
                      (!node.outputs.empty() && graph_.desc(node.outputs[0]).origin_format == FORMAT_NHWC);
    return last ? FORMAT_NHWC : FORMAT_NCHW;
  }

  // The data input of an operator that wants blocked channels; kNoId of any other.
  uint32_t DataInput(const Node& node) const {
    for (const FormatRow& row : kWantBlocked) {
      if (node.type() == row.type) return OuterInput(node, row.data);
    }
    return kNoId;
  }

  // The data input and every operand of the output's shape are blocked; what is broadcast stays as it is.
  void BlockedNode(Node& node, uint32_t data, Format plain) {
    TensorDesc& output = graph_.desc(node.outputs[0]);
    for (uint32_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNoId) continue;
      const TensorDesc& desc = graph_.desc(node.inputs[i]);
      const bool like_output = desc.origin_shape == output.origin_shape && CanBlock(desc, plain) &&
                               graph_.Constant(node.inputs[i]) == nullptr;
      // What is broadcast over rows and columns lies in the slot as it does outside, where channels are last.
      const bool of_channels = BlockedFrom(node.inputs[i], plain) && plain == FORMAT_NHWC && CanBlock(output, plain) &&
                               desc.origin_shape[3] == output.origin_shape[3];
      const bool parameter = !node.fused && data != kNoId && i != data;  // filter, bias, statistics
      Want(node, i, i == data || ((like_output || of_channels) && !parameter) ? plain : kPlain);
    }
    SetBlocked(output, plain);
  }

  static size_t DataInputs(const Node& node) {
    if (IsChannelShuffle(node)) return 1;
    if (node.fused) return 0;
    for (const FollowRow& row : kFollow) {
      if (node.type() == row.type) return std::min(row.data_inputs, node.inputs.size());
    }
    return 0;
  }

  // A blocked data input of an operator that follows, where blocked data are the greater part; else kNoId.
  ValueId FollowedInput(const Node& node) const {
    const size_t count = node.outputs.empty() ? 0 : DataInputs(node);
    ValueId led = kNoId;
    int64_t blocked = 0, all = 0;
    for (size_t i = 0; i < count; ++i) {
      const ValueId input = node.inputs[i];
      if (input == kNoId || graph_.Constant(input) != nullptr) return kNoId;
      const TensorDesc& desc = graph_.desc(input);
      const int64_t elements = desc.origin_shape.IsKnown() ? desc.origin_shape.NumElements() : 1;
      all += elements;
      if (!BlockedFrom(input, FORMAT_NCHW)) continue;
      blocked += elements;
      if (led == kNoId) led = input;
    }
    if (led == kNoId || 2 * blocked < all) return kNoId;
    const TensorDesc& like = graph_.desc(led);
    const auto fits = [&](ValueId value) {
      return graph_.desc(value).dtype == like.dtype && CanBlock(graph_.desc(value), like.origin_format);
    };
    for (size_t i = 0; i < count; ++i) {
      if (!fits(node.inputs[i])) return kNoId;
    }
    return std::all_of(node.outputs.begin(), node.outputs.end(), fits) ? led : kNoId;
  }

  void Follow(Node& node, Format plain) {
    const size_t data = DataInputs(node);
    for (uint32_t i = 0; i < node.inputs.size(); ++i) Want(node, i, i < data ? plain : kPlain);
    for (const ValueId output : node.outputs) SetBlocked(graph_.desc(output), plain);
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
    if (!node.Is(kLayoutAgnostic) || node.outputs.size() != 1 || !SameTypes(node)) return false;
    const ValueId input = BlockedInput(node);
    return input != kNoId && CanBlock(graph_.desc(node.outputs[0]), graph_.desc(input).origin_format);
  }

  // Operators that mix types (Cast, Select) are kept out: the block size follows the type. Between floats and 8-bit
  // tensors there are operators of their own, which change the block size with the type.
  bool SameTypes(const Node& node) const {
    if (IsQuantizedUnit(node)) return true;
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId input) {
      return input == kNoId || graph_.desc(input).dtype == graph_.desc(node.outputs[0]).dtype;
    });
  }

  // A convolution of the model's input, or of what is not blocked either.
  bool IsFirstOfFewChannels(const Node& node, ValueId data, Format plain) const {
    const TensorDesc& desc = graph_.desc(data);
    const int64_t channels = desc.origin_shape[plain == FORMAT_NHWC ? 3 : 1];
    return (node.type() == "Conv2D" || node.type() == "onnx::QLinearConv") && !Blocked(data) && channels <= kSmallChannels;
  }

  void WantSmall(Node& node, uint32_t input, Format plain) {
    const ValueId value = node.inputs[input];
    const auto [it, added] = small_.try_emplace({value, plain}, kNoId);
    if (added) it->second = MakeTransData(node, value, plain, FORMAT_NC1HWC0_C04);
    node.Because("format", "NC1HWC0_C04: a first convolution of few channels");
    graph_.SetInput(node, input, it->second);
  }

  // `form`: the plain format whose blocks the input should have, or kPlain.
  void Want(Node& node, uint32_t input, Format form) {
    ValueId value = node.inputs[input];
    if (value == kNoId || (form == kPlain ? !Blocked(value) : BlockedFrom(value, form))) return;
    if (Blocked(value) && form != kPlain) value = Changed(node, value, kPlain);  // blocks of another layout
    graph_.SetInput(node, input, Changed(node, value, form));
  }

  bool BlockedFrom(ValueId value, Format plain) const {
    return IsBlocked(graph_.desc(value).format) && graph_.desc(value).origin_format == plain;
  }

  ValueId Changed(const Node& consumer, ValueId value, Format form) {
    const auto [it, added] = made_.try_emplace({value, form}, kNoId);
    if (added) it->second = MakeTransData(consumer, value, form);
    return it->second;
  }

  ValueId MakeTransData(const Node& consumer, ValueId value, Format form, Format blocks = FORMAT_NC1HWC0) {
    const bool blocked = form != kPlain;
    journal_.Require("TransData", {&graph_.producer(value), &consumer});
    const Node& served = consumer.origin == kNoOrigin ? graph_.producer(value) : consumer;
    Node& trans = graph_.Add("TransData", "trans_TransData_" + std::to_string(number_++), {value}, 1);
    TensorDesc desc = graph_.desc(value);
    if (blocked) {
      SetBlocked(desc, form, blocks);
    } else {
      desc.shape = desc.origin_shape;
      desc.format = desc.origin_format;
    }
    const std::string plain(FormatName(desc.origin_format));
    trans.attrs.Set("src_format", blocked ? plain : "NC1HWC0");
    trans.attrs.Set("dst_format", blocked ? std::string(FormatName(blocks)) : plain);
    trans.origin = served.origin;
    CopyStreamLabels(served, trans);
    trans.Because("format", "ends of the edge to " + consumer.name + " differ");
    graph_.desc(trans.outputs[0]) = desc;
    journal_.Made(trans);
    return trans.outputs[0];
  }

  Graph& graph_;
  Journal& journal_;
  std::map<std::pair<ValueId, Format>, ValueId> made_;   // a tensor and a format -> the same tensor in it
  std::map<std::pair<ValueId, Format>, ValueId> small_;  // the same of NC1HWC0_C04
  const bool small_channels_;
  int number_ = 0;
};

}  // namespace

int64_t BlockChannels(DataType dtype) { return DataTypeBits(dtype) == 8 ? 32 : 16; }

Shape BlockedShape(const Shape& nchw, DataType dtype) {
  const int64_t block = BlockChannels(dtype);
  return {nchw[0], (nchw[1] + block - 1) / block, nchw[2], nchw[3], block};
}

void ChooseFormats(Graph& graph, Journal& journal, bool small_channels) { Layout(graph, journal, small_channels).Run(); }

}  // namespace atc
