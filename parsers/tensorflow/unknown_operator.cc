#include "parsers/tensorflow/unknown_operator.h"

#include <cstdlib>
#include <string_view>

#include "compiler/ir/framework.h"
#include "compiler/ir/infer_context.h"
#include "compiler/ir/op_def.h"

namespace atc::tf_parser {
namespace {

constexpr char kResultType[] = "result_type";
constexpr size_t kMostOutputs = 64;  // that an operator nothing is known of may have

void InferUnknown(InferContext& ctx) {
  for (size_t i = 0; i < ctx.num_outputs(); ++i) ctx.SetOut(i, ctx.Attr<DataType>(kResultType), Shape::UnknownRank());
}

void RegisterOnce() {
  if (OpRegistry::Get().Find(kFrameworkOp) != nullptr) return;
  OpRegistry::Get().Add(OpDef(kFrameworkOp)
                            .DynIn("x")
                            .DynOut("y")
                            .RequiredAttr(kOriginalTypeAttr)
                            .RequiredAttr(kResultType)
                            .Traits(kStateful)
                            .Infer(InferUnknown));
}

}  // namespace

bool GoesPastUnknown() {
  const char* value = std::getenv("ENABLE_NETWORK_ANALYSIS_DEBUG");
  return value != nullptr && std::string_view(value) == "1";
}

void ConvertUnknown(NodeContext& ctx) {
  RegisterOnce();
  size_t outputs = 1;
  for (size_t i = 1; i < kMostOutputs; ++i) {
    if (ctx.WantsOutput(i)) outputs = i + 1;
  }
  DataType type = ctx.Type("T", ctx.Type("dtype"));
  if (type == DT_UNDEFINED && ctx.num_inputs() > 0) type = ctx.InType(0);
  Node& node = ctx.PassWithAttrs(kFrameworkOp, outputs);
  node.attrs.Set(kOriginalTypeAttr, ctx.op());
  node.attrs.Set(kResultType, type == DT_UNDEFINED ? DT_FLOAT : type);
}

}  // namespace atc::tf_parser
