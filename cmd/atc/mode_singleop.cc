// --singleop: every operator of a file becomes an om of its own.
#include <fmt/format.h>

#include <optional>

#include "cmd/atc/paths.h"
#include "cmd/atc/run.h"
#include "cmd/atc/singleop_file.h"
#include "cmd/atc/validate.h"
#include "compiler/ir/error_catalogue.h"
#include "compiler/pipeline.h"

namespace atc::cli {
namespace {

bool IsFloat(DataType dtype) { return dtype == DT_FLOAT || IsHalf(dtype); }

// The described outputs are what inference finds; a float one may be of another float type.
void CheckOutputs(const SingleOp& op, const Graph& graph) {
  const Node& net_output = *graph.NetOutput();
  for (size_t i = 0; i < op.outputs.size() && i < net_output.inputs.size(); ++i) {
    const TensorDesc& found = graph.desc(net_output.inputs[i]);
    const TensorDesc& told = op.outputs[i].stored;
    const Shape& a = found.origin_shape;
    const Shape& b = told.origin_shape;
    bool same = !a.HasRank() || !b.HasRank() || a.rank() == b.rank();
    for (size_t d = 0; same && a.HasRank() && b.HasRank() && d < a.rank(); ++d) same = a[d] < 0 || b[d] < 0 || a[d] == b[d];
    if (same && found.dtype == told.dtype) continue;
    throw Error("E14001",
                {{"value", fmt::format("output {}", i)},
                 {"opname", op.name.empty() ? op.type : op.name},
                 {"optype", op.type},
                 {"reason", fmt::format("it is described as {} {}, but is {} {}", DataTypeName(told.dtype), ToString(b),
                                        DataTypeName(found.dtype), ToString(a))}});
  }
}

void ConvertOne(Run& run, const SingleOp& op, const std::string& name, CompileOptions options) {
  options.output_path += "/" + name;
  std::unique_ptr<Graph> graph = SingleOpGraph(op);
  // Its own types hold; a mode that lowers comes back to them at the outputs.
  const Node& net_output = *graph->NetOutput();
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    if (!IsFloat(op.outputs[i].desc.dtype)) continue;
    const Value& value = graph->value(net_output.inputs[i]);
    options.output_type.items.push_back(
        {graph->node(value.producer).name, static_cast<int>(value.index), op.outputs[i].desc.dtype});
  }
  CompileHooks hooks;
  hooks.dump = DumpEnvironment::OfProcess();
  hooks.dump.single_op = true;
  const CompileResult result = Compile(std::move(graph), options, &run.diagnostics, hooks);
  CheckOutputs(op, *result.model.graph);
  WriteOmFile(result.model, options);
}

}  // namespace

void ConvertSingleOps(Run& run) {
  CompileOptions options = CheckSingleOp(run.flags, &run.diagnostics);
  CheckTargetFlags(run.flags, options);
  const std::string path = run.flags.Get("singleop");
  run.Step("read operators");
  const std::vector<SingleOp> ops = ReadSingleOps(path);
  // All are tried, and one that fails makes the run fail: the first is told whole, of the others what is wrong.
  std::optional<Error> first;
  std::vector<std::string> others;
  for (size_t i = 0; i < ops.size(); ++i) {
    const std::string name = ops[i].FileName(i);
    run.Step(fmt::format("operator {} of {}: {}", i + 1, ops.size(), name));
    try {
      if (name.find('/') != std::string::npos) {
        throw Error("E10023", {{"value", path}, {"reason", fmt::format("the name '{}' is no name of a file", name)}});
      }
      CheckPathCharacters("singleop", name);
      ConvertOne(run, ops[i], name, options);
    } catch (Error& error) {
      const std::string place = fmt::format("operator {} '{}' of {}", i, name, path);
      if (first) {
        others.push_back(fmt::format("{}: {} {}", place, error.diagnostic().code, MessageText(error.diagnostic())));
      } else {
        first = std::move(error.At(place));
      }
    }
  }
  if (!first) return;
  for (auto other = others.rbegin(); other != others.rend(); ++other) first->At(*other);
  if (!others.empty()) first->At(fmt::format("{} of {} operators failed", others.size() + 1, ops.size()));
  throw std::move(*first);
}

}  // namespace atc::cli
