#include "compiler/layout/choose_formats.h"

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/ir/error.h"
#include "compiler/layout/format_rules.h"
#include "compiler/layout/prepared_formats.h"
#include "compiler/layout/trans_data.h"
#include "compiler/ops/data_format.h"
#include "compiler/ops/quantized_product.h"

namespace atc {
namespace {

// The channels that a block of NC1HWC0_C04 holds.
constexpr int64_t kSmallChannels = 4;

std::string NameOf(Form form) { return std::string(FormatName(form.storage)); }

class Layout {
 public:
  Layout(Graph& graph, Journal& journal, const FormatOptions& options)
      : graph_(graph), options_(options), trans_(graph, journal) {}

  void Run() {
    for (const NodeId id : graph_.TopologicalOrder()) Choose(graph_.node(id));
  }

 private:
  void Choose(Node& node) {
    if (const auto* format = node.attrs.FindAs<std::string>(kStorageFormatAttr)) return Obey(node, *format);
    if (const Wish wish = WishOf(graph_, node, options_.fractal_products); !wish.form.IsPlain())
      return Grant(node, wish);
    std::string refusal;
    if (const ValueId led = FollowedInput(node, FORMAT_NCHW, &refusal); led != kNoId) {
      return Follow(node, {FORMAT_NC1HWC0, FORMAT_NCHW}, "NC1HWC0: follows " + graph_.producer(led).name);
    }
    if (const Form form = SpreadForm(node); !form.IsPlain()) {
      node.Because("format", NameOf(form) + ": spread from " + graph_.producer(InputIn(node, form)).name);
      return Take(node, kNoId, form);
    }
    if (const ValueId led = FollowedInput(node, FORMAT_NHWC, &refusal); led != kNoId) {
      return Follow(node, {FORMAT_NC1HWC0, FORMAT_NHWC}, "NC1HWC0: keeps the channels of " + graph_.producer(led).name);
    }
    StayPlain(node, refusal);
  }

  void Grant(Node& node, const Wish& wish) {
    const ValueId data = node.inputs[wish.data];
    if (options_.small_channels && IsFirstOfFewChannels(node, data, wish.form)) {
      node.Because("format", "NC1HWC0_C04: a first convolution of few channels");
      graph_.SetInput(node, wish.data, trans_.Make(node, data, {FORMAT_NC1HWC0_C04, wish.form.plain}));
    }
    node.Because("format", NameOf(wish.form) + ": wanted by " + node.type().str());
    Take(node, wish.data, wish.form, wish.form == kFractal ? wish.filter : kNoId);
    PrepareConstants(graph_, node, wish);
  }

  void StayPlain(Node& node, const std::string& refusal) {
    for (uint32_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNoId || FormOf(graph_.desc(node.inputs[i])).IsPlain()) continue;
      const std::string form = NameOf(FormOf(graph_.desc(node.inputs[i])));
      if (refusal.empty() && node.type() == "NetOutput") break;
      node.Because("format",
                   "origin layout: " + (refusal.empty() ? "no form of " + node.type().str() + " in " + form : refusal));
      break;
    }
    for (uint32_t i = 0; i < node.inputs.size(); ++i) trans_.Require(node, i, kPlainForm);
  }

  // What the attribute says. A Data keeps the layout of the interface: what reads it reads a TransData of it.
  void Obey(Node& node, const std::string& format) {
    const bool blocked = format == FormatName(FORMAT_NC1HWC0);
    node.Because("format", format + ": asked for");
    if (!blocked) {
      for (uint32_t i = 0; i < node.inputs.size(); ++i) trans_.Require(node, i, kPlainForm);
      for (const ValueId output : node.outputs) graph_.desc(output).SetFormat(FormatFromName(format));
      return;
    }
    const Form form{FORMAT_NC1HWC0, PlainOf(node)};
    if (node.outputs.size() != 1 || !Fits(graph_.desc(node.outputs[0]), form)) {
      throw Error("E14001",
                  {{"value", "The storage format"},
                   {"opname", node.name},
                   {"optype", node.type().str()},
                   {"reason",
                    "NC1HWC0 was asked for; it takes one floating-point output of four dims with "
                    "known channels"}},
                  "Ask for another format, or for that of another tensor.");
    }
    if (!node.Is(kSource)) return Take(node, WishedData(node), form);
    const std::vector<Use> uses = graph_.value(node.outputs[0]).uses;
    const ValueId inside = trans_.Make(node, node.outputs[0], form);
    for (const Use& use : uses) graph_.SetInput(graph_.node(use.node), use.input, inside);
  }

  uint32_t WishedData(const Node& node) const {
    const Wish wish = WishOf(graph_, node, options_.fractal_products);
    return wish.form.IsPlain() ? kNoId : wish.data;
  }

  // How the origin view of a node's result is laid out.
  Format PlainOf(const Node& node) const {
    const bool last =
        IsChannelsLast(node) || (!node.outputs.empty() && graph_.desc(node.outputs[0]).origin_format == FORMAT_NHWC);
    return last ? FORMAT_NHWC : FORMAT_NCHW;
  }

