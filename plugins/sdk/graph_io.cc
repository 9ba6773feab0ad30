// ge::Graph: to and from bytes.
#include <fstream>
#include <iterator>

#include "graph/graph.h"
#include "graph/graph_buffer.h"
#include "plugins/sdk/handles.h"

namespace ge {

graphStatus Graph::SaveToMem(GraphBuffer& buffer) const {
  const atc::Graph* graph = impl_ ? impl_->Get() : nullptr;
  const atc::PassHost* host = atc::CurrentHost();
  if (graph == nullptr || host == nullptr || !host->save) return GRAPH_FAILED;
  const std::string bytes = host->save(*graph);
  buffer.bytes_.assign(bytes.begin(), bytes.end());
  return GRAPH_SUCCESS;
}

graphStatus Graph::SaveToFile(const char_t* file) const {
  GraphBuffer buffer;
  if (file == nullptr || SaveToMem(buffer) != GRAPH_SUCCESS) return GRAPH_FAILED;
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(buffer.GetData()), static_cast<std::streamsize>(buffer.GetSize()));
  out.close();
  return out ? GRAPH_SUCCESS : GRAPH_FAILED;
}

graphStatus Graph::LoadFromMem(const uint8_t* data, const size_t size) {
  const atc::PassHost* host = atc::CurrentHost();
  // A graph under compilation is not exchanged for another one.
  if (data == nullptr || host == nullptr || !host->load || (impl_ && impl_->session->own == nullptr)) return GRAPH_FAILED;
  std::unique_ptr<atc::Graph> graph = host->load(std::string_view(reinterpret_cast<const char*>(data), size));
  if (graph == nullptr) return GRAPH_FAILED;
  impl_ = Access::OwnImpl(std::move(graph));
  return GRAPH_SUCCESS;
}

graphStatus Graph::LoadFromMem(const GraphBuffer& buffer) { return LoadFromMem(buffer.GetData(), buffer.GetSize()); }

graphStatus Graph::LoadFromFile(const char_t* file) {
  std::ifstream in(file == nullptr ? "" : file, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  return in ? LoadFromMem(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()) : GRAPH_FAILED;
}

}  // namespace ge
