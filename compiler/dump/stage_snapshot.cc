#include "compiler/dump/stage_snapshot.h"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "compiler/io/utf8.h"
#include "compiler/ir/port_names.h"

namespace atc {
namespace {

// Keys of as many texts are kept: enough for tens of thousands of different nodes.
constexpr size_t kMostBytes = size_t{1} << 24;

template <typename T>
  requires std::is_trivially_copyable_v<T>
void Append(const T& value, KeyBuffer* key) {
  key->Put(value);
}
void Append(const std::string& text, KeyBuffer* key) {
  Append(text.size(), key);
  key->Append(text.data(), text.size());
}
template <typename T>
void Append(const std::vector<T>& values, KeyBuffer* key) {
  Append(values.size(), key);
  if constexpr (std::is_arithmetic_v<T>) {
    key->Append(values.data(), values.size() * sizeof(T));
  } else {
    for (const auto& value : values) Append(value, key);
  }
}
void Append(const std::vector<bool>& values, KeyBuffer* key) {
  Append(values.size(), key);
  for (const bool value : values) Append(value, key);
}
void Append(Name name, KeyBuffer* key) { Append(&name.str(), key); }  // interned

bool AppendAttr(const AttrValue& value, KeyBuffer* key) {
  Append(value.index(), key);
  return std::visit(
      [&](const auto& held) {
        constexpr bool kTensor = std::is_same_v<std::decay_t<decltype(held)>, Tensor>;
        if constexpr (!kTensor) Append(held, key);
        return !kTensor;
      },
      value);
}

bool AppendDesc(const Value& value, KeyBuffer* key) {
  const TensorDesc& desc = value.desc;
  const struct {
    int16_t dtype, format, origin_format;
    bool optional, same_shapes;
    int64_t size;
    size_t ranges, symbols, rank;
  } head = {
      desc.dtype, desc.format,        desc.origin_format,  desc.optional,           desc.shape == desc.origin_shape,
      value.size, desc.ranges.size(), desc.symbols.size(), desc.shape.dims().size()};
  static_assert(std::has_unique_object_representations_v<decltype(head)>, "padding would make equal keys differ");
  Append(head, key);
  const auto dims = [&](const Shape& shape) { key->Words(shape.dims().data(), shape.dims().size()); };
  dims(desc.shape);
  if (!head.same_shapes) Append(desc.origin_shape.dims(), key);
  for (const DimRange& range : desc.ranges) Append(range, key);
  for (const std::string& symbol : desc.symbols) Append(symbol, key);
  return desc.element == nullptr;
}

// Appends all that the text of the node depends on but what a record holds; false for nodes that are hardly like another,
// as those that hold tensors are. `heart` is scratch.
bool AppendNodeKey(const Graph& graph, const Node& node, int detail, bool nested, KeyBuffer* key,
                   std::vector<int>* heart) {
  if (!node.subgraphs.empty()) return false;
  const struct {
    const OpDef* def;
    size_t inputs, outputs;
    bool nested, fused, pad[6];
  } head = {node.def, node.inputs.size(), node.outputs.size(), nested, node.fused != nullptr, {}};
  static_assert(std::has_unique_object_representations_v<decltype(head)>, "padding would make equal keys differ");
  Append(head, key);
  for (const ValueId id : node.inputs) {
    Append(id == kNoId, key);
    if (id != kNoId && !AppendDesc(graph.value(id), key)) return false;
  }
  for (const ValueId id : node.outputs) {
    if (!AppendDesc(graph.value(id), key)) return false;
  }
  // Names of ports come from the graph that the node stands for.
  if (node.fused) {
    Append(InputsAtHeart(node, heart), key);
    Append(*heart, key);
  }
  const bool leaves_value_out = detail > 1 && node.type() == "Const";
  for (const auto& [name, value] : node.attrs) {
    if (leaves_value_out && name == "value") continue;
    Append(name, key);
    if (!AppendAttr(value, key)) return false;
  }
  return true;
}

// A graph with nothing but the node and what it reads. What records hold is not the same, and remarks are all there: a form
// leaves a place for each.
std::unique_ptr<Graph> Alone(const GraphList& graphs, const ListedGraph& listed, const Node& node) {
  const Graph& graph = *listed.graph;
  auto alone = std::make_unique<Graph>(listed.name);  // so that no graph below it has another name in a list
  std::vector<ValueId> inputs;
  for (const ValueId id : node.inputs) {
    if (id == kNoId) {
      inputs.push_back(kNoId);
      continue;
    }
    const Value& value = graph.value(id);
    Value& read = alone->value(alone->Add(*graph.node(value.producer).def, "", {}, 1).outputs[0]);
    read.desc = value.desc;
    read.size = value.size;
    inputs.push_back(alone->node(read.producer).outputs[0]);
  }
  Node& to = alone->Add(*node.def, node.name, std::move(inputs), node.outputs.size());
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    alone->value(to.outputs[i]).desc = graph.desc(node.outputs[i]);
    alone->value(to.outputs[i]).size = graph.value(node.outputs[i]).size;
  }
  to.attrs = node.attrs;
  for (const Subgraph& subgraph : node.subgraphs) {
    to.subgraphs.push_back({subgraph.name, std::make_unique<Graph>(graphs.NameOf(*subgraph.graph))});
  }
  if (node.fused) to.fused = node.fused->Clone();
  to.origin = alone->origins().Leaf(node.name);
  to.Because("", "");
  to.engine = "engine";
  return alone;
}

}  // namespace

