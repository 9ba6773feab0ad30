// The stream that a user asks for a node: nodes of one label run in order on a stream of their own.
#pragma once

#include <string>

#include "compiler/ir/graph.h"

namespace atc {

// Attributes that hold a label; the user's own comes first.
inline constexpr const char* kUserStreamLabel = "_user_stream_label";
inline constexpr const char* kStreamLabel = "_stream_label";

// Where it is true, both labels of a node hold together: nodes share a stream when they share both.
inline constexpr const char* kInnerParallel = "_enable_inner_parallel";

// The label of a node; empty when it has none.
std::string StreamLabelOf(const Node& node);

// Gives `to` the labels of `from`.
void CopyStreamLabels(const Node& from, Node& to);

}  // namespace atc
