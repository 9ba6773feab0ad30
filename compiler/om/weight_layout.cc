#include "compiler/om/weight_layout.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "compiler/io/compile_threads.h"
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

// Whether a constant has contents that are placed among the weights.
bool HasContents(const Tensor& tensor) {
  return tensor.dtype() != DT_STRING && tensor.dtype() != DT_VARIANT && tensor.NumBytes() != 0;
}

// So many constants stand in memory together, each made by a thread of its own.
constexpr size_t kTogether = 2;

struct Described {
  DataType dtype = DT_UNDEFINED;
  Shape shape;
  size_t bytes = 0;
  uint64_t hash = 0;  // of the contents, where it has any
  bool contents = false;
};

// What the layout needs to know of each constant of `nodes`.
std::vector<Described> Describe(const std::vector<const Node*>& nodes) {
  std::vector<Described> described(nodes.size());
  const std::exception_ptr fault = ForEachOnThreads(nodes.size(), CompileThreads(kTogether), [&](size_t i) {
    const Tensor tensor = StoredConstant(*nodes[i]);
    described[i] = {tensor.dtype(), tensor.shape(), 0, 0, HasContents(tensor)};
    if (!described[i].contents) return;
    described[i].bytes = tensor.NumBytes();
    described[i].hash = Hash64(Bytes(tensor));
  });
  if (fault) std::rethrow_exception(fault);
  return described;
}

}  // namespace

// Deferred bytes are not kept, so that those of several constants never stand in memory together.
Tensor StoredConstant(const Node& node) {
  return Stored(ValueOf(node).Materialized(), node.attrs.Get(kFoldedAttr, false));
}

WeightLayout::WeightLayout(const GraphList& graphs) {
  std::vector<std::pair<const Graph*, NodeId>> constants;
  std::vector<const Node*> nodes;
  for (const ListedGraph& listed : graphs.all()) {
    for (const NodeId id : listed.order) {
      if (!(listed.graph->node(id).type() == "Const")) continue;
      constants.emplace_back(listed.graph, id);
      nodes.push_back(&listed.graph->node(id));
    }
  }
  const std::vector<Described> described = Describe(nodes);
  std::unordered_multimap<uint64_t, size_t> by_hash;  // into contents_
  int64_t end = kWeightAlign;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Described& one = described[i];
    PlacedConstant& place = places_[constants[i]];
    place.dtype = one.dtype;
    place.shape = one.shape;
    place.spread = ValueOf(*nodes[i]).shape();
    if (!one.contents) continue;
    place.bytes = static_cast<int64_t>(one.bytes);
    const auto [first, last] = by_hash.equal_range(one.hash);
    for (auto it = first; it != last && place.offset == 0; ++it) {
      const Content& other = contents_[it->second];
      const Tensor tensor = StoredConstant(*nodes[i]), same = StoredConstant(other.graph->node(other.node));
      if (same.NumBytes() == tensor.NumBytes() && std::memcmp(same.Data(), tensor.Data(), same.NumBytes()) == 0) {
        place.offset = other.offset;
      }
    }
    if (place.offset != 0) continue;
    place.offset = RoundUp(end);
    end = place.offset + place.bytes;
    by_hash.emplace(one.hash, contents_.size());
    contents_.push_back({constants[i].first, constants[i].second, place.offset, one.hash});
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
  CompileTeam team(CompileThreads(kTogether));
  std::vector<Tensor> made(kTogether);
  for (size_t begin = 0; begin < contents_.size(); begin += kTogether) {
    const size_t count = std::min(kTogether, contents_.size() - begin);
    const auto node = [&](size_t i) -> const Node& {
      return contents_[begin + i].graph->node(contents_[begin + i].node);
    };
    const auto make = [&](size_t i) { made[i] = StoredConstant(node(i)); };
    bool work = true;  // that is worth waking a thread for
    for (size_t i = 0; i < count; ++i) work = work && ValueOf(node(i)).deferred();
    if (work) {
      if (const std::exception_ptr fault = team.ForEach(count, make)) std::rethrow_exception(fault);
    } else {
      for (size_t i = 0; i < count; ++i) make(i);
    }
    for (size_t i = 0; i < count; ++i) {
      WriteZeros(contents_[begin + i].offset - at, out);
      out.Write(made[i].Data(), made[i].NumBytes());
      at = contents_[begin + i].offset + static_cast<int64_t>(made[i].NumBytes());
      made[i] = Tensor();
    }
  }
  WriteZeros(size_ - at, out);
}

}  // namespace atc