void WordList::Grow(size_t least) {
  room_ = std::max(least, 2 * room_);
  auto more = std::make_unique_for_overwrite<uint64_t[]>(room_);
  if (size_ > 0) std::memcpy(more.get(), words_.get(), size_ * sizeof(uint64_t));
  words_ = std::move(more);
}

bool StageSnapshot::SaysAsMuchAs(const StageSnapshot& before, bool with_remarks) const {
  const auto same = [](const GraphRecord& a, const GraphRecord& b) {
    return a.name == b.name && a.first_id == b.first_id && a.nodes == b.nodes && a.at == b.at &&
           Equal(a.attrs, b.attrs);
  };
  return !forget && detail == before.detail && words == before.words && (!with_remarks || remarks == before.remarks) &&
         std::equal(graphs.begin(), graphs.end(), before.graphs.begin(), before.graphs.end(), same);
}

size_t SnapshotTaker::KeyHash::operator()(std::string_view key) const {
  uint64_t hash = key.size();
  const char* at = key.data();
  for (size_t left = key.size(); left > 0;) {
    uint64_t word = 0;
    const size_t size = std::min(left, sizeof(word));
    std::memcpy(&word, at, size);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
    at += size;
    left -= size;
  }
  return hash;
}

// Whoever lets go of it last puts it back.
std::shared_ptr<StageSnapshot> SnapshotTaker::Begin() {
  std::unique_ptr<StageSnapshot> snapshot;
  {
    const std::lock_guard lock(pool_->mutex);
    if (!pool_->free.empty()) {
      snapshot = std::move(pool_->free.back());
      pool_->free.pop_back();
    }
  }
  if (!snapshot) snapshot = std::make_unique<StageSnapshot>();
  // Most stages are about as long as the one before.
  snapshot->words.Reserve(last_words_ + last_words_ / 8);
  snapshot->remarks.Reserve(last_remarks_ + last_remarks_ / 8);
  const auto put_back = [pool = pool_](StageSnapshot* done) {
    std::unique_ptr<StageSnapshot> owned(done);
    owned->words.clear();
    owned->remarks.clear();
    owned->prototypes.clear();
    owned->nodes = 0;
    const std::lock_guard lock(pool->mutex);
    pool->free.push_back(std::move(owned));
  };
  return {snapshot.release(), put_back};
}

std::shared_ptr<const StageSnapshot> SnapshotTaker::Take(const GraphList& graphs) {
  const std::shared_ptr<StageSnapshot> snapshot = Begin();
  snapshot->detail = detail_;
  snapshot->forget = bytes_ > kMostBytes;
  if (snapshot->forget) {
    texts_.clear();
    last_.clear();
    bytes_ = 0;
  }
  if (!origins_owner_ || &origins_owner_->origins() != &graphs.origins()) {
    origins_owner_ = graphs.all()[0].graph->MakeNested("");
    origins_.clear();
    origin_words_.clear();
  }
  snapshot_ = snapshot.get();
  places_.clear();
  for (const ListedGraph& listed : graphs.all()) places_.emplace(listed.graph, static_cast<uint32_t>(places_.size()));
  snapshot->graphs.resize(graphs.all().size());
  for (size_t i = 0; i < graphs.all().size(); ++i) TakeGraph(graphs, graphs.all()[i], i > 0, &snapshot->graphs[i]);
  snapshot_ = nullptr;
  last_words_ = snapshot->words.size();
  last_remarks_ = snapshot->remarks.size();
  return snapshot;
}

