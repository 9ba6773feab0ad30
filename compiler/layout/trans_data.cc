#include "compiler/layout/trans_data.h"

#include <string>

#include "compiler/ir/edge_node.h"
#include "compiler/ir/stream_label.h"

namespace atc {

void TransDataInserter::Require(Node& node, uint32_t input, Form form) {
  ValueId value = node.inputs[input];
  if (value == kNoId) return;
  const Form have = FormOf(graph_.desc(value));
  // Blocks of four channels serve the convolution that asked for them and are asked for by nobody else.
  if (have == form || (IsBlocked(have.storage) && IsBlocked(form.storage) && have.plain == form.plain)) return;
  if (!have.IsPlain() && !form.IsPlain()) value = Make(node, value, kPlainForm);
  graph_.SetInput(node, input, Make(node, value, form));
}

ValueId TransDataInserter::Make(const Node& consumer, ValueId value, Form form) {
  const Node& producer = graph_.producer(value);
  journal_.Require("TransData", {&producer, &consumer});
  const Node& served = ServedOnEdge(producer, consumer);
  TensorDesc desc = graph_.desc(value);
  const std::string before(FormatName(desc.format));
  SetForm(desc, form);
  Node& trans = graph_.Add("TransData", "trans_TransData_" + std::to_string(number_++), {value}, 1);
  // A storage format counts as the origin layout that it stands for on the other side.
  const bool named = !form.IsPlain() && form.plain != FORMAT_ND;
  trans.attrs.Set("src_format", named ? std::string(FormatName(form.plain)) : before);
  trans.attrs.Set("dst_format", std::string(FormatName(desc.format)));
  trans.origin = served.origin;
  CopyStreamLabels(served, trans);
  trans.Because("format", "ends of the edge to " + consumer.name + " differ");
  graph_.desc(trans.outputs[0]) = desc;
  journal_.Made(trans);
  return trans.outputs[0];
}

}  // namespace atc
