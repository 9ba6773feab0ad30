#include "compiler/om/graph_json.h"

#include "compiler/io/reflect_json.h"
#include "compiler/om/proto/ge_model.pb.h"
#include "compiler/om/proto_graph.h"

namespace atc {

void WriteGraphJson(const Graph& graph, ByteSink& out) {
  openatc::ge::ModelDef message;
  message.set_name(graph.name);
  ToProto(GraphList(graph), GraphProtoOptions{}, &message);
  WriteJson(message, {.enum_names = false, .dropped = {}}, out);
}

}  // namespace atc
