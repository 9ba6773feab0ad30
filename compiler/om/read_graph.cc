#include "compiler/om/read_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "compiler/ir/error.h"
#include "compiler/om/proto/ge_model.pb.h"
#include "compiler/om/proto_attr.h"
#include "compiler/om/proto_graph.h"
#include "compiler/ops/compact_tensor.h"

namespace atc {
namespace {

namespace pb = openatc::ge;

constexpr int kMaxNesting = 64;      // of graphs in graphs
constexpr size_t kKeptSpread = 1 << 20;  // bytes
constexpr size_t kTensorAlign = 64;  // what Buffer::Allocate gives and kernels count on

// "source:index", split at the last colon, for names may hold colons.
struct Source {
  std::string_view name;
  int64_t index = 0;
};

Source Split(std::string_view input) {
  const size_t colon = input.rfind(':');
  Source source;
  if (colon != std::string_view::npos) {
    source.name = input.substr(0, colon);
    const char* end = input.data() + input.size();
    const auto [at, error] = std::from_chars(input.data() + colon + 1, end, source.index);
    if (error == std::errc() && at == end && source.index >= -1) return source;
  }
  throw BadMessage{fmt::format("input '{}'; expected 'operator:output'", input)};
}

const pb::AttrDef* Find(const pb::OpDef& op, const char* name) {
  const auto it = op.attr().find(name);
  return it == op.attr().end() ? nullptr : &it->second;
}

// The type, and for operators of plugins what they stood for in the model and which library brought them.
std::string TypeForMessage(const pb::OpDef& op) {
  const pb::AttrDef* source = Find(op, "_custom_operator");
  const pb::AttrDef* library = Find(op, "_custom_operator_library");
  if (source == nullptr || library == nullptr) return op.type();
  return fmt::format("{} ({} in the model, converted with the plugin {})", op.type(), source->s(), library->s());
}

std::vector<std::string> Strings(const pb::AttrDef* attr) {
  if (attr == nullptr) return {};
  return {attr->list().s().begin(), attr->list().s().end()};
}

bool IsFileAttr(std::string_view name) {
  constexpr const char* kNames[] = {kLocationAttr, kOffsetAttr, kLengthAttr, kShapeAttr, kDtypeAttr};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

class Reader {
 public:
  Reader(const pb::ModelDef& model, const Buffer& weights, ExternalFiles& files)
      : model_(model), weights_(weights), files_(files) {
    uint32_t id = 0;
    for (int i = 0; i < model.graph_size(); ++i) {
      if (!by_name_.emplace(model.graph(i).name(), i).second) {
        throw BadMessage{fmt::format("two graphs named '{}'", model.graph(i).name())};
      }
      first_id_.push_back(id);
      id += static_cast<uint32_t>(model.graph(i).op_size());
    }
    used_.resize(model.graph_size());
  }

  std::unique_ptr<Graph> Read() {
    if (model_.graph_size() == 0) throw BadMessage{"no graph; expected one at least"};
    auto root = std::make_unique<Graph>();
    const auto order = model_.graph(0).attr().find(kOriginOrderAttr);
    if (order != model_.graph(0).attr().end()) {
      for (const std::string& name : order->second.list().s()) root->origins().Leaf(name);
    }
    used_[0] = true;
    ReadGraph(0, 0, root.get());
    for (int i = 0; i < model_.graph_size(); ++i) {
      if (!used_[i]) throw BadMessage{fmt::format("graph '{}' belongs to no operator", model_.graph(i).name())};
    }
    return root;
  }

 private:
  using NodesByName = std::unordered_map<std::string_view, NodeId>;

  void ReadGraph(int index, int depth, Graph* graph) {
    if (depth > kMaxNesting) throw BadMessage{"graphs nested too deeply"};
    const pb::GraphDef& from = model_.graph(index);
    graph->name = from.name();
    for (const auto& [name, value] : from.attr()) {
      if (name != kOriginOrderAttr) graph->attrs.Set(name, FromProto(value));
    }
    NodesByName nodes;
    for (int i = 0; i < from.op_size(); ++i) {
      const pb::OpDef& op = from.op(i);
      try {
        if (op.id() != first_id_[index] + i) {
          throw BadMessage{fmt::format("id {}; expected {}", op.id(), first_id_[index] + i)};
        }
        ReadOp(op, depth, &nodes, graph);
      } catch (BadMessage& bad) {
        // Once: not again for each graph around it.
        if (!bad.what.starts_with("operator '")) {
          bad.what = fmt::format("operator '{}' ({}): {}", op.name(), op.type(), bad.what);
        }
        throw;
      }
    }
  }

  void ReadOp(const pb::OpDef& op, int depth, NodesByName* nodes, Graph* graph) {
    if (op.name().empty()) throw BadMessage{"no name"};
    if (nodes->contains(op.name())) throw BadMessage{"another operator has the same name"};
    const OpDef* def = OpRegistry::Get().Find(op.type() == kFileConstant ? "Const" : op.type());
    if (def == nullptr) throw Error("E10501", {{"opname", op.name()}, {"optype", TypeForMessage(op)}});
    Node& node = graph->Add(*def, op.name(), {}, static_cast<size_t>(op.output_desc_size()));
    ReadInputs(op, *nodes, graph, &node);
    ReadOutputs(op, graph, &node);
    nodes->emplace(op.name(), node.id);

    if (op.stream_id() < INT32_MIN || op.stream_id() > INT32_MAX) {
      throw BadMessage{fmt::format("stream {}", op.stream_id())};
    }
    node.stream = static_cast<int32_t>(op.stream_id());
    node.workspace_offset.assign(op.workspace().begin(), op.workspace().end());
    node.workspace_bytes.assign(op.workspace_bytes().begin(), op.workspace_bytes().end());
    ReadAttributes(op, graph, &node);
    ReadNested(op, depth, graph, &node);
  }

  void ReadInputs(const pb::OpDef& op, const NodesByName& nodes, Graph* graph, Node* node) {
    if (op.input_desc_size() > op.input_size()) {
      throw BadMessage{fmt::format("{} inputs with {} descriptions", op.input_size(), op.input_desc_size())};
    }
    for (int i = 0; i < op.input_size(); ++i) {
      const bool control = i >= op.input_desc_size();
      if (op.input(i).empty() && !control) {
        graph->AddInput(*node, kNoId);
        continue;
      }
      const Source source = Split(op.input(i));
      const auto it = nodes.find(source.name);
      if (it == nodes.end()) {
        throw BadMessage{fmt::format("input '{}'; expected the name of an operator before it", op.input(i))};
      }
      if (control != (source.index == -1)) {
        throw BadMessage{
            fmt::format("input '{}' at place {}; data inputs come first, control edges end in :-1", op.input(i), i)};
      }
      if (control) {
        graph->AddControl(it->second, node->id);
        continue;
      }
      const Node& from = graph->node(it->second);
      if (source.index >= static_cast<int64_t>(from.outputs.size())) {
        throw BadMessage{fmt::format("input '{}', that operator has {} outputs", op.input(i), from.outputs.size())};
      }
      graph->AddInput(*node, from.outputs[source.index]);
    }
  }

  void ReadOutputs(const pb::OpDef& op, Graph* graph, Node* node) {
    if (op.output_i_size() != 0 && op.output_i_size() != op.output_desc_size()) {
      throw BadMessage{fmt::format("{} outputs with {} offsets", op.output_desc_size(), op.output_i_size())};
    }
    for (int i = 0; i < op.output_desc_size(); ++i) {
      Value& value = graph->value(node->outputs[i]);
      value.desc = FromProto(op.output_desc(i));
      value.size = op.output_desc(i).size();
      if (op.output_i_size() != 0) value.offset = op.output_i(i);
    }
  }

  void ReadAttributes(const pb::OpDef& op, Graph* graph, Node* node) {
    for (const auto& [name, value] : op.attr()) {
      if (IsDerivedOpAttr(name) || (op.type() == kFileConstant && IsFileAttr(name))) continue;
      const bool in_weights = op.type() == "Const" && name == "value" && value.t().desc().data_offset() != 0;
      try {
        node->attrs.Set(name, in_weights ? Weight(value.t().desc()) : FromProto(value));
      } catch (BadMessage& bad) {
        throw BadMessage{fmt::format("attribute '{}': {}", name, bad.what)};
      }
    }
    if (op.type() == kFileConstant) node->attrs.Set("value", FileWeight(op));
    if (const auto* spread = Find(op, kSpreadAttr)) SpreadValue(*spread, node);
    OriginTable& origins = graph->origins();
    for (const std::string& name : Strings(Find(op, kOriginsAttr))) {
      node->origin = origins.Union(node->origin, origins.Leaf(name));
    }
    if (const auto* engine = Find(op, kEngineAttr)) node->engine = engine->s();
    for (const std::string& reason : Strings(Find(op, kReasonsAttr))) {
      const size_t colon = reason.find(": ");
      if (colon == std::string::npos) throw BadMessage{"a reason that is not 'aspect: rule'"};
      node->Because(reason.substr(0, colon), reason.substr(colon + 2));
    }
  }

  Tensor FileWeight(const pb::OpDef& op) const {
    const auto need = [&](const char* name) -> const pb::AttrDef& {
      if (const pb::AttrDef* attr = Find(op, name)) return *attr;
      throw BadMessage{fmt::format("no attribute '{}'", name)};
    };
    if (op.output_desc_size() != 1) throw BadMessage{fmt::format("{} outputs; expected one", op.output_desc_size())};
    const DataType dtype = GetDataType(op.output_desc(0));
    const auto& dims = need(kShapeAttr).list().i();
    const Shape shape = CheckedShape({dims.begin(), dims.end()});
    const int64_t length = need(kLengthAttr).i();
    const size_t bytes = FixedBytes(dtype, shape, length);
    return Aligned(dtype, shape, files_.Window(need(kLocationAttr).s(), need(kOffsetAttr).i(), static_cast<int64_t>(bytes)));
  }

  // Spread when asked for and kept as long as somebody holds it: kernels have forms of their own. What is small is kept
  // from the second time on: somebody asks again and again.
  static void SpreadValue(const pb::AttrDef& attr, Node* node) {
    const Tensor* stored = node->attrs.FindAs<Tensor>("value");
    const Shape shape = CheckedShape({attr.list().i().begin(), attr.list().i().end()});
    bool fits = stored != nullptr && stored->rank() == shape.rank() && DataTypeBits(stored->dtype()) >= 8 &&
                stored->dtype() != DT_STRING && stored->dtype() != DT_VARIANT;
    for (size_t i = 0; fits && i < shape.rank(); ++i) fits = stored->dim(i) == shape[i] || stored->dim(i) == 1;
    if (!fits) {
      throw BadMessage{fmt::format("attribute '{}': the value cannot be broadcast to {}", kSpreadAttr, ToString(shape))};
    }
    CheckedBytes(stored->dtype(), shape);
    struct Held {
      std::mutex mutex;
      std::weak_ptr<const void> owner;
      std::byte* data = nullptr;
      std::shared_ptr<const void> small;
      bool asked = false;
    };
    Tensor spread = Tensor::Deferred(stored->dtype(), shape, [held = std::make_shared<Held>(), compact = *stored, shape] {
      const std::lock_guard lock(held->mutex);
      if (std::shared_ptr<const void> owner = held->owner.lock()) {
        return Tensor(compact.dtype(), shape, {owner, held->data, DataTypeBytes(compact.dtype(), shape.NumElements())});
      }
      Tensor whole = Spread(compact, shape);
      held->owner = whole.buffer().owner;
      held->data = whole.buffer().data;
      if (held->asked && whole.NumBytes() <= kKeptSpread) held->small = whole.buffer().owner;
      held->asked = true;
      return whole;
    });
    node->attrs.Set("value", std::move(spread));
  }

  // The bytes of a weight, which `told` must be.
  static size_t FixedBytes(DataType dtype, const Shape& shape, int64_t told) {
    if (dtype == DT_UNDEFINED || dtype == DT_STRING || dtype == DT_VARIANT) {
      throw BadMessage{"a weight whose type has no fixed size"};
    }
    const size_t bytes = CheckedBytes(dtype, shape);
    if (told < 0 || static_cast<size_t>(told) != bytes) {
      throw BadMessage{fmt::format("a {} weight {} of {} bytes; it takes {}", DataTypeName(dtype), ToString(shape), told,
                                   bytes)};
    }
    return bytes;
  }

  // Kernels count on the alignment of what Buffer::Allocate gives.
  static Tensor Aligned(DataType dtype, const Shape& shape, Buffer window) {
    if (reinterpret_cast<uintptr_t>(window.data) % kTensorAlign != 0) {
      Buffer copy = Buffer::Allocate(window.size);
      std::memcpy(copy.data, window.data, window.size);
      window = std::move(copy);
    }
    return Tensor(dtype, shape, std::move(window));
  }

  Tensor Weight(const pb::TensorDescriptor& desc) const {
    const DataType dtype = GetDataType(desc);
    const Shape shape = CheckedShape({desc.shape().dim().begin(), desc.shape().dim().end()});
    const size_t bytes = FixedBytes(dtype, shape, desc.weight_size());
    const int64_t offset = desc.data_offset();
    if (offset < kWeightAlign || offset % kWeightAlign != 0 || static_cast<size_t>(offset) > weights_.size ||
        bytes > weights_.size - static_cast<size_t>(offset)) {
      throw BadMessage{fmt::format("{} bytes of weights at {}; expected a multiple of {}, within {} bytes", bytes,
                                   offset, kWeightAlign, weights_.size)};
    }
    return Aligned(dtype, shape, {weights_.owner, weights_.data + offset, bytes});
  }

  int TakeGraph(const std::string& name) {
    const auto it = by_name_.find(name);
    if (it == by_name_.end() || used_[it->second]) {
      throw BadMessage{fmt::format("owns graph '{}', which is {}", name,
                                   it == by_name_.end() ? "not there" : "another one's or its own")};
    }
    used_[it->second] = true;
    return it->second;
  }

  void ReadNested(const pb::OpDef& op, int depth, Graph* graph, Node* node) {
    const std::vector<std::string> names = Strings(Find(op, kSubgraphNamesAttr));
    if (names.size() != static_cast<size_t>(op.subgraph_name_size())) {
      throw BadMessage{fmt::format("{} owned graphs with {} names", op.subgraph_name_size(), names.size())};
    }
    for (int i = 0; i < op.subgraph_name_size(); ++i) {
      const int index = TakeGraph(op.subgraph_name(i));
      ReadGraph(index, depth + 1, &graph->AddSubgraph(*node, names[i]));
    }
    if (const auto* fused = Find(op, kFusedAttr)) {
      const int index = TakeGraph(fused->s());
      node->fused = graph->MakeNested(fused->s());
      ReadGraph(index, depth + 1, node->fused.get());
    }
  }

  const pb::ModelDef& model_;
  const Buffer& weights_;
  ExternalFiles& files_;
  std::map<std::string_view, int> by_name_;
  std::vector<uint32_t> first_id_;
  std::vector<bool> used_;
};

}  // namespace

std::unique_ptr<Graph> GraphFromProto(const pb::ModelDef& model, const Buffer& weights, ExternalFiles& files) {
  return Reader(model, weights, files).Read();
}

}  // namespace atc
