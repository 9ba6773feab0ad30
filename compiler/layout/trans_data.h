// TransData on the edges whose ends differ in format.
#pragma once

#include "compiler/ir/journal.h"
#include "compiler/layout/format_rules.h"

namespace atc {

// Brings values into formats, with a TransData of its own for each edge: passes merge and cancel what is too much.
class TransDataInserter {
 public:
  TransDataInserter(Graph& graph, Journal& journal) : graph_(graph), journal_(journal) {}

  // From now on input `input` of `node` is in `form`. From one storage format to another a tensor goes by its origin
  // layout.
  void Require(Node& node, uint32_t input, Form form);
  // `value` in `form`, for `consumer`.
  ValueId Make(const Node& consumer, ValueId value, Form form);

 private:
  Graph& graph_;
  Journal& journal_;
  int number_ = 0;
};

}  // namespace atc
