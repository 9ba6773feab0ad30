#include "compiler/ops/folding.h"

#include <algorithm>
#include <memory>

#include "compiler/ops/compact_tensor.h"
#include "compiler/ops/evaluator.h"

namespace atc {
namespace {

// Results of up to this many bytes are computed at once, larger ones when their bytes are asked for.
constexpr int64_t kDeferAbove = 64 * 1024;
// Results that would grow the model are computed up to this size, to see whether they repeat or shrink again further
// on, and kept for that up to so many bytes in all.
constexpr int64_t kMostTried = 16 << 20;
constexpr int64_t kMostKnown = 64 << 20;

// A result of up to this many bytes does not grow the model: the node that it stands for takes more in the om.
constexpr int64_t kNodeBytes = 256;

// How many of the constants that repeat are looked through for an equal one, of up to how many bytes.
constexpr size_t kMostSpread = 1024, kShortSpread = 4096;

// Thrown by the memory of a result that is larger than what is tried.
struct TooLarge {};

bool HasFixedBytes(DataType dtype) { return dtype != DT_UNDEFINED && dtype != DT_STRING && dtype != DT_VARIANT; }

// Results without elements need no operands.
bool HasNothing(const Graph& graph, const Node& node) {
  return std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId value) {
    const TensorDesc& desc = graph.desc(value);
    return desc.shape.IsKnown() && desc.shape.NumElements() == 0 && HasFixedBytes(desc.dtype);
  });
}

// What a node repeats and along which dims, where that is known without computing it: its result is a broadcast.
struct Repeater {
  const char* type;
  uint32_t data;
};

constexpr Repeater kRepeaters[] = {{"BroadcastTo", 0}, {"Expand", 0}, {"Fill", 1}};

// The compacted result of a node that repeats; undefined of others.
Tensor Repeated(const Node& node, const std::vector<Tensor>& inputs, const Shape& shape) {
  for (const Repeater& row : kRepeaters) {
    if (!(node.type() == row.type) || inputs[row.data].rank() > shape.rank()) continue;
    const Tensor data = inputs[row.data].Materialized();
    std::vector<int64_t> dims(shape.rank() - data.rank(), 1);
    dims.insert(dims.end(), data.shape().dims().begin(), data.shape().dims().end());
    return Compacted(data.Reshaped(Shape(dims)));
  }
  return {};
}

bool HasSubgraphs(const Graph& graph) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    if (graph.node(id).alive && !graph.node(id).subgraphs.empty()) return true;
  }
  return false;
}

}  // namespace

Folder::Folder(Graph& graph, Journal& journal, FoldLedger& ledger, const InferencePasses& passes)
    : graph_(graph), journal_(journal), ledger_(ledger), passes_(passes),
      nested_(graph.parent_graph != nullptr || HasSubgraphs(graph)) {}

// Equal ones are one tensor, so that whoever compares constants need not make them.
Tensor Folder::SpreadLater(const Tensor& compact, const Shape& shape) {
  if (compact.shape() == shape) return compact;
  for (const auto& [before, whole] : spread_) {
    if (whole.shape() == shape && BitEqual(before, compact)) return whole;
  }
  const Tensor whole = Tensor::Deferred(compact.dtype(), shape, [compact, shape] { return Spread(compact, shape); });
  if (spread_.size() < kMostSpread && compact.NumBytes() <= kShortSpread) spread_.emplace_back(compact, whole);
  return whole;
}

const Tensor* Folder::Constant(ValueId value) const {
  if (value == kNoId) return nullptr;
  if (const Tensor* constant = graph_.Constant(value)) return constant;
  const auto it = known_.find(value);
  return it == known_.end() ? nullptr : &it->second;
}

int64_t Folder::Freed(ValueId value) {
  const auto [it, added] = freed_.try_emplace(value, 0);
  if (added && !(nested_ && IsHeldElsewhere(graph_, value))) it->second = StoredBytes(graph_, value);
  return it->second;
}

int64_t Folder::Removed(const Node& node) {
  std::set<NodeId> gone = {node.id};
  std::set<NodeId> seen;
  int64_t bytes = 0;
  const auto serves_gone = [&](const Node& producer) {
    return std::all_of(producer.outputs.begin(), producer.outputs.end(), [&](ValueId output) {
      const auto& uses = graph_.value(output).uses;
      return std::all_of(uses.begin(), uses.end(), [&](const Use& use) { return gone.contains(use.node); });
    });
  };
  for (bool more = true; more;) {
    more = false;
    for (const NodeId id : std::vector<NodeId>(gone.begin(), gone.end())) {
      for (const ValueId input : graph_.node(id).inputs) {
        if (input == kNoId || gone.contains(graph_.value(input).producer)) continue;
        const Node& producer = graph_.producer(input);
        if (!serves_gone(producer)) continue;
        gone.insert(producer.id);
        if (graph_.Constant(input) != nullptr) bytes += Freed(input);
        more = true;
      }
    }
  }
  return bytes;
}

