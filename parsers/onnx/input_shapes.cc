#include "parsers/onnx/input_shapes.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/error.h"

namespace atc::onnx_parser {
namespace {

bool Apply(const InputShapeOption& option, ModelInput* input) {
  TensorDesc& desc = input->desc;
  const Shape& shape = desc.origin_shape;
  const size_t rank = option.dims.size();
  if (shape.HasRank() && shape.rank() != rank) {
    throw Error("E10049",
                {{"shape_range_size", std::to_string(rank)},
                 {"cur_dim_size", fmt::format("{}, '{}' of shape {}", shape.rank(), input->name, ToString(shape))}});
  }
  bool changed = false;
  bool any_range = false;
  Shape dims = Shape::UnknownDims(rank);
  for (size_t i = 0; i < rank; ++i) {
    const DimRange& range = option.dims[i];
    dims[i] = range.dim();
    any_range |= !range.fixed();
    if (!shape.HasRank() || shape[i] == kUnknownDim) continue;
    changed |= shape[i] != dims[i];
    if (!range.fixed() && (shape[i] < range.min || (range.max != kUnknownDim && shape[i] > range.max))) {
      throw Error("E10050", {{"cur_dim", std::to_string(shape[i])},
                             {"shape_range_left", std::to_string(range.min)},
                             {"shape_range_right", std::to_string(range.max)},
                             {"input", fmt::format("'{}', axis {}", input->name, i)}});
    }
  }
  desc.SetShape(dims);
  if (any_range) desc.ranges = option.dims;
  for (size_t i = 0; i < desc.symbols.size(); ++i) {
    if (dims[i] != kUnknownDim) desc.symbols[i].clear();
  }
  if (std::all_of(desc.symbols.begin(), desc.symbols.end(), [](const std::string& s) { return s.empty(); })) {
    desc.symbols.clear();
  }
  return changed;
}

std::string NamesOf(const std::vector<ModelInput>& inputs) {
  std::string names;
  for (const ModelInput& input : inputs) names += (names.empty() ? "" : ", ") + input.name;
  return names;
}

}  // namespace

bool ApplyInputShapes(const CompileOptions& options, const std::function<bool(const std::string&)>& is_known,
                      std::vector<ModelInput>* inputs) {
  bool changed = false;
  if (options.input_shapes_by_position) {
    if (options.input_shapes.size() != inputs->size()) {
      throw Error("E10001",
                  {{"value", fmt::format("{} shapes", options.input_shapes.size())},
                   {"parameter", "--" + options.input_shape_flag},
                   {"reason", fmt::format("Without names there must be one shape for each of the {} inputs: {}.",
                                          inputs->size(), NamesOf(*inputs))}});
    }
    for (size_t i = 0; i < inputs->size(); ++i) changed |= Apply(options.input_shapes[i], &(*inputs)[i]);
    return changed;
  }
  for (const InputShapeOption& option : options.input_shapes) {
    const auto input = std::find_if(inputs->begin(), inputs->end(),
                                    [&](const ModelInput& candidate) { return candidate.name == option.name; });
    if (input == inputs->end() || input->desc.dtype == DT_VARIANT) {
      const bool known = input != inputs->end() || is_known(option.name);
      throw Error(known ? "E10017" : "E10016", {{"opname", option.name}, {"parameter", options.input_shape_flag}},
                  inputs->empty() ? "" : "The inputs of the model are: " + NamesOf(*inputs) + ".");
    }
    changed |= Apply(option, &*input);
  }
  return changed;
}

}  // namespace atc::onnx_parser
