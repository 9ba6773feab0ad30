#include "compiler/plugin_host.h"

#include <cstring>
#include <string>

#include "compiler/dump/forms.h"
#include "compiler/io/byte_sink.h"
#include "compiler/ir/error.h"
#include "compiler/om/reader.h"
#include "compiler/om/writer.h"
#include "compiler/plan/check_order.h"
#include "compiler/streams/events.h"

namespace atc {
namespace {

constexpr int kWithoutValues = 2;  // detail of a dump

struct Form {
  DumpForm form;
  const char* name;  // in DUMP_GRAPH_FORMAT
  void (*write)(const GraphList& graphs, int detail, ByteSink& out);
};

constexpr Form kForms[] = {
    {DumpForm::kOnnx, "onnx", WriteOnnxText},
    {DumpForm::kProto, "ge_proto", WriteProtoText},
    {DumpForm::kReadable, "readable", WriteReadableText},
};

const Form& Find(DumpForm form) {
  for (const Form& entry : kForms) {
    if (entry.form == form) return entry;
  }
  return kForms[0];
}

struct Mode {
  PrecisionMode mode;
  const char* name;
};

constexpr Mode kModes[] = {
    {PrecisionMode::kForceFp16, "force_fp16"},
    {PrecisionMode::kForceFp32, "force_fp32"},
    {PrecisionMode::kCubeFp16InFp32Out, "cube_fp16in_fp32out"},
    {PrecisionMode::kMixedFp16, "allow_mix_precision"},
    {PrecisionMode::kMixedBf16, "allow_mix_precision_bf16"},
    {PrecisionMode::kAllowFp32ToFp16, "allow_fp32_to_fp16"},
    {PrecisionMode::kAllowFp32ToBf16, "allow_fp32_to_bf16"},
    {PrecisionMode::kKeepOrigin, "must_keep_origin_dtype"},
    {PrecisionMode::kCubeHif8, "cube_hif8"},
    {PrecisionMode::kMixedHif8, "mixed_hif8"},
};

// An om has no undescribed values, a graph before inference has: saved ones are floats, and their nodes say so.
constexpr const char* kUndescribed = "_undescribed_outputs";

template <typename F>
void ForEachNode(Graph& graph, F&& visit) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    Node& node = graph.node(id);
    if (!node.alive) continue;
    visit(graph, node);
    for (Subgraph& nested : node.subgraphs) ForEachNode(*nested.graph, visit);
  }
}

void MarkUndescribed(Graph& graph, Node& node) {
  std::vector<int64_t> outputs;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    TensorDesc& desc = graph.desc(node.outputs[i]);
    if (desc.dtype != DT_UNDEFINED) continue;
    desc.dtype = DT_FLOAT;
    outputs.push_back(static_cast<int64_t>(i));
  }
  if (!outputs.empty()) node.attrs.Set(kUndescribed, std::move(outputs));
}

void RestoreUndescribed(Graph& graph, Node& node) {
  for (const int64_t i : node.attrs.Get(kUndescribed, std::vector<int64_t>())) {
    if (i >= 0 && static_cast<size_t>(i) < node.outputs.size()) graph.desc(node.outputs[i]).dtype = DT_UNDEFINED;
  }
  node.attrs.Erase(kUndescribed);
}

std::map<std::string, std::string> Options(const CompileOptions& options) {
  std::map<std::string, std::string> result = options.ge_options;
  result["ge.enableSingleStream"] = options.single_stream ? "true" : "false";
  result["ge.exec.disableReuseMemory"] = options.disable_reuse_memory ? "1" : "0";
  result["ge.socVersion"] = options.soc_version;
  if (options.parallel_mode.kind != ParallelMode::kOff) result[kParallelModeAttr] = ParallelModeText(options.parallel_mode);
  for (const Mode& entry : kModes) {
    if (entry.mode == options.precision_mode) result["ge.exec.precision_mode"] = entry.name;
  }
  return result;
}

}  // namespace

PassHost MakePassHost(const CompileOptions& options, const DumpEnvironment& environment, Dumper* dumper,
                      Journal* journal) {
  PassHost host;
  host.options = Options(options);
  host.journal = journal;
  // What a pass does next may end the process: the file is there before.
  host.dump = [dumper](std::string_view stage, const Graph& graph) {
    dumper->Dump(stage, graph);
    dumper->Wait();
  };
  host.write_dump = [](DumpForm form, const Graph& graph, std::ostream& out) {
    StringSink text;
    Find(form).write(GraphList(graph), kWithoutValues, text);
    out << text.text;
  };
  // Asked for by the pass, hence whatever the user's variables say of dumps, except where they go.
  host.write_dump_file = [environment](DumpForm form, std::string_view suffix, const Graph& graph) {
    DumpEnvironment forced = environment;
    forced.dump_ge_graph = std::to_string(kWithoutValues);
    forced.dump_graph_level = "1";
    forced.dump_graph_format = Find(form).name;
    Diagnostics faults;
    {
      Dumper dumper(forced, &faults);
      dumper.Dump(suffix, graph);
    }
    return faults.all().empty();
  };
  host.save = [](const Graph& graph) {
    OmModel model;
    model.name = graph.name;
    model.graph = graph.Clone();
    model.attrs.Set(kOurFormatAttr, kOurFormat);
    ForEachNode(*model.graph, MarkUndescribed);
    return WriteOm(model);
  };
  host.load = [](std::string_view bytes) -> std::unique_ptr<Graph> {
    Buffer buffer = Buffer::Allocate(bytes.size());
    std::memcpy(buffer.data, bytes.data(), bytes.size());
    try {
      std::unique_ptr<Graph> graph = std::move(ReadOm(buffer, "saved graph").graph);
      ForEachNode(*graph, RestoreUndescribed);
      return graph;
    } catch (const Error&) {
      return nullptr;
    }
  };
  host.check_order = [](const Graph& graph) -> std::string {
    const std::unique_ptr<Graph> copy = graph.Clone();
    InsertEvents(*copy);
    const std::vector<std::string> faults = CheckOrder(*copy);
    return faults.empty() ? "" : faults.front();
  };
  return host;
}

}  // namespace atc
