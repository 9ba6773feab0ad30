#include "parsers/onnx/convert.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "compiler/ir/error.h"
#include "parsers/onnx/attribute_kind.h"
#include "parsers/onnx/graph_builder.h"

namespace atc::onnx_parser {
namespace {

template <typename List>
int TrimmedSize(const List& names) {
  int size = names.size();
  while (size > 0 && names.Get(size - 1).empty()) --size;
  return size;
}

}  // namespace

NodeContext::NodeContext(GraphBuilder& builder, const onnx::NodeProto& node, std::string name, int opset)
    : NodeEmitter(builder.graph(), std::move(name), node.op_type()), builder_(builder), node_(node), opset_(opset) {}

const std::string& NodeContext::op_type() const { return node_.op_type(); }

const std::string& NodeContext::domain() const {
  static const std::string kDefault = "ai.onnx";
  return node_.domain().empty() ? kDefault : node_.domain();
}

// ---- inputs and outputs ----

size_t NodeContext::num_inputs() const { return TrimmedSize(node_.input()); }

bool NodeContext::HasInput(size_t i) const { return i < num_inputs() && In(i) != kNoId; }

ValueId NodeContext::In(size_t i) const {
  if (i >= num_inputs() || node_.input(i).empty()) return kNoId;
  const ValueId value = builder_.Resolve(node_.input(i));
  if (value == kNoId && !builder_.IsAbsent(node_.input(i))) {
    throw Error("E13014", {{"value", "'" + node_.input(i) + "'"},
                           {"parameter", fmt::format("Input {}", i)},
                           {"opname", name()},
                           {"reason", "No input, initializer or node gives this tensor."}});
  }
  return value;
}

void NodeContext::Inline(const onnx::FunctionProto& body) { builder_.InlineFunction(node_, name(), body); }

ValueId NodeContext::Named(const std::string& tensor) const { return builder_.Resolve(tensor); }

std::vector<ValueId> NodeContext::Inputs() const {
  std::vector<ValueId> values;
  for (size_t i = 0; i < num_inputs(); ++i) values.push_back(In(i));
  while (!values.empty() && values.back() == kNoId) values.pop_back();
  return values;
}

size_t NodeContext::num_outputs() const { return TrimmedSize(node_.output()); }

bool NodeContext::WantsOutput(size_t i) const { return i < num_outputs() && !node_.output(i).empty(); }

const Tensor* NodeContext::Constant(size_t i) const { return builder_.graph().Constant(In(i)); }

bool NodeContext::ConstantInts(size_t i, std::vector<int64_t>* ints) const {
  const Tensor* tensor = Constant(i);
  if (tensor == nullptr || !(IsInteger(tensor->dtype()) || tensor->dtype() == DT_BOOL)) return false;
  *ints = ToInts(tensor->Materialized());
  return true;
}

const TensorDesc& NodeContext::Desc(size_t i) const {
  static const TensorDesc kUnknown;
  return HasInput(i) ? builder_.Desc(node_.input(i)) : kUnknown;
}

// ---- attributes ----

const onnx::AttributeProto* NodeContext::Find(std::string_view attr) const {
  for (const onnx::AttributeProto& attribute : node_.attribute()) {
    if (attribute.name() == attr) return &attribute;
  }
  return nullptr;
}

bool NodeContext::HasAttr(std::string_view attr) const { return Find(attr) != nullptr; }

int64_t NodeContext::Int(std::string_view attr, int64_t fallback) const {
  const onnx::AttributeProto* attribute = Find(attr);
  return attribute ? attribute->i() : fallback;
}

float NodeContext::Float(std::string_view attr, float fallback) const {
  const onnx::AttributeProto* attribute = Find(attr);
  return attribute ? attribute->f() : fallback;
}

std::string NodeContext::String(std::string_view attr, std::string fallback) const {
  const onnx::AttributeProto* attribute = Find(attr);
  return attribute ? attribute->s() : fallback;
}

std::vector<int64_t> NodeContext::Ints(std::string_view attr, std::vector<int64_t> fallback) const {
  const onnx::AttributeProto* attribute = Find(attr);
  return attribute ? std::vector<int64_t>(attribute->ints().begin(), attribute->ints().end()) : std::move(fallback);
}

std::vector<float> NodeContext::Floats(std::string_view attr, std::vector<float> fallback) const {
  const onnx::AttributeProto* attribute = Find(attr);
  return attribute ? std::vector<float>(attribute->floats().begin(), attribute->floats().end()) : std::move(fallback);
}

std::vector<std::string> NodeContext::Strings(std::string_view attr) const {
  const onnx::AttributeProto* attribute = Find(attr);
  if (attribute == nullptr) return {};
  return {attribute->strings().begin(), attribute->strings().end()};
}

Tensor NodeContext::TensorAttr(std::string_view attr) const {
  const onnx::AttributeProto* attribute = Find(attr);
  return attribute && attribute->has_t() ? builder_.model().tensors->Read(attribute->t()) : Tensor();
}

Tensor NodeContext::SparseTensorAttr(std::string_view attr) const {
  const onnx::AttributeProto* attribute = Find(attr);
  return attribute && attribute->has_sparse_tensor() ? builder_.model().tensors->ReadSparse(attribute->sparse_tensor())
                                                     : Tensor();
}

const onnx::GraphProto* NodeContext::GraphAttr(std::string_view attr) const {
  const onnx::AttributeProto* attribute = Find(attr);
  return attribute && attribute->has_g() ? &attribute->g() : nullptr;
}

TensorDesc NodeContext::TypeAttr(std::string_view attr) const {
  const onnx::AttributeProto* attribute = Find(attr);
  return attribute && attribute->has_tp() ? DescribeType(attribute->tp()) : TensorDesc();
}

AttrMap NodeContext::PlainAttrs() const {
  AttrMap attrs;
  for (const onnx::AttributeProto& attribute : node_.attribute()) {
    const std::string& name = attribute.name();
    const std::optional<AttributeKind> kind = KindOf(attribute);
    if (!kind) continue;
    switch (*kind) {
      case AttributeKind::kFloat: attrs.Set(name, AttrValue(attribute.f())); break;
      case AttributeKind::kInt: attrs.Set(name, AttrValue(static_cast<int64_t>(attribute.i()))); break;
      case AttributeKind::kString: attrs.Set(name, AttrValue(attribute.s())); break;
      case AttributeKind::kTensor: attrs.Set(name, AttrValue(TensorAttr(name))); break;
      case AttributeKind::kFloats: attrs.Set(name, AttrValue(Floats(name))); break;
      case AttributeKind::kInts: attrs.Set(name, AttrValue(Ints(name))); break;
      case AttributeKind::kStrings: attrs.Set(name, AttrValue(Strings(name))); break;
      default: break;
    }
  }
  return attrs;
}

void NodeContext::CopyAttrs(Node& node) const {
  for (const auto& [name, value] : PlainAttrs()) node.attrs.Set(name, value);
}

// ---- output ----

void NodeContext::SetOutput(size_t i, ValueId value) {
  if (WantsOutput(i)) builder_.Bind(node_.output(i), value);
}

Node& NodeContext::Pass(Name type) {
  Node& node = Emit(type, Inputs(), num_outputs());
  for (size_t i = 0; i < num_outputs(); ++i) SetOutput(i, node.outputs[i]);
  return node;
}

Node& NodeContext::Keep() {
  Node& node = Pass("onnx::" + op_type());
  CopyAttrs(node);
  node.attrs.Set("opset", AttrValue(static_cast<int64_t>(opset_)));
  return node;
}

std::vector<TensorDesc> NodeContext::ConvertSubgraph(Node& node, std::string_view attr,
                                                     const std::vector<TensorDesc>& formals) {
  const onnx::GraphProto* proto = GraphAttr(attr);
  if (proto == nullptr) Fail(fmt::format("the attribute '{}' is missing; it should hold a graph", attr));
  return GraphBuilder::BuildNested(builder_, node, attr, *proto, formals);
}

}  // namespace atc::onnx_parser