void SnapshotTaker::TakeGraph(const GraphList& graphs, const ListedGraph& listed, bool nested, GraphRecord* to) {
  const Graph& graph = *listed.graph;
  WordList& words = snapshot_->words;
  to->name = listed.name;
  to->attrs = graph.attrs;
  to->first_id = listed.first_id;
  to->nodes = static_cast<uint32_t>(listed.order.size());
  to->at = words.size();
  to->remarks_at = snapshot_->remarks.size();
  snapshot_->nodes += to->nodes;
  last_texts_ = &last_[&graph];
  if (last_texts_->size() < graph.node_capacity()) last_texts_->resize(graph.node_capacity());
  std::vector<uint32_t> inputs = graph.Inputs();
  for (uint32_t& input : inputs) input = listed.place[input];
  words.Put(inputs.size());
  words.Put(inputs.data(), inputs.size());
  const Node* net_output = graph.NetOutput();
  words.Put(net_output == nullptr ? 0 : net_output->inputs.size());
  for (size_t i = 0; net_output != nullptr && i < net_output->inputs.size(); ++i) {
    GraphRecord::Output output = {{kNoId, 0}, DT_UNDEFINED, 0};
    const ValueId id = net_output->inputs[i];
    if (id == kNoId) {
      words.Put(&output, 1);
      continue;
    }
    const Value& value = graph.value(id);
    const std::vector<int64_t>& dims = value.desc.shape.dims();
    output = {{listed.place[value.producer], static_cast<int32_t>(value.index)},
              value.desc.dtype,
              static_cast<uint32_t>(dims.size())};
    words.Put(&output, 1);
    words.Put(dims.data(), dims.size());
  }
  for (const NodeId id : listed.order) words.Put(graph.node(id).name);
  for (const NodeId id : listed.order) TakeNode(graphs, listed, graph.node(id), nested);
}

void SnapshotTaker::TakeNode(const GraphList& graphs, const ListedGraph& listed, const Node& node, bool nested) {
  const Graph& graph = *listed.graph;
  WordList& words = snapshot_->words;
  wiring_.Find(listed, node, nullptr);
  outputs_.clear();
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (!graph.value(node.outputs[i]).uses.empty()) outputs_.push_back(static_cast<int32_t>(i));
  }
  if (!node.control_out.empty()) outputs_.push_back(-1);

  NodeRecord record;
  record.text = FindText(graphs, listed, node, nested);
  record.stream = node.stream;
  record.fused = node.fused ? places_.at(node.fused.get()) : kNoId;
  const auto count = [](const auto& values) { return static_cast<uint32_t>(values.size()); };
  record.inputs = count(wiring_.inputs);
  record.targets = count(wiring_.targets);
  record.outputs = count(outputs_);
  record.input_offsets = count(wiring_.input_offsets);
  record.output_offsets = count(wiring_.output_offsets);
  record.workspaces = count(node.workspace_offset);
  record.workspace_bytes = count(node.workspace_bytes);
  record.constants = count(wiring_.constant);
  words.Put(&record, 1);
  const auto ends = [&](const std::vector<OpWiring::End>& all) {
    ends_.clear();
    for (const auto& [other, index] : all) {
      ends_.push_back({other == kNoId ? kNoId : listed.place[other], static_cast<int32_t>(index)});
    }
    words.Put(ends_.data(), ends_.size());
  };
  ends(wiring_.inputs);
  ends(wiring_.targets);
  const auto list = [&](const auto& values) { words.Put(values.data(), values.size()); };
  list(outputs_);
  list(wiring_.input_offsets);
  list(wiring_.output_offsets);
  list(node.workspace_offset);
  list(node.workspace_bytes);
  list(wiring_.constant);
  TakeRemarks(graphs.origins(), node);
}

void SnapshotTaker::TakeRemarks(const OriginTable& origins, const Node& node) {
  constexpr uint32_t kUnknown = UINT32_MAX;
  if (origins_.size() <= node.origin) origins_.resize(node.origin + size_t{1}, {0, 0, kUnknown});
  Names& names = origins_[node.origin];
  if (names.count == kUnknown) {
    names.at = origin_words_.size();
    const std::vector<std::string> all = origins.Flatten(node.origin);
    for (const std::string& name : all) origin_words_.Put(name);
    names.words = static_cast<uint32_t>(origin_words_.size() - names.at);
    names.count = static_cast<uint32_t>(all.size());
  }
  WordList& remarks = snapshot_->remarks;
  const RemarksRecord record = {names.count, static_cast<uint32_t>(node.reasons.size())};
  remarks.Put(&record, 1);
  remarks.Put(origin_words_.data() + names.at, names.words);
  for (const Reason& reason : node.reasons) {
    reason_.assign(reason.aspect.str()).append(": ").append(reason.rule);
    remarks.Put(reason_);
  }
  remarks.Put(node.engine);
}

uint32_t SnapshotTaker::FindText(const GraphList& graphs, const ListedGraph& listed, const Node& node, bool nested) {
  key_.clear();
  uint32_t number = kNoId;
  if (share_ && AppendNodeKey(*listed.graph, node, detail_, nested, &key_, &heart_)) {
    const std::string_view key = key_.view();
    const Texts::value_type*& last = (*last_texts_)[node.id];
    if (last != nullptr && last->first == key) return last->second;
    const auto known = texts_.find(key);
    if (known != texts_.end()) {
      last = &*known;
      return known->second;
    }
    if (bytes_ <= kMostBytes) {
      bytes_ += key.size();
      number = static_cast<uint32_t>(texts_.size());
      last = &*texts_.emplace(key, number).first;
    }
  }
  snapshot_->prototypes.push_back(Alone(graphs, listed, node));
  return number;
}

}  // namespace atc
