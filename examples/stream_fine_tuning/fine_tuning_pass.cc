// Gives one operator a stream of its own, after the converter has assigned streams by its rules. The operator is named by
// the environment variable STREAM_PASS_NODE; without it nothing changes.
#include <cstdlib>
#include <iostream>

#include "register/register_custom_pass.h"

namespace {

ge::Status FineTune(const ge::ConstGraphPtr& graph, ge::StreamPassContext& context) {
  const char* wanted = std::getenv("STREAM_PASS_NODE");
  if (wanted == nullptr || *wanted == '\0') return ge::SUCCESS;
  for (const ge::GNode& node : graph->GetDirectNode()) {
    ge::AscendString name;
    node.GetName(name);
    if (name != wanted) continue;
    const int64_t before = context.GetStreamId(node);
    if (before == ge::INVALID_STREAM_ID) {
      context.SetErrorMessage("the operator that STREAM_PASS_NODE names runs on no stream");
      return ge::FAILED;
    }
    const int64_t stream = context.AllocateNextStreamId();
    std::cout << "FineTuningPass: " << wanted << " goes from stream " << before << " to " << stream << std::endl;
    return context.SetStreamId(node, stream);
  }
  context.SetErrorMessage("no operator has the name that STREAM_PASS_NODE gives; dumps list the names");
  return ge::FAILED;
}

}  // namespace

REGISTER_CUSTOM_PASS("FineTuningPass").CustomAllocateStreamPassFn(FineTune);
