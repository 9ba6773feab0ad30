#include "compiler/layout/format_rules.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>

#include "compiler/ops/channel_shuffle.h"
#include "compiler/ops/data_format.h"

namespace atc {
namespace {

// Operators whose kernels want a format of their own: which inputs hold the data and the filter.
struct WishRow {
  const char* type;
  size_t rank;
  uint32_t data;
  uint32_t filter;
};

constexpr WishRow kWishes[] = {
    {"AvgPool3D", 5, 0, kNoId},   {"AvgPoolV2", 4, 0, kNoId},         {"BatchNorm", 4, 0, kNoId},
    {"Conv2D", 4, 0, 1},          {"Conv2DTranspose", 4, 1, 2},       {"Conv3D", 5, 0, 1},
    {"Conv3DTranspose", 5, 1, 2}, {"GlobalAveragePool", 4, 0, kNoId}, {"MaxPool3D", 5, 0, kNoId},
    {"MaxPoolV3", 4, 0, kNoId},   {"onnx::QLinearConv", 4, 0, 3},
};

constexpr const char* kProducts[] = {"BatchMatMulV2", "MatMulV2"};

// Operators that move elements and have a form with blocked channels: how many of the inputs are data, for which order of
// the dims this device has it too, and where the data begin.
constexpr size_t kAllInputs = ~size_t{0};
struct MoveRow {
  const char* type;
  size_t data;
  bool first, last;  // channels
  size_t begin = 0;
};

constexpr MoveRow kMoves[] = {
    {"BatchToSpace", 1, false, true},
    {"BatchToSpaceND", 1, false, true},
    {"ConcatD", kAllInputs, true, true},
    {"LRN", 1, true, false},
    {"MirrorPad", 1, false, true},
    {"Pad", 1, false, true},
    {"PadV3", 1, true, true},
    {"ReduceMax", 1, true, true},
    {"ReduceMean", 1, true, true},
    {"ReduceMin", 1, true, true},
    {"ReduceSum", 1, true, true},
    {"Resize", 1, true, false},
    {"Slice", 1, true, false},
    {"SpaceToBatch", 1, false, true},
    {"SpaceToBatchND", 1, false, true},
    {"Split", 1, true, false, 1},
    {"SplitD", 1, true, false},
    {"SplitV", 1, true, false},
    {"StridedSliceV2", 1, true, false},
    {"onnx::LRN", 1, true, false},
    {"onnx::Resize", 1, false, true},
    {"tf::ResizeArea", 1, false, true},
    {"tf::ResizeBicubic", 1, false, true},
};

// Those of them that take parts of the channels.
constexpr const char* kCutters[] = {"Slice", "Split", "SplitD", "SplitV", "StridedSliceV2"};

// Where a cut along the channels begins; 0 where the operator cannot say otherwise.
int64_t FirstChannel(const Graph& graph, const Node& node) {
  if (!(node.type() == "Slice" || node.type() == "StridedSliceV2") || node.inputs.size() < 2) return 0;
  const Tensor* begin = graph.ConstantInput(node, 1);
  if (begin == nullptr) return kUnknownDim;
  const std::vector<int64_t> at = ToInts(begin->Materialized());
  size_t place = 1;  // of the channels among the axes
  if (node.type() == "StridedSliceV2" && node.inputs.size() > 3 && node.inputs[3] != kNoId) {
    const Tensor* axes = graph.ConstantInput(node, 3);
    if (axes == nullptr) return kUnknownDim;
    const std::vector<int64_t> which = ToInts(axes->Materialized());
    place = static_cast<size_t>(
        std::find_if(which.begin(), which.end(), [](int64_t axis) { return axis == 1 || axis == -3; }) - which.begin());
  }
  return place < at.size() ? at[place] : 0;
}

// Whether a padding adds channels of zeros behind the others: the rest of a block holds zeros.
bool AddsZeroChannels(const Graph& graph, const Node& node, Format plain) {
  if (!(node.type() == "PadV3") || node.Attr<std::string>("mode") != "constant") return false;
  const Tensor* pads = graph.ConstantInput(node, 1);
  const size_t channels = FormatName(plain).find('C');
  if (pads == nullptr || pads->NumElements() != 2 * static_cast<int64_t>(FormatName(plain).size())) return false;
  if (ToInts(pads->Materialized())[node.Attr<bool>("paddings_contiguous") ? 2 * channels : channels] != 0) return false;
  if (node.inputs.size() <= 2 || node.inputs[2] == kNoId) return true;
  const Tensor* value = graph.ConstantInput(node, 2);
  return value != nullptr && value->NumElements() == 1 && ToDoubles(value->Materialized())[0] == 0;
}

// Blocks must stay whole where a node does not leave all channels as they are.
std::string ChannelRefusal(const Graph& graph, const Node& node, std::span<const ValueId> data, Format plain) {
  const int64_t given = ChannelsOf(graph.desc(data[0]), plain);
  const auto differs = [&](ValueId value) { return ChannelsOf(graph.desc(value), plain) != given; };
  if (std::none_of(data.begin(), data.end(), differs) &&
      std::none_of(node.outputs.begin(), node.outputs.end(), differs)) {
    return "";
  }
  const int64_t block = BlockElements(FORMAT_NC1HWC0, graph.desc(data[0]).dtype);
  const bool joins = node.type() == "ConcatD";
  const auto unfit = [&](int64_t channels) { return channels < 0 || channels % block != 0; };
  const auto refuse = [&](const char* what, int64_t channels) {
    return std::string(what) + " " + (channels < 0 ? "an unknown number of" : std::to_string(channels)) +
           " channels, which fill no blocks of " + std::to_string(block);
  };
  for (size_t i = 0; joins && i < data.size(); ++i) {
    const int64_t channels = ChannelsOf(graph.desc(data[i]), plain);
    if (unfit(channels)) return refuse("joins", channels);
  }
  if (joins) return "";
  if (AddsZeroChannels(graph, node, plain)) return "";
  const auto cuts = [&](const char* type) { return node.type() == type; };
  if (std::none_of(std::begin(kCutters), std::end(kCutters), cuts)) return "changes the number of channels";
  for (const ValueId output : node.outputs) {
    const int64_t channels = ChannelsOf(graph.desc(output), plain);
    if (unfit(channels)) return refuse("cuts out", channels);
  }
  const int64_t begin = FirstChannel(graph, node);
  return unfit(begin) ? refuse("cuts behind", begin) : "";
}

}  // namespace

Wish WishOf(const Graph& graph, const Node& node, bool fractal_products) {
  const auto allowed = [&](Wish wish) {
    if (node.outputs.size() != 1 || wish.data >= node.inputs.size() || node.inputs[wish.data] == kNoId) return Wish();
    const bool fits =
        Fits(graph.desc(node.outputs[0]), wish.form) && Fits(graph.desc(node.inputs[wish.data]), wish.form);
    return fits ? wish : Wish();
  };
  for (const WishRow& row : kWishes) {
    if (!(node.type() == row.type)) continue;
    const bool last = IsChannelsLast(node);
    const Form form = row.rank == 4 ? Form{FORMAT_NC1HWC0, last ? FORMAT_NHWC : FORMAT_NCHW}
                                    : Form{FORMAT_NDC1HWC0, last ? FORMAT_NDHWC : FORMAT_NCDHW};
    return allowed({form, OuterInput(node, row.data), row.filter == kNoId ? kNoId : OuterInput(node, row.filter)});
  }
  const auto is = [&](const char* type) { return node.type() == type; };
  if (fractal_products && std::any_of(std::begin(kProducts), std::end(kProducts), is)) {
    return allowed({kFractal, OuterInput(node, 0), OuterInput(node, 1)});
  }
  return {};
}

MoveRule RuleOfMove(const Graph& graph, const Node& node, Format plain) {
  if (plain == FORMAT_NCHW && IsChannelShuffle(node)) return {1, "shuffles channels from block to block"};
  for (const MoveRow& row : kMoves) {
    if (!(node.type() == row.type) || !(plain == FORMAT_NHWC ? row.last : row.first)) continue;
    if (node.fused || node.outputs.empty() || node.inputs.size() <= row.begin) return {};
    const auto data = std::span(node.inputs).subspan(row.begin, std::min(row.data, node.inputs.size() - row.begin));
    if (std::find(data.begin(), data.end(), kNoId) != data.end()) return {};
    return {data.size(), ChannelRefusal(graph, node, data, plain), row.begin};
  }
  return {};
}

uint32_t OuterInput(const Node& node, uint32_t inner) {
  if (!node.fused) return inner;
  for (const NodeId id : node.fused->TopologicalOrder()) {
    const Node& member = node.fused->node(id);
    if (!(member.type() == node.type()) || inner >= member.inputs.size() || member.inputs[inner] == kNoId) continue;
    const Node* source = &node.fused->producer(member.inputs[inner]);
    while (source->type() != "Data" && !source->inputs.empty()) source = &node.fused->producer(source->inputs[0]);
    return static_cast<uint32_t>(source->attrs.Get<int64_t>("index", 0));
  }
  return inner;
}

}  // namespace atc