std::vector<DataType> Folder::ResultTypes(const Node& node) const {
  std::vector<DataType> types;
  for (const ValueId output : node.outputs) types.push_back(graph_.desc(output).dtype);
  return types;
}

std::optional<std::vector<Tensor>> Folder::Compute(const Node& node, std::vector<Tensor> inputs) const {
  for (Tensor& tensor : inputs) tensor = tensor.Materialized();
  try {
    return RunReferenceKernel(node, std::move(inputs), [](size_t, DataType dtype, const Shape& shape) {
      if (DataTypeBytes(dtype, shape.NumElements()) > kMostTried) throw TooLarge();
      return Tensor::Allocate(dtype, shape);
    }, ResultTypes(node));
  } catch (const TooLarge&) {
    return std::nullopt;
  }
}

// The node is kept alive as a copy in a graph of its own, so that it may go from this one.
Tensor Folder::Deferred(const Node& node, std::vector<Tensor> inputs) const {
  const TensorDesc& desc = graph_.desc(node.outputs[0]);
  std::shared_ptr<Graph> holder = graph_.MakeNested("folded");
  Node& copy = holder->Add(*node.def, node.name, std::vector<ValueId>(node.inputs.size(), kNoId), 1);
  copy.attrs = node.attrs;
  return Tensor::Deferred(desc.dtype, desc.shape, [holder, inputs = std::move(inputs), &copy, type = desc.dtype] {
    std::vector<Tensor> arguments;
    for (const Tensor& tensor : inputs) arguments.push_back(tensor.Materialized());
    return RunReferenceKernel(copy, std::move(arguments), {}, {type})[0];
  });
}

bool Folder::Fold(Node& node, const std::map<ValueId, PartialInts>& ints) {
  if (node.outputs.empty() || node.Is(kStateful) || node.Is(kNoFold) || !node.subgraphs.empty()) return false;
  for (const char* forbidden : {"_do_not_constant_folding", "no_need_constant_folding"}) {
    if (node.attrs.Has(forbidden)) return false;
  }
  if (passes_.dimensions && KnowsInts(node, ints)) return FoldKnownInts(node, ints);
  if (passes_.empty && HasNothing(graph_, node)) {
    if (!Allow(kReplaceEmpty, "result without elements", node)) return false;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const TensorDesc desc = graph_.desc(node.outputs[i]);
      if (!graph_.value(node.outputs[i]).uses.empty()) Replace(node, i, Tensor::Allocate(desc.dtype, desc.shape), 0);
    }
    Drop(node.id);
    return true;
  }
  if (!passes_.constants || node.def->kernel == nullptr) return false;
  if (PassOn(node)) return true;
  std::vector<Tensor> inputs;
  for (const ValueId value : node.inputs) {
    const Tensor* constant = Constant(value);
    if (value != kNoId && constant == nullptr) return false;
    inputs.push_back(constant ? *constant : Tensor());
  }
  int64_t bytes = 0;
  bool sized = true;  // inference knows how large the results are
  for (const ValueId value : node.outputs) {
    const TensorDesc& desc = graph_.desc(value);
    sized &= desc.shape.IsKnown() && HasFixedBytes(desc.dtype);
    if (sized) bytes += static_cast<int64_t>(DataTypeBytes(desc.dtype, desc.shape.NumElements()));
  }
  const int64_t room = kMaxFoldGrowth - ledger_.grown + Removed(node);
  std::vector<Tensor> results;
  std::vector<int64_t> stored;
  if (sized && bytes <= room && node.outputs.size() == 1 && bytes > kDeferAbove) {
    results = {Deferred(node, inputs)};
    stored = {bytes};
  } else if (Tensor compact; sized && node.outputs.size() == 1 && bytes > room &&
                             (compact = Repeated(node, inputs, graph_.desc(node.outputs[0]).shape)).defined()) {
    stored = {static_cast<int64_t>(compact.NumBytes())};
    results = {SpreadLater(compact, graph_.desc(node.outputs[0]).shape)};
  } else if (!sized || bytes <= std::max(kMostTried, room)) {
    std::optional<std::vector<Tensor>> computed = Compute(node, inputs);
    if (!computed) return Keep(node, bytes), false;  // inference could not tell its size before
    bytes = 0;
    for (Tensor& result : *computed) {
      bytes += static_cast<int64_t>(result.NumBytes());
      const Tensor compact = Stored(result, true);
      stored.push_back(static_cast<int64_t>(compact.NumBytes()));
      results.push_back(result.NumBytes() > static_cast<size_t>(kDeferAbove) ? SpreadLater(compact, result.shape()) : result);
    }
  } else {
    return Keep(node, bytes), false;
  }
  int64_t added = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!graph_.value(node.outputs[i]).uses.empty()) added += stored[i];
  }
  if (added <= kNodeBytes) added = 0;
  if (added > 0 && added > room) {
    Keep(node, bytes);
    if (known_bytes_ + bytes > kMostKnown) return false;
    known_bytes_ += bytes;
    for (size_t i = 0; i < results.size(); ++i) known_[node.outputs[i]] = std::move(results[i]);
    return false;
  }
  const int64_t removed = Removed(node);
  if (!Allow(kConstantFolding, "ConstantFolding", node)) return false;
  ledger_.grown += added - removed;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!graph_.value(node.outputs[i]).uses.empty()) Replace(node, i, std::move(results[i]), stored[i]);
  }
  Drop(node.id);
  return true;
}

