#include "parsers/input_shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/ir/error.h"
#include "compiler/ir/fault_list.h"
#include "compiler/ir/nearest_names.h"

namespace atc {
namespace {

std::string Text(const DimRange& range) {
  if (range.fixed()) return std::to_string(range.min);
  return range.max == kUnknownDim ? "-1" : fmt::format("{}~{}", range.min, range.max);
}

bool Holds(const DimRange& range, int64_t dim) {
  return dim >= range.min && (range.max == kUnknownDim || dim <= range.max);
}

// A fixed dim replaces one that the model fixes; a range must hold it.
bool Contradicts(const DimRange& range, const Shape& shape, size_t axis) {
  return shape.HasRank() && shape[axis] != kUnknownDim && !range.fixed() && !Holds(range, shape[axis]);
}

// What is wrong with --input_shape as a whole, and the whole as it could be.
class ShapeCheck {
 public:
  ShapeCheck(const CompileOptions& options, const std::function<bool(const std::string&)>& is_known,
             const std::vector<ModelInput>& inputs)
      : options_(options), is_known_(is_known), inputs_(inputs) {}

  // Every fault of the first kind that there is.
  void Run() {
    if (options_.input_shapes_by_position) CheckCount();
    for (size_t i = 0; i < options_.input_shapes.size(); ++i) CheckOne(options_.input_shapes[i], i);
    for (FaultList* faults : {&missing_, &not_inputs_, &ranks_, &ranges_}) faults->ThrowIfAny();
  }

 private:
  const ModelInput* Find(const std::string& name) const {
    const auto input = std::find_if(inputs_.begin(), inputs_.end(),
                                    [&](const ModelInput& candidate) { return candidate.name == name; });
    return input == inputs_.end() ? nullptr : &*input;
  }

  void CheckCount() const {
    if (options_.input_shapes.size() == inputs_.size()) return;
    std::string shapes;
    for (const ModelInput& input : inputs_) {
      shapes += (shapes.empty() ? "" : ";") + fmt::format("{}", fmt::join(DimsOf(input, nullptr), ","));
    }
    throw Error("E10001",
                {{"value", fmt::format("{} shapes", options_.input_shapes.size())},
                 {"parameter", "--" + options_.input_shape_flag},
                 {"reason", fmt::format("Without names there must be one shape for each of the {} inputs: {}.",
                                        inputs_.size(), Names())}},
                fmt::format("In the model they are: \"{}\".", shapes));
  }

  void CheckOne(const InputShapeOption& option, size_t position) {
    const ModelInput* input = options_.input_shapes_by_position ? &inputs_[position] : Find(option.name);
    if (input == nullptr || input->desc.dtype == DT_VARIANT) {
      const bool known = input != nullptr || is_known_(option.name);
      const std::string& name = input == nullptr ? option.name : input->name;
      const std::string hint = input == nullptr ? DidYouMean(name, InputNames()) : "";
      Error error(known ? "E10017" : "E10016", {{"opname", name}, {"parameter", options_.input_shape_flag}},
                  Cure(hint));
      (known ? not_inputs_ : missing_)
          .Add(std::move(error), fmt::format("--{} also names '{}'. {}", options_.input_shape_flag, name, hint));
      return;
    }
    const Shape& shape = input->desc.origin_shape;
    if (shape.HasRank() && shape.rank() != option.dims.size()) {
      const std::string has = fmt::format("{}, '{}' of shape {}", shape.rank(), input->name, ToString(shape));
      ranks_.Add(
          Error("E10049", {{"shape_range_size", std::to_string(option.dims.size())}, {"cur_dim_size", has}}, Cure("")),
          fmt::format("{} dims are given where the model has {}", option.dims.size(), has));
      return;
    }
    for (size_t axis = 0; axis < option.dims.size(); ++axis) {
      const DimRange& range = option.dims[axis];
      if (!Contradicts(range, shape, axis)) continue;
      const std::string place = fmt::format("'{}', axis {}", input->name, axis);
      ranges_.Add(Error("E10050",
                        {{"cur_dim", std::to_string(shape[axis])},
                         {"shape_range_left", std::to_string(range.min)},
                         {"shape_range_right", std::to_string(range.max)},
                         {"input", place}},
                        Cure("")),
                  fmt::format("{}: {} is not in {}", place, shape[axis], Text(range)));
    }
  }

  std::vector<std::string> InputNames() const {
    std::vector<std::string> names;
    for (const ModelInput& input : inputs_) {
      if (input.desc.dtype != DT_VARIANT) names.push_back(input.name);
    }
    return names;
  }
  std::string Names() const { return fmt::format("{}", fmt::join(InputNames(), ", ")); }

