#include "cmd/atc/check_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cmd/atc/aipp_config.h"
#include "cmd/atc/gears.h"
#include "cmd/atc/text.h"
#include "compiler/ir/error.h"
#include "compiler/ir/nearest_names.h"

namespace atc::cli {
namespace {

bool IsOpen(const Graph& graph, const Node& data) {
  const TensorDesc& desc = graph.desc(data.outputs[0]);
  return desc.dtype != DT_VARIANT && !desc.origin_shape.IsKnown();
}

std::string Written(const Graph& graph, const Node& data) {
  return data.name + ":" + fmt::format("{}", fmt::join(graph.desc(data.outputs[0]).origin_shape.dims(), ","));
}

// The open inputs that --input_shape does not name, as it would be written.
std::string Unlisted(const Graph& graph, const CompileOptions& options) {
  std::string list;
  for (const NodeId id : graph.Inputs()) {
    const Node& data = graph.node(id);
    const bool listed = options.input_shapes_by_position ||
                        std::any_of(options.input_shapes.begin(), options.input_shapes.end(),
                                    [&](const InputShapeOption& shape) { return shape.name == data.name; });
    if (!listed && IsOpen(graph, data)) list += (list.empty() ? "" : ";") + Written(graph, data);
  }
  return list;
}

// A shape that the user says may stay open is one thing, a forgotten flag another.
void RequireShapes(const Graph& graph, const FlagValues& flags, const CompileOptions& options) {
  const bool gears = HasGears(flags);
  if (!options.input_shapes.empty() && !gears) return;
  const std::string open = Unlisted(graph, options);
  if (open.empty()) return;
  if (gears) {
    const Gears read = ParseGears(flags);
    throw Error("E10001",
                {{"value", flags.Get(read.flag)},
                 {"parameter", fmt::format("--{}", read.flag)},
                 {"reason", "All dynamic nodes must be set in --input_shape, and it leaves out " + open + "."}},
                "Add them: --input_shape=\"" + flags.Get("input_shape") + ";" + open + "\".");
  }
  throw Error("E10001",
              {{"value", "NULL"},
               {"parameter", "--input_shape"},
               {"reason", "The model leaves dims of its inputs open: " + open + "."}},
              "Give their sizes, or keep them open with -1 or a range, as --input_shape=\"" + open + "\".");
}

void CheckAippInputs(const Graph& graph, const FlagValues& flags) {
  if (!flags.IsSet("insert_op_conf")) return;
  const std::vector<NodeId> inputs = graph.Inputs();
  std::vector<std::string> names;
  for (const NodeId id : inputs) names.push_back(graph.node(id).name);
  const std::string half = flags.Get("input_fp16_nodes");
  for (const AippOp& op : ReadAippConfig(flags.Get("insert_op_conf"))) {
    const Node* data = nullptr;
    if (!op.related_input_name.empty()) {
      const auto found = std::find(names.begin(), names.end(), op.related_input_name);
      if (found == names.end()) {
        throw Error("E10052",
                    {{"reason", fmt::format("related_input_name '{}' is no input of the model, whose inputs are {}",
                                            op.related_input_name, fmt::join(names, ", "))}},
                    DidYouMean(op.related_input_name, names));
      }
      data = &graph.node(inputs[static_cast<size_t>(found - names.begin())]);
    } else if (static_cast<uint64_t>(op.related_input_rank) < inputs.size()) {
      data = &graph.node(inputs[static_cast<size_t>(op.related_input_rank)]);
    } else {
      throw Error("E10052", {{"reason", fmt::format("related_input_rank {} is no input of the model, which has {}",
                                                    op.related_input_rank, inputs.size())}});
    }
    const Shape& shape = graph.desc(data->outputs[0]).origin_shape;
    if (shape.HasRank() && shape.rank() != 4) {
      throw Error("E10052", {{"reason", fmt::format("the input '{}' has the shape {}, and AIPP feeds images of 4 dims",
                                                    data->name, ToString(shape))}});
    }
    const std::vector<std::string_view> fp16 = Split(half, ';');
    if (std::find(fp16.begin(), fp16.end(), data->name) != fp16.end()) {
      throw Error("E10034", {{"opname", data->name}});
    }
  }
}

}  // namespace

void CheckModel(const Graph& graph, const FlagValues& flags, const CompileOptions& options) {
  RequireShapes(graph, flags, options);
  CheckAippInputs(graph, flags);
}

}  // namespace atc::cli
