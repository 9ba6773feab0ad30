#include "compiler/om/reader.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <set>

#include "compiler/io/mapped_file.h"
#include "compiler/io/utf8.h"
#include "compiler/om/attr_expansion.h"
#include "compiler/om/checksum.h"
#include "compiler/om/container.h"
#include "compiler/om/graph_list.h"
#include "compiler/om/hash.h"
#include "compiler/om/model_attrs.h"
#include "compiler/om/needed_fields.h"
#include "compiler/om/proto/ge_model.pb.h"
#include "compiler/om/proto_attr.h"
#include "compiler/om/proto_task.h"
#include "compiler/om/reused_events.h"
#include "compiler/om/read_graph.h"
#include "compiler/om/serialize.h"

namespace atc {
namespace {

std::span<const std::byte> Span(const Buffer& file) { return {file.data, file.size}; }

std::string_view Text(const Buffer& file, const Partition* partition) {
  if (partition == nullptr) return {};
  return {reinterpret_cast<const char*>(file.data) + partition->offset, partition->size};
}

// What WeightLayout::hash is of the same constants: contents by offset, each once.
uint64_t WeightsHash(const Graph& graph) {
  uint64_t hash = 0;
  std::set<int64_t> seen;
  const GraphList graphs(graph);
  for (const ListedGraph& listed : graphs.all()) {
    for (const NodeId id : listed.order) {
      const Node& node = listed.graph->node(id);
      const Tensor* value = node.type() == "Const" ? node.attrs.FindAs<Tensor>("value") : nullptr;
      if (value == nullptr || node.outputs.empty()) continue;
      const int64_t offset = listed.graph->value(node.outputs[0]).offset;
      if (offset <= 0 || !seen.insert(offset).second) continue;
      const Tensor stored = value->deferred() ? StoredConstant(node) : *value;
      const uint64_t content = Hash64(std::span(stored.Data(), stored.NumBytes()));
      const uint64_t pair[] = {static_cast<uint64_t>(offset), content};
      hash = Hash64(std::as_bytes(std::span(pair)), hash);
    }
  }
  return hash;
}

}  // namespace

// A scan of the message's fields: its graphs, all but a few bytes of it, are stepped over.
bool IsOwnOm(const std::string& path) {
  using google::protobuf::internal::WireFormatLite;
  const Buffer file = MapFile(path);
  const OmContainer om = ParseContainer(Span(file), path);
  const std::string_view text = Text(file, om.Find(PartitionType::kModelDef));
  if (text.size() > INT_MAX) return false;
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const uint8_t*>(text.data()), static_cast<int>(text.size()));
  constexpr uint32_t kAttr = openatc::ge::ModelDef::kAttrFieldNumber << 3 | WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
  constexpr uint32_t kKey = 1 << 3 | WireFormatLite::WIRETYPE_LENGTH_DELIMITED;  // of an entry of a map
  for (uint32_t tag; (tag = in.ReadTag()) != 0;) {
    if (tag != kAttr) {
      if (!WireFormatLite::SkipField(&in, tag)) return false;
      continue;
    }
    uint32_t length = 0;
    if (!in.ReadVarint32(&length)) return false;
    const auto limit = in.PushLimit(static_cast<int>(std::min<uint32_t>(length, INT_MAX)));
    std::string key;
    if (in.ReadTag() == kKey && in.ReadVarint32(&length) && in.ReadString(&key, static_cast<int>(std::min<uint32_t>(length, INT_MAX))) &&
        key == kOurFormatAttr) {
      return true;
    }
    if (!in.Skip(in.BytesUntilLimit())) return false;
    in.PopLimit(limit);
  }
  return false;
}

OmModel ReadOm(const std::string& path, const ReadOptions& options) {
  ReadOptions with_path = options;
  with_path.path = path;
  return ReadOm(MapFile(path), path, with_path);
}

OmModel ReadOm(const Buffer& file, const std::string& name, const ReadOptions& options) {
  const OmContainer om = ParseContainer(Span(file), name);
  const Partition* model_def = om.Find(PartitionType::kModelDef);
  const Partition* weights = om.Find(PartitionType::kWeights);
  const Partition* tasks = om.Find(PartitionType::kTasks);
  if (model_def == nullptr)
    throw DamagedOm(name, kOmHeaderBytes, "a table without partition 0; expected the graph there");
  // An arena: a large model has millions of small messages, which would be freed one by one.
  google::protobuf::Arena arena;
  auto& message = *google::protobuf::Arena::CreateMessage<openatc::ge::ModelDef>(&arena);
  if (!Parse(NeededFields(Text(file, model_def), options.reasons), &message)) {
    throw DamagedOm(name, model_def->offset, "bytes that are no graph; expected a ModelDef message");
  }
  const auto ours = message.attr().find(kOurFormatAttr);
  if (ours == message.attr().end()) {
    throw DamagedOm(name, model_def->offset,
                    "a model of other tools, for a real device; expected one that this converter has made");
  }
  if (ours->second.i() != kOurFormat) {
    throw DamagedOm(name, model_def->offset,
                    "a model of format " + std::to_string(ours->second.i()) + "; expected " +
                        std::to_string(kOurFormat) + ": convert it anew, or use the version that made it");
  }

  std::string prefix(reinterpret_cast<const char*>(file.data), OmPrefixBytes(om.partitions.size()));
  ClearChecksums(&prefix);
  if (OmChecksum(prefix, Text(file, om.Find(PartitionType::kInOutInfo)), Text(file, model_def), Text(file, tasks)) !=
      om.checksums.graph) {
    throw DamagedOm(name, kChecksumOffset,
                    "a checksum that is not that of the contents; the file was changed or damaged");
  }

  OmModel model;
  model.name = message.name();
  model.dynamic = om.dynamic;
  size_t place = model_def->offset;
  try {
    ExpandAttributes(&message);
    ModelAttrsFromProto(message, &model);
    Buffer window;
    if (weights != nullptr) window = {file.owner, file.data + weights->offset, weights->size};
    ExternalFiles files(options.path);
    model.graph = GraphFromProto(message, window, files);
    model.graph->Verify(true);
    place = tasks != nullptr ? tasks->offset : file.size;
    model.tasks = ParseTaskInfo(Text(file, tasks), model, static_cast<size_t>(message.graph(0).op_size()));
    if (options.tell_reused_events_apart) TellReusedEventsApart(&model);
  } catch (const BadMessage& bad) {
    throw DamagedOm(name, place, EscapeInvalidUtf8(bad.what));
  } catch (Error& error) {
    if (error.diagnostic().code != "E19999") throw;
    throw DamagedOm(name, place, error.what());
  }
  if (options.check_weights && WeightsHash(*model.graph) != om.checksums.weights) {
    throw DamagedOm(name, kChecksumOffset + sizeof(uint64_t),
                    "a checksum that is not that of the weights; the file was changed or damaged");
  }
  return model;
}

}  // namespace atc
