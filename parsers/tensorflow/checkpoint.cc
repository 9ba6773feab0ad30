#include "parsers/tensorflow/checkpoint.h"

#include <fmt/format.h>

#include "compiler/ir/error.h"
#include "parsers/tensor_data.h"
#include "parsers/tensorflow/graph_def.pb.h"
#include "parsers/tensorflow/table_file.h"
#include "parsers/tensorflow/types.h"

namespace atc::tf_parser {
namespace {

constexpr const char* kObjectGraph = "_CHECKPOINTABLE_OBJECT_GRAPH";

[[noreturn]] void Fail(const std::string& key, const std::string& reason) {
  throw Error("E13014", {{"value", "in the checkpoint"}, {"parameter", "The variable"}, {"opname", key}, {"reason", reason}},
              "Save the model anew.");
}

}  // namespace

Checkpoint::Checkpoint(std::string prefix) : prefix_(std::move(prefix)) {
  const std::shared_ptr<const ModelFile> index = ModelFile::MapReferenced(prefix_ + ".index");
  entries_ = ReadTable(*index);
  proto::BundleHeaderProto header;
  if (!header.ParseFromString(entries_[""]) || header.num_shards() < 1 || header.endianness() != 0) {
    throw Error("E13005", {{"file", index->path()}, {"reason", "its header is none of a little-endian checkpoint"}});
  }
  shards_ = header.num_shards();
}

Tensor Checkpoint::Find(const std::string& key) {
  const auto it = entries_.find(key);
  if (it == entries_.end() || key.empty()) return {};
  proto::BundleEntryProto entry;
  if (!entry.ParseFromString(it->second)) Fail(key, "Its entry is damaged.");
  if (entry.slices_size() > 0) Fail(key, "It is stored in parts (a partitioned variable), which is not supported.");
  const DataType dtype = DataTypeFromTf(entry.dtype());
  const Shape shape = ShapeFrom(entry.shape());
  if (dtype == DT_UNDEFINED || dtype == DT_VARIANT || dtype == DT_STRING) {
    Fail(key, fmt::format("Its element type {} is no plain one.", static_cast<int>(entry.dtype())));
  }
  std::shared_ptr<const ModelFile>& data = data_[entry.shard_id()];
  if (data == nullptr) {
    data = ModelFile::MapReferenced(fmt::format("{}.data-{:05d}-of-{:05d}", prefix_, entry.shard_id(), shards_));
  }
  const auto offset = static_cast<uint64_t>(entry.offset()), size = static_cast<uint64_t>(entry.size());
  int64_t count = 1;
  for (const int64_t dim : shape.dims()) {
    if (dim < 0 || (dim > 0 && count > (int64_t{1} << 48) / dim)) Fail(key, "Its shape " + ToString(shape) + " is no shape.");
    count *= dim;
  }
  if (entry.offset() < 0 || entry.size() < 0 || size != DataTypeBytes(dtype, count) || offset > data->size() ||
      size > data->size() - offset) {
    Fail(key, fmt::format("{} bytes at {} do not hold shape {} of {}, or lie outside of '{}' ({} bytes).", size, offset,
                          ToString(shape), DataTypeName(dtype), data->path(), data->size()));
  }
  return TensorOfWindow(dtype, shape, data->Window(offset, size));
}

// A string tensor of one element: its length, a checksum, and the message.
void Checkpoint::ReadNames() {
  names_read_ = true;
  const auto it = entries_.find(kObjectGraph);
  proto::BundleEntryProto entry;
  if (it == entries_.end() || !entry.ParseFromString(it->second)) return;
  const auto data = ModelFile::MapReferenced(fmt::format("{}.data-{:05d}-of-{:05d}", prefix_, entry.shard_id(), shards_));
  const auto offset = static_cast<uint64_t>(entry.offset()), size = static_cast<uint64_t>(entry.size());
  if (offset > data->size() || size > data->size() - offset) return;
  WireReader reader(*data, offset, offset + size);
  const uint64_t length = reader.Varint();
  if (length + 4 > offset + size - reader.offset()) return;
  reader.Skip(4);
  proto::TrackableObjectGraph graph;
  if (!graph.ParseFromArray(data->data() + reader.offset(), static_cast<int>(length))) return;
  for (const auto& node : graph.nodes()) {
    for (const auto& attribute : node.attributes()) {
      if (!attribute.full_name().empty()) keys_.emplace(attribute.full_name(), attribute.checkpoint_key());
    }
  }
}

std::string Checkpoint::KeyOf(const std::string& variable) {
  if (!names_read_) ReadNames();
  const auto it = keys_.find(variable);
  return it == keys_.end() ? "" : it->second;
}

}  // namespace atc::tf_parser
