#include "parsers/tensorflow/custom_operator.h"

#include "compiler/ir/op_def.h"
#include "parsers/custom_attributes.h"

namespace atc::tf_parser {

// TensorFlow's operators have no versions of their own.
const SourceMapping* FindCustomOperator(const std::string& op) {
  return SourceMappings::Get().Find("tensorflow", "", op, 0);
}

void ConvertCustomOperator(NodeContext& ctx, const SourceMapping& mapping) {
  const OpDef* def = OpRegistry::Get().Find(mapping.type);
  size_t outputs = def == nullptr ? 1 : def->outputs.size();
  for (size_t i = outputs; ctx.WantsOutput(i); ++i) outputs = i + 1;  // further ones of a dynamic output
  Node& node = ctx.Pass(mapping.type, outputs);
  Node source;  // holds the attributes as the model has them
  ctx.CopyAttrs(source);
  const CustomAttributes set =
      SetCustomAttributes(node, mapping, source.attrs, ctx.op(),
                          [](const AttrValue& value, const AttrValue&) { return value; });
  if (!set.fault.empty()) ctx.Fail(set.fault);
}

}  // namespace atc::tf_parser