// Exporters name a constant that several layers share anew for each by an Identity. A copy of it would be stored again.
bool Folder::PassOn(Node& node) {
  if (!(node.type() == "Identity") || node.inputs[0] == kNoId || graph_.Constant(node.inputs[0]) == nullptr) return false;
  const auto& uses = graph_.value(node.outputs[0]).uses;
  // An output of the model stays a value of its own.
  const auto leaves = [&](const Use& use) { return graph_.node(use.node).type() == "NetOutput"; };
  if (std::any_of(uses.begin(), uses.end(), leaves) || !Allow(kConstantFolding, "ConstantFolding", node)) return false;
  Node& constant = graph_.producer(node.inputs[0]);
  graph_.ReplaceUses(node.outputs[0], node.inputs[0]);
  constant.origin = graph_.origins().Union(constant.origin, node.origin);
  Drop(node.id);
  return true;
}

bool Folder::KnowsInts(const Node& node, const std::map<ValueId, PartialInts>& ints) const {
  return std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId value) {
    const auto it = ints.find(value);
    const DataType dtype = graph_.desc(value).dtype;
    return it != ints.end() && it->second.IsKnown() && (dtype == DT_INT64 || dtype == DT_INT32);
  });
}

bool Folder::FoldKnownInts(Node& node, const std::map<ValueId, PartialInts>& ints) {
  if (!Allow(kDimensionCompute, "DimensionCompute", node)) return false;
  ledger_.grown -= Removed(node);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const PartialInts& known = ints.at(node.outputs[i]);
    Tensor tensor = Tensor::Allocate(graph_.desc(node.outputs[i]).dtype, known.shape);
    for (size_t e = 0; e < known.elements.size(); ++e) {
      if (tensor.dtype() == DT_INT64) {
        tensor.MutableData<int64_t>()[e] = *known.elements[e];
      } else {
        tensor.MutableData<int32_t>()[e] = static_cast<int32_t>(*known.elements[e]);
      }
    }
    if (graph_.value(node.outputs[i]).uses.empty()) continue;
    const auto bytes = static_cast<int64_t>(tensor.NumBytes());
    ledger_.grown += bytes;
    Replace(node, i, std::move(tensor), bytes);
  }
  Drop(node.id);
  return true;
}

void Folder::Replace(Node& node, size_t output, Tensor tensor, int64_t stored) {
  const ValueId old = node.outputs[output];
  const bool compact = tensor.deferred() && stored < static_cast<int64_t>(tensor.NumBytes());
  const ValueId constant = graph_.AddConst(node.name + "_folded", std::move(tensor), node.origin);
  graph_.desc(constant).element = graph_.desc(old).element;
  graph_.desc(constant).optional = graph_.desc(old).optional;
  Node& made = graph_.producer(constant);
  made.attrs.Set(kFoldedAttr, AttrValue(true));
  if (compact) made.attrs.Set(kStoredBytesAttr, stored);
  journal_.Made(made);
  graph_.ReplaceUses(old, constant);
}

// With the nodes that stayed and served it alone.
void Folder::Drop(NodeId id) {
  const std::vector<ValueId> inputs = graph_.node(id).inputs;
  graph_.Remove(id);
  for (const ValueId input : inputs) {
    if (input == kNoId || !known_.contains(input)) continue;
    const Node& producer = graph_.producer(input);
    if (!producer.alive) continue;
    const bool used = std::any_of(producer.outputs.begin(), producer.outputs.end(),
                                  [&](ValueId output) { return !graph_.value(output).uses.empty(); });
    if (!used) Drop(producer.id);
  }
}

void Folder::Close() {
  for (const auto& [id, bytes] : kept_) {
    const Node& node = graph_.node(id);
    if (node.alive) ledger_.left.push_back({node.name, node.type().str(), bytes});
  }
}

}  // namespace atc
