// Streams of a model whose operators run as shapes come to be known (ENABLE_DYNAMIC_SHAPE_MULTI_STREAM=1). In order:
//   each engine has a stream of its own; stream 0 is that of the first engine that neither attaches nor is skipped,
//   independent engines have theirs by label, and AI CPU engines one where they run in parallel (ac_parallel_enable),
//   what attaches reuses the stream of a predecessor, the last one in launch order,
//   what remains without anybody to follow is on stream 0,
//   a label moves its nodes to a stream of its own, wherever they were.
// Nodes that own graphs stay on stream 0, whose tasks the host drives. An automatic mode then spreads the others over N
// streams, of which stream 0 is one.
#include <string_view>

#include "compiler/ir/stream_label.h"
#include "compiler/streams/stream_passes.h"

namespace atc {
namespace {

bool IsAiCpu(const Engine& engine) { return std::string_view(engine.name).starts_with("DNN_VM_AICPU"); }

class Dynamic {
 public:
  explicit Dynamic(StreamContext& context) : context_(context) {
    if (context_.next_stream == 0) context_.next_stream = 1;  // stream 0
  }

  void Place(Node& node) {
    const Engine& engine = context_.engines.Of(node);
    const std::string label = StreamLabelOf(node);
    if (!node.subgraphs.empty()) return context_.Set(node, 0, "DynamicStreams: owns graphs");
    if (!label.empty()) return Take(node, &context_.shared.of_label, label, "DynamicStreams: label " + label);
    if (engine.independent) return Own(node, engine, "DynamicStreams: independent " + engine.name);
    if (IsAiCpu(engine) && context_.options.parallel_ai_cpu) {
      return Own(node, engine, "DynamicStreams: AI CPU in parallel");
    }
    if (engine.attach || engine.skip) {
      const auto before = context_.tasks.Before(node.id);
      if (before.empty()) return context_.Set(node, 0, "DynamicStreams: follows nobody");
      const Node& last = context_.graph.node(before.back());
      return context_.Set(node, last.stream, "DynamicStreams: follows " + last.name);
    }
    if (main_ == nullptr) main_ = &engine;
    if (&engine == main_) return context_.Set(node, 0, "DynamicStreams: " + engine.name);
    Own(node, engine, "DynamicStreams: " + engine.name);
  }

 private:
  template <typename Key>
  void Take(Node& node, std::map<Key, int32_t>* streams, const Key& key, const std::string& rule) {
    const auto [it, added] = streams->try_emplace(key, context_.next_stream);
    context_.next_stream += added;
    context_.Set(node, it->second, rule);
  }

  void Own(Node& node, const Engine& engine, const std::string& rule) {
    Take(node, &context_.shared.of_independent, {engine.name, ""}, rule);
  }

  StreamContext& context_;
  const Engine* main_ = nullptr;
};

}  // namespace

void DynamicStreams(StreamContext& context) {
  Dynamic dynamic(context);
  context.ForEachTask([&](Node& node) { dynamic.Place(node); });
}

}  // namespace atc
