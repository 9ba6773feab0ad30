// Which nodes of two models are the same, whatever they are called.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/om/model_view.h"

namespace atc {

// By place in the nodes of one model: the place of the same node in the other, or kNone.
struct ModelMatch {
  static constexpr uint32_t kNone = UINT32_MAX;
  std::vector<uint32_t> b_of, a_of;
};

// Nodes of one name are the same, except where the compiler numbers them (trans_Cast_3, g_Send_0) or a graph of theirs
// is of another owner. What is left is matched by what it reads (equal types on equal operands, in order), then by what
// reads it (equal types at one port of the same node), constants without either by their contents.
ModelMatch MatchNodes(const ModelView& a, const ModelView& b);

}  // namespace atc
