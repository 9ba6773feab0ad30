// TransData on the edges whose ends differ in format.
#pragma once

#include <map>
#include <utility>

#include "compiler/ir/journal.h"
#include "compiler/layout/format_rules.h"

namespace atc {

// Brings values into formats. One TransData serves all consumers that want a value in the same form.
class TransDataInserter {
 public:
  TransDataInserter(Graph& graph, Journal& journal) : graph_(graph), journal_(journal) {}

  // From now on input `input` of `node` is in `form`. From one storage format to another a tensor goes by its origin
  // layout, unless it came from there.
  void Require(Node& node, uint32_t input, Form form);
  // A TransData of `value` for `node`, shared by nobody who does not ask for the same.
  ValueId Make(const Node& consumer, ValueId value, Form form);
  // `value` in the origin layout is `plain`: nothing need turn it back.
  void Remember(ValueId value, ValueId plain) { made_[{value, kPlainForm}] = plain; }

 private:
  ValueId Changed(const Node& consumer, ValueId value, Form form);

  Graph& graph_;
  Journal& journal_;
  std::map<std::pair<ValueId, Form>, ValueId> made_;  // a tensor and a form -> the same tensor in it
  int number_ = 0;
};

}  // namespace atc
