#include "parsers/tensorflow/convert.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/error.h"
#include "parsers/tensorflow/graph_builder.h"
#include "parsers/tensorflow/graph_def.pb.h"

namespace atc::tf_parser {

using TfAttr = proto::AttrValue;

NodeContext::NodeContext(GraphBuilder& builder, uint32_t number, std::string name)
    : NodeEmitter(builder.graph(), std::move(name), builder.source().nodes[number].op),
      builder_(builder),
      node_(builder.source().nodes[number]),
      number_(number) {}

// ---- inputs ----

ValueId NodeContext::In(size_t i) const {
  if (i >= node_.inputs.size()) Fail(fmt::format("it has {} inputs; its input {} is missing", node_.inputs.size(), i));
  const ValueId value = builder_.Resolve(node_.inputs[i]);
  if (value == kNoId) {
    const SourceNode& from = builder_.source().nodes[node_.inputs[i].node];
    throw Error("E12009",
                {{"opname", name()}, {"inputopname", fmt::format("{}:{}", from.name, node_.inputs[i].output)}},
                fmt::format("The node '{}' ({}) does not give this output.", from.name, from.op));
  }
  return value;
}

std::vector<ValueId> NodeContext::Inputs() const {
  std::vector<ValueId> values;
  for (size_t i = 0; i < node_.inputs.size(); ++i) values.push_back(In(i));
  return values;
}

const Tensor* NodeContext::Constant(size_t i) const {
  return i < num_inputs() ? builder_.graph().Constant(In(i)) : nullptr;
}

bool NodeContext::KnownInts(size_t i, std::vector<int64_t>* ints) const {
  if (i >= num_inputs()) return false;
  if (const Tensor* tensor = Constant(i)) {
    if (!(IsInteger(tensor->dtype()) || tensor->dtype() == DT_BOOL)) return false;
    *ints = ToInts(tensor->Materialized());
    return true;
  }
  const PartialInts* partial = builder_.Ints(In(i));
  if (partial == nullptr || !partial->IsKnown()) return false;
  ints->clear();
  for (const auto& element : partial->elements) ints->push_back(*element);
  return true;
}

std::vector<int64_t> NodeContext::RequiredInts(size_t i, const char* what) const {
  std::vector<int64_t> ints;
  if (!KnownInts(i, &ints)) {
    Fail(fmt::format("its input {} ({}) is computed from the data of the model; it must be a constant here", i, what));
  }
  return ints;
}

int64_t NodeContext::RequiredInt(size_t i, const char* what) const {
  const std::vector<int64_t> ints = RequiredInts(i, what);
  if (ints.size() != 1) Fail(fmt::format("its input {} ({}) has {} elements, wanted one", i, what, ints.size()));
  return ints[0];
}

const TensorDesc& NodeContext::Desc(size_t i) const {
  static const TensorDesc kUnknown;
  return i < num_inputs() ? builder_.Desc(In(i)) : kUnknown;
}

const TensorDesc& NodeContext::DescOf(ValueId value) const { return builder_.Desc(value); }

bool NodeContext::WantsOutput(size_t i) const { return builder_.IsUsed({number_, static_cast<uint32_t>(i)}); }

int64_t NodeContext::Rank(size_t i) const {
  const TensorDesc& desc = Desc(i);
  return desc.dtype != DT_UNDEFINED && desc.origin_shape.HasRank() ? static_cast<int64_t>(desc.origin_shape.rank()) : -1;
}

// ---- attributes ----

const TfAttr* NodeContext::Find(std::string_view attr) const {
  if (node_.def == nullptr) return nullptr;
  const auto it = node_.def->attr().find(std::string(attr));
  return it == node_.def->attr().end() ? nullptr : &it->second;
}

bool NodeContext::Has(std::string_view attr) const { return Find(attr) != nullptr; }

int64_t NodeContext::Int(std::string_view attr, int64_t fallback) const {
  const TfAttr* value = Find(attr);
  return value ? value->i() : fallback;
}

float NodeContext::Float(std::string_view attr, float fallback) const {
  const TfAttr* value = Find(attr);
  return value ? value->f() : fallback;
}

bool NodeContext::Bool(std::string_view attr, bool fallback) const {
  const TfAttr* value = Find(attr);
  return value ? value->b() : fallback;
}

std::string NodeContext::String(std::string_view attr, std::string fallback) const {
  const TfAttr* value = Find(attr);
  return value ? value->s() : fallback;
}

std::vector<int64_t> NodeContext::Ints(std::string_view attr) const {
  const TfAttr* value = Find(attr);
  if (value == nullptr) return {};
  return {value->list().i().begin(), value->list().i().end()};
}

std::vector<float> NodeContext::Floats(std::string_view attr) const {
  const TfAttr* value = Find(attr);
  if (value == nullptr) return {};
  return {value->list().f().begin(), value->list().f().end()};
}

std::vector<std::string> NodeContext::Strings(std::string_view attr) const {
  const TfAttr* value = Find(attr);
  if (value == nullptr) return {};
  return {value->list().s().begin(), value->list().s().end()};
}

DataType NodeContext::Type(std::string_view attr, DataType fallback) const {
  const TfAttr* value = Find(attr);
  return value ? DataTypeFromTf(value->type()) : fallback;
}

Shape NodeContext::ShapeAttr(std::string_view attr) const {
  const TfAttr* value = Find(attr);
  return value && value->has_shape() ? ShapeFrom(value->shape()) : Shape::UnknownRank();
}

Tensor NodeContext::TensorAttr(std::string_view attr) const {
  const TfAttr* value = Find(attr);
  return value && value->has_tensor() ? builder_.model().tensors->Read(value->tensor(), name()) : Tensor();
}

std::string NodeContext::Function(std::string_view attr) const {
  const TfAttr* value = Find(attr);
  return value ? value->func().name() : "";
}

std::map<std::string, const TfAttr*> NodeContext::FunctionAttrs(std::string_view attr) const {
  std::map<std::string, const TfAttr*> attrs;
  if (const TfAttr* value = Find(attr)) {
    for (const auto& [name, of_function] : value->func().attr()) attrs.emplace(name, &of_function);
  }
  return attrs;
}

std::map<std::string, const TfAttr*> NodeContext::Attrs() const {
  std::map<std::string, const TfAttr*> attrs;
  if (node_.def == nullptr) return attrs;
  for (const auto& [name, value] : node_.def->attr()) attrs.emplace(name, &value);
  return attrs;
}

void NodeContext::CopyAttrs(Node& node) const {
  for (const auto& [name, value] : Attrs()) {
    if (name.starts_with('_')) continue;  // notes of the exporter
    switch (value->value_case()) {
      case TfAttr::kS: node.attrs.Set(name, atc::AttrValue(value->s())); break;
      case TfAttr::kI: node.attrs.Set(name, static_cast<int64_t>(value->i())); break;
      case TfAttr::kF: node.attrs.Set(name, value->f()); break;
      case TfAttr::kB: node.attrs.Set(name, value->b()); break;
      case TfAttr::kType: node.attrs.Set(name, atc::AttrValue(DataTypeFromTf(value->type()))); break;
      case TfAttr::kShape: node.attrs.Set(name, atc::AttrValue(ShapeFrom(value->shape()).dims())); break;
      case TfAttr::kTensor: node.attrs.Set(name, atc::AttrValue(TensorAttr(name))); break;
      case TfAttr::kList:
        if (value->list().i_size() > 0) node.attrs.Set(name, atc::AttrValue(Ints(name)));
        if (value->list().f_size() > 0) node.attrs.Set(name, atc::AttrValue(Floats(name)));
        if (value->list().s_size() > 0) node.attrs.Set(name, atc::AttrValue(Strings(name)));
        break;
      default: break;
    }
  }
}

// ---- output ----

// Exporters that know no double leave Casts to it beside constants of float: where the two meet, float is meant.
void NodeContext::NarrowDoubles(std::vector<ValueId>* inputs) {
  const auto type_of = [&](ValueId value) { return value == kNoId ? DT_UNDEFINED : builder_.Desc(value).dtype; };
  const bool mixed = std::any_of(inputs->begin(), inputs->end(), [&](ValueId v) { return type_of(v) == DT_FLOAT; });
  for (size_t i = 0; mixed && i < inputs->size(); ++i) {
    if (type_of((*inputs)[i]) != DT_DOUBLE) continue;
    Node& cast = graph().Add("Cast", fmt::format("{}/float{}", name(), i), {(*inputs)[i]}, 1);
    cast.attrs.Set("dst_type", static_cast<int64_t>(DT_FLOAT));
    cast.origin = origin();
    (*inputs)[i] = cast.outputs[0];
  }
}

Node& NodeContext::Emit(Name type, std::vector<ValueId> inputs, size_t num_outputs, std::string_view suffix) {
  const OpDef* def = OpRegistry::Get().Find(type);
  if (def != nullptr && inputs.size() > 1 && !def->inputs.empty() &&
      (def->Is(kElementwise) || def->inputs.back().kind == IoKind::kDynamic)) {
    NarrowDoubles(&inputs);
  }
  return NodeEmitter::Emit(type, std::move(inputs), num_outputs, suffix);
}

void NodeContext::SetOutput(size_t i, ValueId value) { builder_.Bind({number_, static_cast<uint32_t>(i)}, value); }

Node& NodeContext::Pass(Name type, size_t num_outputs) {
  Node& node = Emit(type, Inputs(), num_outputs);
  for (size_t i = 0; i < num_outputs; ++i) SetOutput(i, node.outputs[i]);
  return node;
}

Node& NodeContext::PassWithAttrs(Name type, size_t num_outputs) {
  Node& node = Pass(type, num_outputs);
  CopyAttrs(node);
  return node;
}

Node& NodeContext::Keep(size_t num_outputs) { return PassWithAttrs("tf::" + op(), num_outputs); }

void NodeContext::NoteRemoved() const { ++builder_.model().removed[op()]; }

void NodeContext::NoteWritten() const { ++builder_.model().written[op()]; }

}  // namespace atc::tf_parser