  // The dims that are given where they can hold, else those of the model.
  static std::vector<std::string> DimsOf(const ModelInput& input, const InputShapeOption* option) {
    const Shape& shape = input.desc.origin_shape;
    std::vector<std::string> dims;
    const bool fits = option != nullptr && (!shape.HasRank() || shape.rank() == option->dims.size());
    if (!fits) {
      for (size_t axis = 0; shape.HasRank() && axis < shape.rank(); ++axis) dims.push_back(std::to_string(shape[axis]));
      return dims;
    }
    for (size_t axis = 0; axis < option->dims.size(); ++axis) {
      const DimRange& range = option->dims[axis];
      dims.push_back(Contradicts(range, shape, axis) ? std::to_string(shape[axis]) : Text(range));
    }
    return dims;
  }

  // The input that an option means: its own, the nearest by name, or the only one that no option names and that is not
  // `taken` for another.
  const ModelInput* Meant(const InputShapeOption& option, const std::vector<const ModelInput*>& taken) const {
    if (const ModelInput* input = Find(option.name)) return input->desc.dtype == DT_VARIANT ? nullptr : input;
    std::vector<std::string> free;
    for (const std::string& name : InputNames()) {
      const auto named = [&](const InputShapeOption& other) { return other.name == name; };
      if (std::any_of(options_.input_shapes.begin(), options_.input_shapes.end(), named)) continue;
      if (std::find(taken.begin(), taken.end(), Find(name)) == taken.end()) free.push_back(name);
    }
    const std::vector<std::string_view> views(free.begin(), free.end());
    const auto near = NearestNames(option.name, views);
    if (!near.empty()) return Find(std::string(near[0]));
    return free.size() == 1 ? Find(free[0]) : nullptr;
  }

  // "--input_shape=..." as it could be; options that nothing is meant by are left out. Empty when nothing is left.
  std::string Corrected() const {
    std::string items;
    std::vector<const ModelInput*> taken;
    for (size_t i = 0; i < options_.input_shapes.size(); ++i) {
      const InputShapeOption& option = options_.input_shapes[i];
      const ModelInput* input = options_.input_shapes_by_position ? &inputs_[i] : Meant(option, taken);
      if (input == nullptr) continue;
      taken.push_back(input);
      items += items.empty() ? "" : ";";
      if (!options_.input_shapes_by_position) items += input->name + ":";
      items += fmt::format("{}", fmt::join(DimsOf(*input, &option), ","));
    }
    return items.empty() ? "" : fmt::format("--input_shape=\"{}\"", items);
  }

  std::string Cure(const std::string& hint) const {
    std::vector<std::string> parts;
    if (!hint.empty()) parts.push_back(hint);
    if (const std::string flag = Corrected(); !flag.empty()) parts.push_back("Write " + flag + ".");
    if (const std::string names = Names(); !names.empty())
      parts.push_back("The inputs of the model are: " + names + ".");
    return fmt::format("{}", fmt::join(parts, " "));
  }

  const CompileOptions& options_;
  const std::function<bool(const std::string&)>& is_known_;
  const std::vector<ModelInput>& inputs_;
  FaultList missing_, not_inputs_, ranks_, ranges_;
};

bool Apply(const InputShapeOption& option, ModelInput* input) {
  TensorDesc& desc = input->desc;
  const Shape shape = desc.origin_shape;
  const size_t rank = option.dims.size();
  bool changed = false;
  bool any_range = false;
  Shape dims = Shape::UnknownDims(rank);
  for (size_t i = 0; i < rank; ++i) {
    dims[i] = option.dims[i].dim();
    any_range |= !option.dims[i].fixed();
    changed |= shape.HasRank() && shape[i] != kUnknownDim && shape[i] != dims[i];
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

}  // namespace

bool ApplyInputShapes(const CompileOptions& options, const std::function<bool(const std::string&)>& is_known,
                      std::vector<ModelInput>* inputs) {
  ShapeCheck(options, is_known, *inputs).Run();
  bool changed = false;
  for (size_t i = 0; i < options.input_shapes.size(); ++i) {
    const InputShapeOption& option = options.input_shapes[i];
    const auto input = options.input_shapes_by_position
                           ? inputs->begin() + static_cast<int64_t>(i)
                           : std::find_if(inputs->begin(), inputs->end(),
                                          [&](const ModelInput& candidate) { return candidate.name == option.name; });
    changed |= Apply(option, &*input);
  }
  return changed;
}

}  // namespace atc
