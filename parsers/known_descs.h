// What is known of element types and shapes while a model is read. Some operators of the source stand for one AscendIR operator or
// another by the element type or rank of an input, and most models do not declare those of intermediate tensors.
#pragma once

#include <map>

#include "compiler/ir/graph.h"
#include "compiler/ir/infer_context.h"

namespace atc {

class KnownDescs {
 public:
  // Infers the nodes that `graph` has got since the last call. The graph itself is left alone: the inference stage
  // comes later, sees constants folded, and reports what does not fit; here that is merely unknown.
  void Learn(const Graph& graph);
  // What the model declares of a value; ignored where inference knew the type.
  void Declare(ValueId value, const TensorDesc& desc);
  // nullptr when nothing is known.
  const TensorDesc* Find(ValueId value) const;
  // What is known of an integer tensor; nullptr when nothing is.
  const PartialInts* FindInts(ValueId value) const;

 private:
  const TensorDesc* DescOf(const Graph& graph, ValueId value) const;
  void Infer(const Graph& graph, const Node& node);

  NodeId next_ = 0;
  std::map<ValueId, TensorDesc> descs_;
  std::map<ValueId, PartialInts> ints_;
};

}  // namespace atc
