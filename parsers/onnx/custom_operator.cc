#include "parsers/onnx/custom_operator.h"

#include <fmt/format.h>

#include "compiler/ir/error.h"
#include "parsers/custom_attributes.h"

namespace atc::onnx_parser {
namespace {

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
  const CustomAttributes set =
      SetCustomAttributes(node, mapping, ctx.PlainAttrs(),
                          fmt::format("{}::{}::{}", ctx.domain(), ctx.opset(), ctx.op_type()), Adapted);
  for (const Name name : set.unknown) unknown->Add(ctx.op_type(), name.str(), ctx.name());
  if (!set.fault.empty()) ctx.Fail(set.fault);
}

}  // namespace atc::onnx_parser
