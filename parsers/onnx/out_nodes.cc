#include "parsers/onnx/out_nodes.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "compiler/ir/error.h"
#include "compiler/ir/fault_list.h"
#include "compiler/ir/nearest_names.h"

namespace atc::onnx_parser {
namespace {

// Names in the order of the model, and what is found by them.
struct Names {
  std::vector<std::string> nodes;
  std::map<std::string, std::vector<std::string>> outputs;  // tensors of a node, the first of equal names; "": left out
  std::vector<std::string> tensors;
};

Names NamesOf(const onnx::GraphProto& proto) {
  Names names;
  for (int i = 0; i < proto.node_size(); ++i) {
    const auto& outputs = proto.node(i).output();
    const std::string name = NodeName(proto.node(i), i);
    if (names.outputs.emplace(name, std::vector(outputs.begin(), outputs.end())).second) names.nodes.push_back(name);
  }
  // Inputs and constants are nodes as well, Data and Const, with one output; those of the model come before them.
  const auto add_source = [&](const std::string& name) {
    names.tensors.push_back(name);
    if (names.outputs.emplace(name, std::vector{name}).second) names.nodes.push_back(name);
  };
  for (const onnx::ValueInfoProto& input : proto.input()) add_source(input.name());
  for (const onnx::TensorProto& constant : proto.initializer()) add_source(constant.name());
  for (const onnx::SparseTensorProto& constant : proto.sparse_initializer()) add_source(constant.values().name());
  for (const onnx::NodeProto& node : proto.node()) {
    for (const std::string& output : node.output()) {
      if (!output.empty()) names.tensors.push_back(output);
    }
  }
  return names;
}

std::string Text(const OutNodeOption& option) {
  return option.by_index() ? fmt::format("{}:{}", option.node, option.index) : option.tensor;
}

bool HasOutput(const std::vector<std::string>& outputs, int index) {
  return index >= 0 && index < std::ssize(outputs) && !outputs[static_cast<size_t>(index)].empty();
}

// The option with the nearest names of the model and an output that is there; the same where nothing is near.
OutNodeOption Corrected(OutNodeOption option, const Names& names) {
  std::string& name = option.by_index() ? option.node : option.tensor;
  const std::vector<std::string>& known = option.by_index() ? names.nodes : names.tensors;
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    const std::vector<std::string_view> views(known.begin(), known.end());
    const auto near = NearestNames(name, views);
    const auto meant = names.outputs.find(name);  // a node where a tensor is wanted: its first
    if (!option.by_index() && meant != names.outputs.end() && HasOutput(meant->second, 0)) {
      name = meant->second[0];
    } else if (!near.empty()) {
      name = near[0];
    }
  }
  const auto node = names.outputs.find(option.node);
  if (option.by_index() && node != names.outputs.end() && !HasOutput(node->second, option.index)) option.index = 0;
  return option;
}

std::string Cure(const std::string& wrong, const std::vector<OutNodeOption>& chosen, const Names& names) {
  std::string flag, before;
  for (const OutNodeOption& option : chosen) {
    flag += (flag.empty() ? "" : ";") + Text(Corrected(option, names));
    before += (before.empty() ? "" : ";") + Text(option);
  }
  const std::vector<std::string>& known = chosen[0].by_index() ? names.nodes : names.tensors;
  const bool misspelt = std::find(known.begin(), known.end(), wrong) == known.end();
  const std::string hint = misspelt ? DidYouMean(wrong, known) : "";
  if (flag == before) return "";
  return fmt::format("{}{}Write --out_nodes=\"{}\".", hint, hint.empty() ? "" : " ", flag);
}

}  // namespace

std::string NodeName(const onnx::NodeProto& node, size_t number) {
  return node.name().empty() ? fmt::format("{}_{}", node.op_type(), number) : node.name();
}

std::vector<std::string> ChosenOutputs(const onnx::GraphProto& proto, const std::vector<OutNodeOption>& chosen) {
  const Names names = NamesOf(proto);
  std::vector<std::string> tensors;
  FaultList missing, beyond;
  for (const OutNodeOption& option : chosen) {
    if (!option.by_index()) {
      tensors.push_back(option.tensor);
      if (std::find(names.tensors.begin(), names.tensors.end(), option.tensor) != names.tensors.end()) continue;
      const std::string text =
          fmt::format("--out_nodes names '{}', which no tensor of the model is called.", option.tensor);
      std::string cure = Cure(option.tensor, chosen, names);
      if (cure.empty()) cure = "Use the names of tensors as the model spells them, or node:index.";
      missing.Add(Error("E19999", {{"reason", text}}, std::move(cure)), text);
      continue;
    }
    const auto found = names.outputs.find(option.node);
    if (found == names.outputs.end()) {
      missing.Add(
          Error("E10016", {{"opname", option.node}, {"parameter", "out_nodes"}}, Cure(option.node, chosen, names)),
          fmt::format("--out_nodes names '{}', which the model does not have.", option.node));
      continue;
    }
    const std::vector<std::string>& outputs = found->second;
    if (!HasOutput(outputs, option.index)) {
      const std::string reason =
          fmt::format("The node has {} output{}, numbered from 0.", outputs.size(), outputs.size() == 1 ? "" : "s");
      beyond.Add(Error("E10003", {{"value", Text(option)}, {"parameter", "out_nodes"}, {"reason", reason}},
                       Cure(option.node, chosen, names)),
                 fmt::format("{}: {}", Text(option), reason));
      continue;
    }
    tensors.push_back(outputs[static_cast<size_t>(option.index)]);
  }
  missing.ThrowIfAny();
  beyond.ThrowIfAny();
  return tensors;
}

}  // namespace atc::onnx_parser
