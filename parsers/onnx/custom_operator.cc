#include "parsers/onnx/custom_operator.h"

#include <fmt/format.h>

#include "compiler/ir/error.h"

namespace atc::onnx_parser {
namespace {

constexpr std::string_view kKinds[] = {"an integer", "a float",           "a bool",           "a text",
                                       "a type",     "a tensor",          "a list of integers", "a list of floats",
                                       "a list of bools", "a list of texts", "a list of lists"};
static_assert(std::size(kKinds) == std::variant_size_v<AttrValue>);

// ONNX has no bools and no types among its attributes: integers stand for both.
AttrValue Adapted(const AttrValue& value, const AttrValue& wanted) {
  const auto* number = std::get_if<int64_t>(&value);
  if (number != nullptr && std::holds_alternative<bool>(wanted)) return *number != 0;
  if (number != nullptr && std::holds_alternative<DataType>(wanted)) return DataTypeFromOnnx(static_cast<int>(*number));
  const auto* numbers = std::get_if<std::vector<int64_t>>(&value);
  if (numbers != nullptr && std::holds_alternative<std::vector<bool>>(wanted)) {
    return std::vector<bool>(numbers->begin(), numbers->end());
  }
  return value;
}

}  // namespace

const SourceMapping* FindCustomOperator(const std::string& domain, const std::string& op_type, int opset) {
  return SourceMappings::Get().Find("onnx", domain.empty() ? "ai.onnx" : domain, op_type, opset);
}

void ConvertCustomOperator(NodeContext& ctx, const SourceMapping& mapping, UnknownAttributes* unknown) {
  Node& node = ctx.Pass(mapping.type);
  for (const auto& [name, value] : mapping.map(ctx.PlainAttrs())) {
    const AttrDef* declared = node.def->FindAttr(name);
    if (declared == nullptr) {
      unknown->Add(ctx.op_type(), name.str(), ctx.name());
      continue;
    }
    AttrValue adapted = Adapted(value, declared->fallback);
    if (adapted.index() != declared->fallback.index()) {
      ctx.Fail(fmt::format("attribute '{}' is {}, wanted {}", name.str(), kKinds[adapted.index()],
                           kKinds[declared->fallback.index()]));
    }
    node.attrs.Set(name, std::move(adapted));
  }
  for (const AttrDef& declared : node.def->attrs) {
    if (declared.required && !node.attrs.Has(declared.name)) {
      ctx.Fail(fmt::format("attribute '{}' is missing", declared.name.str()));
    }
  }
  node.attrs.Set("_custom_operator", AttrValue(fmt::format("{}::{}::{}", ctx.domain(), ctx.opset(), ctx.op_type())));
  node.attrs.Set("_custom_operator_library",
                 AttrValue(mapping.library.substr(mapping.library.find_last_of('/') + 1)));
}

}  // namespace atc::onnx_parser
