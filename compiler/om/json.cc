#include "compiler/om/json.h"

#include <fmt/format.h>

#include "compiler/io/mapped_file.h"
#include "compiler/io/reflect_json.h"
#include "compiler/om/attr_expansion.h"
#include "compiler/om/container.h"
#include "compiler/om/proto/ge_model.pb.h"
#include "compiler/om/proto_attr.h"
#include "compiler/om/serialize.h"
#include "compiler/om/text_message.h"

namespace atc {
namespace {

namespace pb = openatc::ge;

const JsonStyle& Style() {
  static const JsonStyle style{true,
                               {"bt", "data", "data_offset", "memory_size", "output", "quantize_factor", "size",
                                "weight_size", "workspace", "workspace_bytes"}};
  return style;
}

// Vendors' models say in the model attribute `fm` which operators were fused: one serialised OpDef for each operator of
// the file, whose attribute fusion_scope holds the number of an L1 group in its upper half, of a UB group in its lower.
void NameFusionGroups(pb::ModelDef* model) {
  const auto list = model->attr().find("fm");
  if (list == model->attr().end()) return;
  const auto& fused = list->second.list().bt();
  int next = 0;
  for (pb::GraphDef& graph : *model->mutable_graph()) {
    for (pb::OpDef& op : *graph.mutable_op()) {
      if (next >= fused.size() || fused[next].empty()) return;
      pb::OpDef description;
      if (!Parse(fused[next++], &description)) continue;
      const auto scope = description.attr().find("fusion_scope");
      if (scope == description.attr().end()) continue;
      const auto number = static_cast<uint64_t>(scope->second.i());
      const uint64_t l1 = number >> 16 & 0xFFFF;
      const uint64_t ub = number & 0xFFFF;
      if (l1 == 0 && ub == 0) continue;
      (*op.mutable_attr())["group_op_name"].set_s(
          fmt::format("group_op_{}_{}_{}", l1 != 0 ? "l1" : "ub", l1 != 0 ? l1 : ub, op.stream_id()));
    }
  }
}

}  // namespace

void WriteOmJson(const std::string& path, ByteSink& out) {
  const Buffer file = MapFile(path);
  const OmContainer om = ParseContainer({file.data, file.size}, path);
  const Partition* model_def = om.Find(PartitionType::kModelDef);
  if (model_def == nullptr)
    throw DamagedOm(path, kOmHeaderBytes, "a table without partition 0; expected the graph there");
  pb::ModelDef message;
  if (!Parse({reinterpret_cast<const char*>(file.data) + model_def->offset, model_def->size}, &message)) {
    throw DamagedOm(path, model_def->offset, "bytes that are no graph; expected a ModelDef message");
  }
  try {
    NameFusionGroups(&message);
    ExpandAttributes(&message);
  } catch (const BadMessage& bad) {
    throw DamagedOm(path, model_def->offset, bad.what);
  }
  WriteJson(message, Style(), out);
}

void WriteTextDumpJson(const std::string& path, ByteSink& out) {
  pb::ModelDef message;
  ReadTextMessage(path, &message);
  if (message.graph_size() == 0) throw NoGraph(path);
  WriteJson(message, Style(), out);
}

}  // namespace atc
