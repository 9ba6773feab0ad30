#include "parsers/onnx/check_node.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <set>

#include "parsers/onnx/attribute_kind.h"
#include "parsers/onnx/attribute_words.h"
#include "parsers/onnx/signature.h"

namespace atc::onnx_parser {
namespace {

// "input 2 'scale'", as messages name it.
std::string PortText(const char* what, size_t index, const SignaturePort& port) {
  return fmt::format("{} {} '{}'", what, index, port.name);
}

void CheckInputCount(const NodeContext& ctx, const Signature& signature) {
  const std::vector<SignaturePort>& ports = signature.inputs;
  const size_t given = ctx.num_inputs();
  if (given > ports.size() && signature.Input(given - 1) == nullptr) {
    ctx.Fail(fmt::format("it has {} inputs; version {} of the operator takes {}{}", given, signature.since,
                         ports.empty() || ports.back().kind == SignaturePort::kRequired ? "" : "at most ",
                         ports.size()));
  }
  for (size_t i = 0; i < ports.size(); ++i) {
    const size_t least = ports[i].kind == SignaturePort::kRequired   ? 1
                         : ports[i].kind == SignaturePort::kVariadic ? ports[i].least
                                                                     : 0;
    for (size_t k = i; k < i + least; ++k) {
      if (!ctx.HasInput(k)) ctx.Fail(PortText("input", k, ports[i]) + " is missing");
    }
  }
}

void CheckOutputCount(const NodeContext& ctx, const Signature& signature) {
  const std::vector<SignaturePort>& ports = signature.outputs;
  const bool variadic = !ports.empty() && ports.back().kind == SignaturePort::kVariadic;
  if (ctx.num_outputs() <= ports.size() || variadic) return;
  ctx.Fail(fmt::format("it has {} outputs; version {} of the operator has {}", ctx.num_outputs(), signature.since,
                       ports.size()));
}

// What any version takes at this place; empty when no version has it.
std::vector<std::string> TypesOfAnyVersion(const std::vector<Signature>& versions, size_t index, DataType dtype,
                                           bool* holds) {
  std::set<std::string> names;
  for (const Signature& version : versions) {
    const SignaturePort* port = version.Input(index);
    if (port == nullptr) continue;
    names.insert(port->types.names.begin(), port->types.names.end());
    *holds |= port->types.Holds(dtype);
  }
  return {names.begin(), names.end()};
}

void CheckTypes(const NodeContext& ctx, const Signature& signature, const std::vector<Signature>& versions) {
  struct First {
    size_t index;
    DataType dtype;
  };
  // Ports are of one type only where the newest version still says so.
  std::map<std::pair<std::string, std::string>, First> bound;
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    const SignaturePort* port = signature.Input(i);
    const DataType dtype = ctx.Desc(i).dtype;
    if (port == nullptr || dtype == DT_UNDEFINED) continue;
    bool holds = false;
    const std::vector<std::string> names = TypesOfAnyVersion(versions, i, dtype, &holds);
    if (!holds) {
      ctx.Fail(fmt::format("{} is {}; the operator takes {}", PortText("input", i, *port), DataTypeName(dtype),
                           fmt::join(names, ", ")));
    }
    const SignaturePort* newest = versions.back().Input(i);
    const bool one_type = !port->variable.empty() && port->homogeneous && newest != nullptr &&
                          !newest->variable.empty() && newest->homogeneous;
    if (!one_type) continue;
    const auto [it, added] = bound.emplace(std::pair(port->variable, newest->variable), First{i, dtype});
    if (added || it->second.dtype == dtype) continue;
    const size_t other = it->second.index;
    ctx.Fail(fmt::format("{} is {} and {} is {}; they must be of one type",
                         PortText("input", other, *signature.Input(other)), DataTypeName(it->second.dtype),
                         PortText("input", i, *port), DataTypeName(dtype)));
  }
}

void CheckWords(const NodeContext& ctx, const onnx::AttributeProto& attribute) {
  const AttributeWords* words = FindAttributeWords(ctx.op_type(), attribute.name());
  if (words == nullptr) return;
  const auto check = [&](const std::string& text) {
    if (IsAmong(*words, text)) return;
    std::string wanted(words->words);
    for (size_t at = 0; (at = wanted.find(' ', at)) != wanted.npos; at += 2) wanted.replace(at, 1, ", ");
    ctx.Fail(fmt::format("attribute '{}' is '{}', wanted one of {}", attribute.name(), text, wanted));
  };
  // An empty text stands for the default in files of some exporters.
  if (KindOf(attribute) == AttributeKind::kString && !attribute.s().empty()) check(attribute.s());
  for (const std::string& text : attribute.strings()) check(text);
}

void CheckAttributes(const NodeContext& ctx, const onnx::NodeProto& node, const Signature& signature,
                     const std::vector<Signature>& versions, UnknownAttributes* unknown) {
  std::set<std::string> seen;
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    const std::string& name = attribute.name();
    if (!seen.insert(name).second) ctx.Fail(fmt::format("attribute '{}' is given twice", name));
    const SignatureAttribute* known = signature.Attribute(name);
    // Kept from another version: exporters leave what has no meaning any more, and our converters may read it.
    for (auto it = versions.rbegin(); known == nullptr && it != versions.rend(); ++it) known = it->Attribute(name);
    if (known == nullptr) {
      unknown->Add(ctx.op_type(), name, ctx.name());
      continue;
    }
    if (const std::string fault = Contradiction(attribute); !fault.empty()) {
      ctx.Fail(fmt::format("attribute '{}' {}", name, fault));
    }
    const std::optional<AttributeKind> kind = KindOf(attribute);
    const bool empty_list = !kind && attribute.type() == onnx::AttributeProto::UNDEFINED;
    // Cast names its type by a word in version 1 and by a number since: any version's kind will do here.
    const bool fits = empty_list || (kind && std::any_of(versions.begin(), versions.end(), [&](const Signature& other) {
                                       const SignatureAttribute* same = other.Attribute(name);
                                       return same != nullptr && same->kind == *kind;
                                     }));
    if (!fits) {
      ctx.Fail(fmt::format("attribute '{}' is of type {}, wanted {}", name,
                           kind ? AttributeKindName(*kind) : "that no operator has", AttributeKindName(known->kind)));
    }
    CheckWords(ctx, attribute);
  }
  for (const SignatureAttribute& attribute : signature.attributes) {
    // What is required in old versions has become optional in many: only what still is required has no default.
    const SignatureAttribute* newest = versions.back().Attribute(attribute.name);
    if (attribute.required && (newest != nullptr && newest->required) && !seen.contains(attribute.name)) {
      ctx.Fail(fmt::format("attribute '{}' is missing", attribute.name));
    }
  }
}

}  // namespace

