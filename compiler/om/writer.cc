#include "compiler/om/writer.h"

#include <google/protobuf/arena.h>

#include "compiler/io/utf8.h"
#include "compiler/om/attr_compression.h"
#include "compiler/om/checksum.h"
#include "compiler/om/container.h"
#include "compiler/om/inout_info.h"
#include "compiler/om/model_attrs.h"
#include "compiler/om/proto/ge_model.pb.h"
#include "compiler/om/proto_graph.h"
#include "compiler/om/proto_task.h"
#include "compiler/om/serialize.h"

namespace atc {
namespace {

// Appends a field that no reader knows, of so many bytes that the message grows to end on a multiple of the weights'
// alignment in the file. Its length takes two bytes whatever it is.
void PadModelDef(size_t start, std::string* model_def) {
  constexpr size_t kHead = 4;        // tag and length, two bytes each
  constexpr size_t kSmallest = 128;  // the smallest length that takes two bytes
  const size_t end = start + model_def->size() + kHead + kSmallest;
  const size_t align = static_cast<size_t>(kWeightAlign);
  const size_t fill = kSmallest + (align - end % align) % align;
  constexpr uint32_t kTag = 1000 << 3 | 2;
  for (const uint32_t number : {kTag, static_cast<uint32_t>(fill)}) {
    model_def->push_back(static_cast<char>((number & 0x7F) | 0x80));
    model_def->push_back(static_cast<char>(number >> 7));
  }
  model_def->append(fill, '\0');
}

}  // namespace

std::unique_ptr<ExternalWeights> WriteOm(const OmModel& model, ByteSink& out, ExternalWeight external,
                                         const std::string& om_path) {
  const GraphList graphs(*model.graph);
  const WeightLayout weights(graphs);
  std::unique_ptr<ExternalWeights> files;
  if (external != ExternalWeight::kNone) {
    files = std::make_unique<ExternalWeights>(weights, external, om_path, model.name);
  }
  const int64_t weight_bytes = files ? 0 : weights.size();
  const std::string tasks = TaskInfo(model, graphs);
  const std::string inout = InOutInfo(model);

  // An arena: a large model has millions of small messages, which would be freed one by one.
  google::protobuf::Arena arena;
  auto& message = *google::protobuf::Arena::CreateMessage<openatc::ge::ModelDef>(&arena);
  message.set_name(EscapeInvalidUtf8(model.name));
  message.set_version(kOmProtoVersion);
  ToProto(graphs, {.weights = &weights, .external = files.get()}, &message);
  ModelAttrsToProto(model, {weight_bytes, static_cast<int64_t>(tasks.size())}, &message);
  if (model.compress_attributes) CompressAttributes(&message);
  std::string model_def = Serialize(message, "MODEL_DEF");
  arena.Reset();

  std::vector<PartitionSize> partitions = {{PartitionType::kInOutInfo, inout.size()}, {PartitionType::kModelDef, 0}};
  if (weight_bytes > 0) partitions.push_back({PartitionType::kWeights, static_cast<uint64_t>(weight_bytes)});
  partitions.push_back({PartitionType::kTasks, tasks.size()});
  PadModelDef(OmPrefixBytes(partitions.size()) + inout.size(), &model_def);
  partitions[1].size = model_def.size();

  std::string prefix = OmPrefix(model.name, model.dynamic, partitions);
  SetChecksums({OmChecksum(prefix, inout, model_def, tasks), weights.hash()}, &prefix);
  out.Write(prefix);
  out.Write(inout);
  out.Write(model_def);
  if (weight_bytes > 0) weights.Write(out);
  out.Write(tasks);
  return files;
}

void WriteOm(const OmModel& model, ByteSink& out) { WriteOm(model, out, ExternalWeight::kNone, ""); }

std::string WriteOm(const OmModel& model) {
  StringSink out;
  WriteOm(model, out);
  return std::move(out.text);
}

}  // namespace atc
