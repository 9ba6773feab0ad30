#include "compiler/om/summary.h"

#include <set>

#include "compiler/io/mapped_file.h"
#include "compiler/ir/gears.h"
#include "compiler/om/container.h"
#include "compiler/om/external_weights.h"
#include "compiler/om/proto/ge_model.pb.h"
#include "compiler/om/serialize.h"

namespace atc {
namespace {

using Attrs = google::protobuf::Map<std::string, openatc::ge::AttrDef>;

std::string Text(const Attrs& attrs, const char* name) {
  const auto found = attrs.find(name);
  return found == attrs.end() ? "" : found->second.s();
}

int64_t Number(const Attrs& attrs, const char* name) {
  const auto found = attrs.find(name);
  return found == attrs.end() ? -1 : found->second.i();
}

std::string GearsOf(const openatc::ge::OpDef& op) {
  constexpr const char* kFlags[] = {"", "dynamic_batch_size", "dynamic_image_size", "dynamic_dims"};
  const Attrs& attrs = op.attr();
  const int64_t kind = Number(attrs, kGearKind);
  if (kind < 1 || kind >= static_cast<int64_t>(std::size(kFlags))) return "";
  std::vector<std::vector<int64_t>> sizes;
  for (auto found = attrs.find(kGearSizes + std::to_string(0)); found != attrs.end();
       found = attrs.find(kGearSizes + std::to_string(sizes.size()))) {
    sizes.emplace_back(found->second.list().i().begin(), found->second.list().i().end());
  }
  return std::string(kFlags[kind]) + "[" + GearsText(sizes) + "]";
}

}  // namespace

OmSummary ReadOmSummary(const std::string& path) {
  const Buffer file = MapFile(path);
  const OmContainer om = ParseContainer({file.data, file.size}, path);
  const Partition* model_def = om.Find(PartitionType::kModelDef);
  openatc::ge::ModelDef message;
  if (model_def == nullptr) throw DamagedOm(path, 0, "no graph among the partitions");
  if (!Parse({reinterpret_cast<const char*>(file.data) + model_def->offset, model_def->size}, &message)) {
    throw DamagedOm(path, model_def->offset, "bytes that are no graph; expected a ModelDef message");
  }
  const Attrs& attrs = message.attr();
  OmSummary summary;
  summary.atc_cmdline = Text(attrs, "atc_cmdline");
  summary.atc_version = Text(attrs, "atc_version");
  summary.soc_version = Text(attrs, "soc_version");
  summary.framework_type = Text(attrs, "framework_type");
  summary.memory_size = Number(attrs, "memory_size");
  summary.weight_size = Number(attrs, "weight_size");
  summary.stream_num = Number(attrs, "stream_num");
  summary.event_num = Number(attrs, "event_num");
  summary.modeldef_size = static_cast<int64_t>(model_def->size);
  const auto list = attrs.find("om_info_list");
  if (list != attrs.end()) summary.om_info_list.assign(list->second.list().i().begin(), list->second.list().i().end());
  std::set<std::string> files;
  for (const auto& graph : message.graph()) {
    for (const auto& op : graph.op()) {
      if (op.name() == kGearCase) summary.gears = GearsOf(op);
      const auto location = op.type() == "FileConstant" ? op.attr().find(kLocationAttr) : op.attr().end();
      if (location != op.attr().end()) files.insert(location->second.s());
    }
  }
  summary.weight_files.assign(files.begin(), files.end());
  return summary;
}

}  // namespace atc
