// ge.event=notify: what orders streams is of another kind, of which a device has fewer.
#pragma once

#include <cstdint>

#include "compiler/ir/graph.h"

namespace atc {

inline constexpr int32_t kMostNotifies = 1024;
// On Send and Recv nodes.
inline constexpr const char* kNotifyId = "notify_id";

// Gives the Send and Recv nodes of the graph and those nested in it a kNotifyId, which is the event_id; the device here
// runs both alike. Returns `events`. Throws Error E10055 where these are more than kMostNotifies.
int32_t NumberNotifies(Graph& graph, int32_t events);

}  // namespace atc
