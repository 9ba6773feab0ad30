#include "parsers/onnx/attribute_kind.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

namespace atc::onnx_parser {
namespace {

struct Entry {
  AttributeKind kind;
  onnx::AttributeProto::AttributeType type;
  bool (*set)(const onnx::AttributeProto&);  // whether the field of this kind holds something
};

using Proto = onnx::AttributeProto;

constexpr Entry kEntries[] = {
    {AttributeKind::kFloat, Proto::FLOAT, [](const Proto& a) { return a.has_f(); }},
    {AttributeKind::kInt, Proto::INT, [](const Proto& a) { return a.has_i(); }},
    {AttributeKind::kString, Proto::STRING, [](const Proto& a) { return a.has_s(); }},
    {AttributeKind::kTensor, Proto::TENSOR, [](const Proto& a) { return a.has_t(); }},
    {AttributeKind::kGraph, Proto::GRAPH, [](const Proto& a) { return a.has_g(); }},
    {AttributeKind::kSparse, Proto::SPARSE_TENSOR, [](const Proto& a) { return a.has_sparse_tensor(); }},
    {AttributeKind::kType, Proto::TYPE_PROTO, [](const Proto& a) { return a.has_tp(); }},
    {AttributeKind::kFloats, Proto::FLOATS, [](const Proto& a) { return a.floats_size() > 0; }},
    {AttributeKind::kInts, Proto::INTS, [](const Proto& a) { return a.ints_size() > 0; }},
    {AttributeKind::kStrings, Proto::STRINGS, [](const Proto& a) { return a.strings_size() > 0; }},
};

}  // namespace

std::optional<AttributeKind> KindOf(const onnx::AttributeProto& attribute) {
  for (const Entry& entry : kEntries) {
    if (attribute.type() == Proto::UNDEFINED ? entry.set(attribute) : attribute.type() == entry.type) return entry.kind;
  }
  return std::nullopt;
}

std::string Contradiction(const onnx::AttributeProto& attribute) {
  if (attribute.type() == Proto::UNDEFINED) return "";
  const std::optional<AttributeKind> kind = KindOf(attribute);
  for (const Entry& entry : kEntries) {
    // Writers of the older protobuf syntax set scalars of no meaning to their defaults.
    const bool blank = (entry.kind == AttributeKind::kFloat && attribute.f() == 0) ||
                       (entry.kind == AttributeKind::kInt && attribute.i() == 0) ||
                       (entry.kind == AttributeKind::kString && attribute.s().empty());
    if (kind && entry.kind != *kind && entry.set(attribute) && !blank) {
      return fmt::format("says that it is of type {} and holds {}", AttributeKindName(*kind),
                         AttributeKindName(entry.kind));
    }
  }
  return "";
}

}  // namespace atc::onnx_parser
