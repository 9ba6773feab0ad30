// The grammars of what comes out of a model: --out_nodes, --output_type and the precision modes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "cmd/atc/grammar.h"
#include "cmd/atc/text.h"
#include "compiler/ir/error.h"
#include "compiler/ir/nearest_names.h"

namespace atc::cli {
namespace {

// The guide's list of --output_type.
constexpr std::pair<std::string_view, DataType> kOutputTypes[] = {
    {"FP32", DT_FLOAT},          {"FP16", DT_FLOAT16},
    {"DOUBLE", DT_DOUBLE},       {"INT8", DT_INT8},
    {"INT16", DT_INT16},         {"INT32", DT_INT32},
    {"INT64", DT_INT64},         {"UINT8", DT_UINT8},
    {"UINT16", DT_UINT16},       {"UINT32", DT_UINT32},
    {"UINT64", DT_UINT64},       {"HIF8", DT_HIFLOAT8},
    {"FP8E5M2", DT_FLOAT8_E5M2}, {"FP8E4M3FN", DT_FLOAT8_E4M3FN},
};

constexpr std::pair<std::string_view, PrecisionMode> kPrecisionWords[] = {
    {"force_fp16", PrecisionMode::kForceFp16},
    {"fp16", PrecisionMode::kForceFp16},
    {"force_fp32", PrecisionMode::kForceFp32},
    {"cube_fp16in_fp32out", PrecisionMode::kCubeFp16InFp32Out},
    {"allow_mix_precision", PrecisionMode::kMixedFp16},
    {"allow_mix_precision_fp16", PrecisionMode::kMixedFp16},
    {"mixed_float16", PrecisionMode::kMixedFp16},
    {"allow_mix_precision_bf16", PrecisionMode::kMixedBf16},
    {"mixed_bfloat16", PrecisionMode::kMixedBf16},
    {"allow_fp32_to_fp16", PrecisionMode::kAllowFp32ToFp16},
    {"allow_fp32_to_bf16", PrecisionMode::kAllowFp32ToBf16},
    {"must_keep_origin_dtype", PrecisionMode::kKeepOrigin},
    {"origin", PrecisionMode::kKeepOrigin},
    {"cube_hif8", PrecisionMode::kCubeHif8},
    {"mixed_hif8", PrecisionMode::kMixedHif8},
};

Error Invalid(std::string_view flag, std::string_view value, std::string reason) {
  return Error("E10001",
               {{"value", std::string(value)}, {"parameter", std::string(flag)}, {"reason", std::move(reason)}});
}

bool ParseIndex(std::string_view text, int* index) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *index);
  return error == std::errc() && end == text.data() + text.size() && *index >= 0;
}

DataType ParseOutputTypeWord(std::string_view text, std::string_view word) {
  for (const auto& [name, dtype] : kOutputTypes) {
    if (name == word) return dtype;
  }
  std::vector<std::string_view> names;
  for (const auto& [name, dtype] : kOutputTypes) names.push_back(name);
  throw Error("E10001",
              {{"value", std::string(text)},
               {"parameter", "--output_type"},
               {"reason", fmt::format("'{}' is no output type; the types are {}.", word, fmt::join(names, ", "))}},
              DidYouMean(word, std::span<const std::string_view>(names)));
}

}  // namespace

std::vector<OutNodeOption> ParseOutNodes(std::string_view text) {
  constexpr std::string_view kFlag = "--out_nodes";
  std::vector<OutNodeOption> nodes;
  for (std::string_view item : Split(text, ';')) {
    OutNodeOption node;
    const size_t colon = item.rfind(':');
    if (item.empty() || colon == 0) {
      throw Invalid(kFlag, text, "An item is empty. Write \"node_name1:0;node_name1:1;node_name2:0\".");
    }
    if (colon == std::string_view::npos) {
      node.tensor = item;
    } else {
      node.node = item.substr(0, colon);
      if (!ParseIndex(item.substr(colon + 1), &node.index)) {
        throw Invalid(kFlag, text,
                      fmt::format("The index in '{}' is not a positive integer or 0. Write \"node_name1:0\".", item));
      }
    }
    if (!nodes.empty() && nodes[0].by_index() != node.by_index()) {
      throw Invalid(kFlag, text, "Either all items are node:index, or all are names of output tensors.");
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

OutputTypeOption ParseOutputType(std::string_view text, const std::vector<OutNodeOption>& out_nodes) {
  constexpr std::string_view kFlag = "--output_type";
  OutputTypeOption option;
  if (text.find(':') == std::string_view::npos) {
    option.all = ParseOutputTypeWord(text, text);
    return option;
  }
  for (std::string_view item : Split(text, ';')) {
    const size_t type = item.rfind(':');
    const size_t index = type == std::string_view::npos || type == 0 ? type : item.rfind(':', type - 1);
    OutputTypeOption::Item entry;
    if (index == std::string_view::npos || index == 0 || type == 0 ||
        !ParseIndex(item.substr(index + 1, type - index - 1), &entry.index)) {
      throw Invalid(kFlag, text,
                    fmt::format("'{}' is not node:index:type. Write \"node1:0:FP16;node2:0:FP32\".", item));
    }
    entry.node = item.substr(0, index);
    entry.dtype = ParseOutputTypeWord(text, item.substr(type + 1));
    const auto is_entry = [&](const auto& other) { return other.node == entry.node && other.index == entry.index; };
    if (std::any_of(option.items.begin(), option.items.end(), is_entry)) {
      throw Invalid(kFlag, text, fmt::format("{}:{} has two types.", entry.node, entry.index));
    }
    if (std::none_of(out_nodes.begin(), out_nodes.end(), is_entry)) {
      throw Invalid(kFlag, text, fmt::format("{}:{} is not among --out_nodes.", entry.node, entry.index));
    }
    option.items.push_back(std::move(entry));
  }
  return option;
}

PrecisionMode ParsePrecisionMode(std::string_view word) {
  for (const auto& [name, mode] : kPrecisionWords) {
    if (name == word) return mode;
  }
  return PrecisionMode::kForceFp16;  // an empty value: the default
}

}  // namespace atc::cli
