// What serves training and debugging alone passes its data on, and is noted.
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {
namespace {

void PassOn(NodeContext& ctx) {
  ctx.NoteRemoved();
  ctx.SetOutput(0, ctx.In(0));
}

}  // namespace

void RegisterTrainingConverters(ConverterRegistry& registry) {
  for (const char* op : {"CheckNumerics", "CheckNumericsV2", "DebugIdentity", "DebugIdentityV2", "Print"}) {
    registry.Add(op, PassOn);
  }
}

}  // namespace atc::tf_parser
