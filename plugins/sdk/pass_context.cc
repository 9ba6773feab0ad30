// What a pass is handed beside the graph.
#include "compiler/streams/engines.h"
#include "plugins/sdk/handles.h"
#include "register/register_custom_pass.h"

namespace ge {

class CustomPassContextImpl {
 public:
  AscendString message;
  AscendString pass;
  std::shared_ptr<Session> session;  // null for a context that a pass made itself
};

class StreamPassContextImpl {
 public:
  int64_t max = 0;
  int64_t without_task = 0;
  const atc::Graph* graph = nullptr;  // whose nodes may be moved
};

CustomPassContext::CustomPassContext() : impl_(std::make_shared<CustomPassContextImpl>()) {}
CustomPassContext::~CustomPassContext() = default;

void CustomPassContext::SetErrorMessage(const AscendString& message) { impl_->message = message; }
AscendString CustomPassContext::GetErrorMessage() const { return impl_->message; }
void CustomPassContext::SetPassName(const AscendString& name) { impl_->pass = name; }
AscendString CustomPassContext::GetPassName() const { return impl_->pass; }

graphStatus CustomPassContext::GetOptionValue(const AscendString& key, AscendString& value) const {
  if (!impl_->session || impl_->session->host == nullptr) return GRAPH_FAILED;
  const auto& options = impl_->session->host->options;
  const auto found = options.find(key.GetString());
  if (found == options.end()) return GRAPH_FAILED;
  value = AscendString(found->second.data(), found->second.size());
  return GRAPH_SUCCESS;
}

StreamPassContext::StreamPassContext(int64_t current_max_stream_id)
    : stream_impl_(std::make_shared<StreamPassContextImpl>()) {
  stream_impl_->max = current_max_stream_id;
}
StreamPassContext::~StreamPassContext() = default;

graphStatus StreamPassContext::SetStreamId(const GNode& node, int64_t stream_id) {
  if (stream_impl_->graph == nullptr) return GRAPH_FAILED;
  atc::Node* target = Access::Get(node, *stream_impl_->graph);
  AscendString name;
  node.GetName(name);
  const auto refuse = [&](const std::string& why) {
    Access::SessionOf(*this)->fault =
        "SetStreamId of node '" + std::string(name.GetString()) + "' to " + std::to_string(stream_id) + ": " + why;
    return GRAPH_FAILED;
  };
  if (target == nullptr) return refuse("it is no node of the graph that the pass was given");
  if (stream_id < 0 || stream_id > stream_impl_->max) {
    return refuse("ids go from 0 to " + std::to_string(stream_impl_->max) + "; AllocateNextStreamId gives another one");
  }
  if (atc::EmitsTask(*stream_impl_->graph, *target)) {
    target->stream = static_cast<int32_t>(stream_id);
  } else {
    ++stream_impl_->without_task;
  }
  return GRAPH_SUCCESS;
}

int64_t StreamPassContext::GetStreamId(const GNode& node) const {
  const atc::Node* target = Access::Get(node);
  return target == nullptr || target->stream < 0 ? INVALID_STREAM_ID : target->stream;
}

int64_t StreamPassContext::AllocateNextStreamId() { return ++stream_impl_->max; }
int64_t StreamPassContext::GetCurrMaxStreamId() const { return stream_impl_->max; }

void Access::Bind(CustomPassContext& context, std::shared_ptr<Session> session, const std::string& pass) {
  context.impl_->session = std::move(session);
  context.impl_->pass = AscendString(pass.data(), pass.size());
}

const std::shared_ptr<Session>& Access::SessionOf(const CustomPassContext& context) { return context.impl_->session; }

void Access::Bind(StreamPassContext& context, const atc::Graph& graph) { context.stream_impl_->graph = &graph; }

int64_t Access::WithoutTask(const StreamPassContext& context) { return context.stream_impl_->without_task; }

}  // namespace ge
