#include "compiler/streams/stream_passes.h"

namespace atc {

void UserPasses(StreamContext& context) {
  if (context.options.user_passes) context.next_stream = context.options.user_passes(context.graph, context.next_stream);
}

}  // namespace atc
