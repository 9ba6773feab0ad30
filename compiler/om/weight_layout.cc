#include "compiler/om/weight_layout.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "compiler/ir/error.h"
#include "compiler/om/hash.h"
#include "compiler/ops/compact_tensor.h"

namespace atc {
namespace {

constexpr int64_t kTailBytes = 32;  // a device may read so far beyond a tensor's end

const Tensor& ValueOf(const Node& node) {
  const Tensor* value = node.attrs.FindAs<Tensor>("value");
  if (value == nullptr) throw Error::Internal("the constant '" + node.name + "' has no value");
  return *value;
}

int64_t RoundUp(int64_t value) { return (value + kWeightAlign - 1) / kWeightAlign * kWeightAlign; }

void WriteZeros(int64_t count, ByteSink& out) {
  static constexpr char kZeros[kWeightAlign] = {};
  for (; count > 0; count -= kWeightAlign) out.Write(kZeros, static_cast<size_t>(std::min(count, kWeightAlign)));
}

std::span<const std::byte> Bytes(const Tensor& tensor) { return {tensor.Data(), tensor.NumBytes()}; }

}  // namespace

// Deferred bytes are not kept, so that those of several constants never stand in memory together.
Tensor StoredConstant(const Node& node) {
  return Stored(ValueOf(node).Materialized(), node.attrs.Get(kFoldedAttr, false));
}

WeightLayout::WeightLayout(const GraphList& graphs) {
  std::unordered_multimap<uint64_t, size_t> by_hash;  // into contents_
  int64_t end = kWeightAlign;
  for (const ListedGraph& listed : graphs.all()) {
    for (const NodeId id : listed.order) {
      const Node& node = listed.graph->node(id);
      if (node.type() != "Const") continue;
      const Tensor tensor = StoredConstant(node);
      PlacedConstant& place = places_[{listed.graph, id}];
      place.dtype = tensor.dtype();
      place.shape = tensor.shape();
      place.spread = ValueOf(node).shape();
      if (tensor.dtype() == DT_STRING || tensor.dtype() == DT_VARIANT || tensor.NumBytes() == 0) continue;
      place.bytes = static_cast<int64_t>(tensor.NumBytes());
      const uint64_t hash = Hash64(Bytes(tensor));
      const auto [first, last] = by_hash.equal_range(hash);
      for (auto it = first; it != last && place.offset == 0; ++it) {
        const Content& other = contents_[it->second];
        const Tensor same = StoredConstant(other.graph->node(other.node));
        if (same.NumBytes() == tensor.NumBytes() && std::memcmp(same.Data(), tensor.Data(), same.NumBytes()) == 0) {
          place.offset = other.offset;
        }
      }
      if (place.offset != 0) continue;
      place.offset = RoundUp(end);
      end = place.offset + place.bytes;
      by_hash.emplace(hash, contents_.size());
      contents_.push_back({listed.graph, id, place.offset, hash});
    }
  }
  if (contents_.empty()) return;
  size_ = RoundUp(end + kTailBytes);
  for (const Content& content : contents_) {
    const uint64_t pair[] = {static_cast<uint64_t>(content.offset), content.hash};
    hash_ = Hash64(std::as_bytes(std::span(pair)), hash_);
  }
}

void WeightLayout::Write(ByteSink& out) const {
  int64_t at = 0;
  for (const Content& content : contents_) {
    WriteZeros(content.offset - at, out);
    const Tensor tensor = StoredConstant(content.graph->node(content.node));
    out.Write(tensor.Data(), tensor.NumBytes());
    at = content.offset + static_cast<int64_t>(tensor.NumBytes());
  }
  WriteZeros(size_ - at, out);
}

}  // namespace atc