void UnknownAttributes::Add(const std::string& op_type, const std::string& attribute, const std::string& node) {
  Seen& seen = seen_[{op_type, attribute}];
  if (seen.count++ == 0) seen.first_node = node;
}

void UnknownAttributes::Warn(Diagnostics* diagnostics) const {
  if (diagnostics == nullptr) return;
  for (const auto& [key, seen] : seen_) {
    const std::string where = seen.count == 1 ? fmt::format("node '{}'", seen.first_node)
                                              : fmt::format("{} nodes, first '{}'", seen.count, seen.first_node);
    diagnostics->Warn("W19999", {{"reason", fmt::format("The attribute '{}' of {} ({}) is none of the operator's; it is "
                                                        "not used.",
                                                        key.second, key.first, where)}});
  }
}

void CheckNode(const NodeContext& ctx, const onnx::NodeProto& node, UnknownAttributes* unknown) {
  const Signature* signature = SignatureTable::Get().Find(ctx.op_type(), ctx.opset(), ctx.domain());
  if (signature == nullptr) return;
  const std::vector<Signature>& versions = SignatureTable::Get().Versions(ctx.op_type(), ctx.domain());
  CheckInputCount(ctx, *signature);
  CheckOutputCount(ctx, *signature);
  CheckAttributes(ctx, node, *signature, versions, unknown);
  CheckTypes(ctx, *signature, versions);
}

}  // namespace atc::onnx_parser
