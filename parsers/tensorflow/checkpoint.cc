#include "parsers/tensorflow/checkpoint.h"

#include <fmt/format.h>

#include "compiler/ir/error.h"
#include "parsers/tensor_data.h"
#include "parsers/tensorflow/graph_def.pb.h"
#include "parsers/tensorflow/table_file.h"
#include "parsers/tensorflow/tensor_slices.h"
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

Tensor Checkpoint::Find(const std::string& key, const std::string& part) {
  const Tensor whole = FindWhole(key);
  if (part.empty() || !whole.defined()) return whole;
  const auto wanted = ParsePart(part);
  if (!wanted || wanted->whole != whole.shape()) {
    Fail(key, "The model restores the part '" + part + "' of it, whose shape is " + ToString(whole.shape()) + ".");
  }
  Tensor piece = Tensor::Allocate(whole.dtype(), Shape(wanted->slice.length));
  CopyFromWhole(whole.Materialized(), wanted->slice, &piece);
  return piece;
}

// Parts are entries of their own; together they must fill the whole.
Tensor Checkpoint::Joined(const std::string& key, const std::string& message) {
  proto::BundleEntryProto entry;
  entry.ParseFromString(message);
  const Shape shape = ShapeFrom(entry.shape());
  const DataType dtype = DataTypeFromTf(entry.dtype());
  if (!shape.IsKnown() || DataTypeBits(dtype) % 8 != 0 || dtype == DT_STRING || dtype == DT_VARIANT || dtype == DT_UNDEFINED) {
    Fail(key, "Its parts are of no plain type, or its shape " + ToString(shape) + " is none.");
  }
  struct Part {
    TensorSlice slice;
    Tensor value;
  };
  std::vector<Part> parts;
  int64_t elements = 0;
  for (const proto::TensorSliceProto& slice : entry.slices()) {
    TensorSlice named;  // whole axes have no length
    for (const auto& extent : slice.extent()) {
      named.start.push_back(extent.length() == 0 ? 0 : extent.start());
      named.length.push_back(extent.length() == 0 ? -1 : extent.length());
    }
    Part part{named, FindWhole(SliceKey(key, named))};
    for (size_t d = 0; d < part.slice.length.size() && d < shape.rank(); ++d) {
      if (part.slice.length[d] < 0) part.slice.length[d] = shape[d];
    }
    if (!Within(part.slice, shape) || part.value.dtype() != dtype || part.value.shape() != Shape(part.slice.length)) {
      Fail(key, fmt::format("Its part {} of {} is missing or does not fit.", parts.size() + 1, entry.slices_size()));
    }
    elements += part.value.NumElements();
    parts.push_back(std::move(part));
  }
  if (elements != shape.NumElements()) {
    Fail(key, fmt::format("Its parts have {} elements, its shape {} has {}.", elements, ToString(shape), shape.NumElements()));
  }
  return SmallOrDeferred(dtype, shape, [parts, dtype, shape] {
    Tensor whole = Tensor::Allocate(dtype, shape);
    for (const Part& part : parts) CopyIntoWhole(part.value.Materialized(), part.slice, &whole);
    return whole;
  });
}

Tensor Checkpoint::FindWhole(const std::string& key) {
  const auto it = entries_.find(key);
  if (it == entries_.end() || key.empty()) return {};
  proto::BundleEntryProto entry;
  if (!entry.ParseFromString(it->second)) Fail(key, "Its entry is damaged.");
  if (entry.slices_size() > 0) return Joined(key, it->second);
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
