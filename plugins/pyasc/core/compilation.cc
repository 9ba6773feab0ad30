#include "plugins/pyasc/core/compilation.h"

#include <pybind11/stl.h>
#include <unistd.h>

#include <algorithm>

#include "compiler/om/writer.h"
#include "plugins/pyasc/core/diagnostics.h"
#include "plugins/pyasc/core/graph_view.h"

namespace py = pybind11;

namespace atc::python {
namespace {

// Graphs of all stages, values of constants left out, as --help says of DUMP_GE_GRAPH=2.
DumpEnvironment DumpsTo(const std::string& folder) {
  DumpEnvironment environment;
  if (folder.empty()) return environment;
  environment.dump_ge_graph = "2";
  environment.dump_graph_level = "1";
  environment.dump_graph_path = folder;
  environment.pid = getpid();
  return environment;
}

bool Contains(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

Compilation::Compilation(const GraphBuilder& builder,
                         const std::vector<std::pair<std::string, std::vector<int64_t>>>& shapes,
                         const std::vector<std::pair<ValueId, std::string>>& outputs, const CompileOptions& options,
                         const std::string& dump_path, const Capture& capture, const NodeSettings& settings) {
  std::unique_ptr<Graph> graph = builder.Finish(shapes, outputs, settings);
  PluginReport plugins;
  CompileHooks hooks;
  hooks.dump = DumpsTo(dump_path);
  hooks.plugins = &plugins;
  hooks.after_stage = [&](std::string_view stage, const Graph& after) {
    StageRecord record;
    record.name = stage;
    record.num_nodes = after.num_nodes();
    if (Contains(capture.stages, "*") || Contains(capture.stages, stage)) {
      for (const std::string& form : capture.forms) record.texts[form] = TextOf(after, form);
      if (capture.nodes) {
        const py::gil_scoped_acquire acquire;
        record.nodes = NodesOf(after);
      }
    }
    stages_.push_back(std::move(record));
  };
  const py::gil_scoped_release release;
  result_ = Compile(std::move(graph), options, &diagnostics_, hooks);
  om_ = WriteOm(result_.model);
  plugins_ = plugins.empty() ? "" : plugins.Text();
}

py::dict Compilation::Numbers() const {
  py::dict numbers;
  numbers["memory_size"] = result_.model.memory_size;
  numbers["memory_lower_bound"] = result_.memory_lower_bound;
  numbers["memory_without_reuse"] = result_.memory_without_reuse;
  numbers["memory_strategy"] = result_.memory_strategy;
  numbers["weight_size"] = result_.model.weight_size;
  numbers["streams"] = result_.model.stream_num;
  numbers["events"] = result_.model.event_num;
  numbers["tasks"] = result_.model.tasks.size();
  numbers["dynamic"] = result_.model.dynamic;
  numbers["om_size"] = om_.size();
  return numbers;
}

py::list Compilation::Nodes() const { return NodesOf(*result_.model.graph); }

py::list Compilation::Journal() const { return EntriesOf(result_.journal); }

py::dict Compilation::Counts() const {
  py::dict counts;
  for (const auto& [pass, count] : result_.journal.counts()) {
    counts[py::str(pass)] = py::make_tuple(count.matches, count.effects);
  }
  return counts;
}

py::list Compilation::Warnings() const {
  py::list warnings;
  for (const Diagnostic& diagnostic : diagnostics_.all()) warnings.append(ToDict(diagnostic, FlagStyle::kKeywords));
  return warnings;
}

}  // namespace atc::python