  // The data input, a second factor and every operand of the output's shape take the form; what is broadcast stays as it
  // is. A constant is nothing that a TransData need bring: the device prepares it.
  void Take(Node& node, uint32_t data, Form form, uint32_t factor = kNoId) {
    TensorDesc& output = graph_.desc(node.outputs[0]);
    for (uint32_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNoId) continue;
      const TensorDesc& desc = graph_.desc(node.inputs[i]);
      const bool constant = graph_.Constant(node.inputs[i]) != nullptr;
      const bool like_output = desc.origin_shape == output.origin_shape && Fits(desc, form) && !constant;
      // What is broadcast over rows and columns, or samples, has the same blocks of channels.
      const bool of_channels = form.storage == FORMAT_NC1HWC0 && FormOf(desc) == form && Fits(output, form) &&
                               ChannelsOf(desc, form.plain) == ChannelsOf(output, form.plain);
      const bool parameter = !node.fused && data != kNoId && i != data;  // filter, bias, statistics
      const bool wanted = (i == data && (!constant || form.storage != FORMAT_FRACTAL_NZ)) ||
                          (i == factor && !constant && Fits(desc, form)) ||
                          ((like_output || of_channels) && !parameter);
      trans_.Require(node, i, wanted ? form : kPlainForm);
    }
    SetForm(output, form);
  }

  void Follow(Node& node, Form form, std::string because) {
    const MoveRule rule = RuleOfMove(graph_, node, form.plain);
    node.Because("format", std::move(because));
    for (uint32_t i = 0; i < node.inputs.size(); ++i) trans_.Require(node, i, rule.IsData(i) ? form : kPlainForm);
    for (const ValueId output : node.outputs) SetForm(graph_.desc(output), form);
  }

  // An input in blocks that a node which moves elements may follow. With channels first they must be the greater part of
  // its data; with channels last all are. kNoId: it does not, with the reason where it is one of channels.
  ValueId FollowedInput(const Node& node, Format plain, std::string* refusal) const {
    const MoveRule rule = RuleOfMove(graph_, node, plain);
    const Form form{FORMAT_NC1HWC0, plain};
    ValueId led = kNoId;
    int64_t blocked = 0, all = 0;
    for (size_t i = rule.first; i < rule.first + rule.data; ++i) {
      const ValueId input = node.inputs[i];
      if (input == kNoId) return kNoId;
      if (graph_.Constant(input) != nullptr) continue;  // brought into its place when the model is loaded
      const TensorDesc& desc = graph_.desc(input);
      const int64_t elements = desc.origin_shape.IsKnown() ? desc.origin_shape.NumElements() : 1;
      all += elements;
      if (!(FormOf(desc) == form)) continue;
      blocked += elements;
      if (led == kNoId) led = input;
    }
    if (led == kNoId || (plain == FORMAT_NHWC ? blocked != all : 2 * blocked < all)) return kNoId;
    const DataType dtype = graph_.desc(led).dtype;
    const auto fits = [&](ValueId value) {
      return graph_.desc(value).dtype == dtype && Fits(graph_.desc(value), form);
    };
    for (size_t i = rule.first; i < rule.first + rule.data; ++i) {
      if (!fits(node.inputs[i])) return kNoId;
    }
    if (!std::all_of(node.outputs.begin(), node.outputs.end(), fits)) return kNoId;
    *refusal = rule.refusal;
    return rule.refusal.empty() ? led : kNoId;
  }

  // The input of the output's shape that is in this form.
  ValueId InputIn(const Node& node, Form form) const {
    for (const ValueId input : node.inputs) {
      if (input == kNoId) continue;
      const TensorDesc& desc = graph_.desc(input);
      if (FormOf(desc) == form && desc.origin_shape == graph_.desc(node.outputs[0]).origin_shape) return input;
    }
    return kNoId;
  }

  // The form that a node which does not care for layouts takes over from its first operand that has one.
  Form SpreadForm(const Node& node) const {
    if (!node.Is(kLayoutAgnostic) || node.outputs.size() != 1 || !SameTypes(node)) return kPlainForm;
    const TensorDesc& output = graph_.desc(node.outputs[0]);
    for (const ValueId input : node.inputs) {
      if (input == kNoId || !(graph_.desc(input).origin_shape == output.origin_shape)) continue;
      const Form form = FormOf(graph_.desc(input));
      if (form.IsPlain() || !Fits(output, form)) continue;
      // Rows and columns in fractals have no place for what is broadcast over some of them.
      const bool whole =
          form.storage != FORMAT_FRACTAL_NZ || std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId other) {
            return other == kNoId || graph_.desc(other).origin_shape == output.origin_shape ||
                   graph_.desc(other).origin_shape.NumElements() == 1;
          });
      if (whole) return form;
    }
    return kPlainForm;
  }

  // Operators that mix types of different block sizes (Select) are kept out. Between floats and 8-bit tensors there are
  // operators of their own, which change the block size with the type.
  bool SameTypes(const Node& node) const {
    if (IsQuantizedUnit(node)) return true;
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId input) {
      return input == kNoId || SameBlocks(graph_.desc(input).dtype, graph_.desc(node.outputs[0]).dtype);
    });
  }

  // A convolution of the model's input, or of what is not blocked either.
  bool IsFirstOfFewChannels(const Node& node, ValueId data, Form form) const {
    const TensorDesc& desc = graph_.desc(data);
    const int64_t channels = desc.origin_shape[form.plain == FORMAT_NHWC ? 3 : 1];
    return (node.type() == "Conv2D" || node.type() == "onnx::QLinearConv") && desc.format != FORMAT_NC1HWC0 &&
           channels <= kSmallChannels;
  }

  Graph& graph_;
  const FormatOptions& options_;
  TransDataInserter trans_;
};

}  // namespace

void ChooseFormats(Graph& graph, Journal& journal, const FormatOptions& options) {
  Layout(graph, journal, options).Run();
}

}  // namespace atc
