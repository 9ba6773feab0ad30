#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include "compiler/dump/forms.h"
#include "compiler/om/proto/ge_model.pb.h"
#include "compiler/om/proto_graph.h"

namespace atc {
namespace {

namespace pb = openatc::ge;
using google::protobuf::Message;

// Through a string: protobuf is not made for a stream that throws.
void Print(const Message& message, int indent, ByteSink& out) {
  std::string text;
  {
    google::protobuf::io::StringOutputStream stream(&text);
    google::protobuf::TextFormat::Printer printer;
    printer.SetInitialIndentLevel(indent);
    printer.Print(message, &stream);
  }
  out.Write(text);
}

}  // namespace

// Printed operator by operator, so that with all values in it no more than one constant is in memory.
void WriteProtoText(const GraphList& graphs, int detail, ByteSink& out) {
  const GraphProtoOptions options{.drop_values = detail > 1};
  pb::ModelDef model;
  model.set_name(graphs.all()[0].name);
  model.set_version(2);
  Print(model, 0, out);
  for (const ListedGraph& listed : graphs.all()) {
    out.Write("graph {\n");
    pb::GraphDef before;
    pb::GraphDef after;
    GraphFieldsToProto(listed, &before, &after);
    Print(before, 1, out);
    for (const NodeId id : listed.order) {
      pb::OpDef op;
      ToProto(graphs, listed, listed.graph->node(id), options, &op);
      out.Write("  op {\n");
      Print(op, 2, out);
      out.Write("  }\n");
    }
    Print(after, 1, out);
    out.Write("}\n");
  }
}

}  // namespace atc
