#include "compiler/plan/buffers.h"

#include <algorithm>

#include "compiler/plan/in_place.h"

namespace atc {
namespace {

constexpr size_t kNoBuffer = SIZE_MAX;

int64_t AlignUp(int64_t bytes) { return (bytes + kBlockAlign - 1) / kBlockAlign * kBlockAlign; }

bool KeepsToItself(const Node& node, const NoReuse& no_reuse) {
  if (node.attrs.Get<bool>(kNoReuseFlag, false)) return true;
  const std::string type = node.type().str();
  return std::any_of(no_reuse.begin(), no_reuse.end(), [&](const std::string& wanted) {
    if (wanted == node.name || wanted == type) return true;
    return type.size() == wanted.size() + 2 && type.starts_with(wanted) && type[wanted.size()] == 'V' &&
           type.back() >= '1' && type.back() <= '4';
  });
}

// Who reads the bytes that a task has written, through nodes that alias them.
struct Readers {
  std::vector<NodeId> tasks;
  bool leaves = false;  // the model reads them, or a node that is no task
};

Readers FindReaders(const Graph& graph, ValueId written) {
  Readers readers;
  std::vector<ValueId> open = {written};
  while (!open.empty()) {
    const ValueId value = open.back();
    open.pop_back();
    for (const Use& use : graph.value(value).uses) {
      const Node& user = graph.node(use.node);
      if (user.Is(kShapeOnly) && use.input == 0) {
        open.insert(open.end(), user.outputs.begin(), user.outputs.end());
      } else if (user.stream < 0) {
        readers.leaves = true;
      } else {
        readers.tasks.push_back(use.node);
      }
    }
  }
  return readers;
}

class Collector {
 public:
  Collector(Graph& graph, const std::vector<NodeId>& launch_order, const NoReuse& no_reuse, const HappensBefore* before)
      : graph_(graph),
        launch_order_(launch_order),
        no_reuse_(no_reuse),
        before_(before),
        buffer_of_(graph.value_capacity(), kNoBuffer) {}

  std::vector<PlannedBuffer> Run() {
    for (const NodeId id : launch_order_) {
      const Node& node = graph_.node(id);
      if (node.type() == "Const") continue;
      if (node.type() == "NetOutput") {
        Leave(node);
      } else if (node.Is(kShapeOnly) && !node.inputs.empty() && BufferOf(node.inputs[0]) != kNoBuffer) {
        for (const ValueId output : node.outputs) Share(output, BufferOf(node.inputs[0]));
      } else {
        Write(node);
      }
    }
    return std::move(buffers_);
  }

 private:
  size_t BufferOf(ValueId value) const { return value == kNoId ? kNoBuffer : buffer_of_[value]; }

  void Leave(const Node& net_output) {
    for (const ValueId input : net_output.inputs) {
      if (BufferOf(input) == kNoBuffer) continue;
      PlannedBuffer& buffer = buffers_[BufferOf(input)];
      if (buffer.kind == PlannedBuffer::kFeature) buffer.kind = PlannedBuffer::kOutput;
    }
  }

  void Share(ValueId output, size_t shared) {
    buffer_of_[output] = shared;
    buffers_[shared].values.push_back(output);
    graph_.value(output).size = PaddedTensorBytes(graph_.desc(output));
    buffers_[shared].size = std::max(buffers_[shared].size, AlignUp(graph_.value(output).size));
  }

  void Write(const Node& node) {
    for (const ValueId input : node.inputs) {
      if (BufferOf(input) != kNoBuffer) buffers_[BufferOf(input)].users.push_back(node.id);
    }
    const bool shares = !KeepsToItself(node, no_reuse_);
    if (const size_t over = shares ? OverInput(node) : kNoBuffer; over != kNoBuffer) {
      Share(node.outputs[0], over);
      buffers_[over].in_place += AlignUp(graph_.value(node.outputs[0]).size);
      NoteReaders(over, node.outputs[0]);
      return;
    }
    for (const ValueId output : node.outputs) {
      Value& value = graph_.value(output);
      value.size = PaddedTensorBytes(value.desc);
      PlannedBuffer buffer;
      buffer.kind = node.type() == "Data" ? PlannedBuffer::kInput : PlannedBuffer::kFeature;
      buffer.values = {output};
      buffer.size = AlignUp(value.size);
      buffer.writer = node.id;
      buffer.users = {node.id};
      buffer.shares = shares;
      buffer_of_[output] = buffers_.size();
      buffers_.push_back(std::move(buffer));
      NoteReaders(buffers_.size() - 1, output);
    }
  }

  // Of all readers of what was written to the buffer just now, the last one may overwrite it.
  void NoteReaders(size_t buffer, ValueId written) {
    if (before_ == nullptr) return;
    written_.resize(buffers_.size(), kNoId);
    overwriter_.resize(buffers_.size(), kNoId);
    written_[buffer] = written;
    overwriter_[buffer] = kNoId;
    if (buffers_[buffer].kind != PlannedBuffer::kFeature || !buffers_[buffer].shares) return;
    const Readers readers = FindReaders(graph_, written);
    if (readers.leaves || readers.tasks.empty()) return;
    overwriter_[buffer] = *std::max_element(readers.tasks.begin(), readers.tasks.end(), [&](NodeId a, NodeId b) {
      return before_->Launch(a) < before_->Launch(b);
    });
  }

  // The buffer of an input that the node may write its output over.
  size_t OverInput(const Node& node) const {
    if (before_ == nullptr || node.stream < 0 || node.outputs.size() != 1) return kNoBuffer;
    for (const ValueId input : node.inputs) {
      const size_t buffer = BufferOf(input);
      if (buffer == kNoBuffer || overwriter_[buffer] != node.id) continue;
      bool fits = true;
      for (size_t i = 0; i < node.inputs.size() && fits; ++i) {
        fits = BufferOf(node.inputs[i]) != buffer || MayOverwrite(graph_, node, i);
      }
      if (!fits) continue;
      const Readers readers = FindReaders(graph_, written_[buffer]);
      const bool over = std::all_of(readers.tasks.begin(), readers.tasks.end(), [&](NodeId reader) {
        return reader == node.id || before_->Before(reader, node.id);
      });
      if (over && !FindReaders(graph_, node.outputs[0]).leaves) return buffer;
    }
    return kNoBuffer;
  }

  Graph& graph_;
  const std::vector<NodeId>& launch_order_;
  const NoReuse& no_reuse_;
  const HappensBefore* before_;
  std::vector<PlannedBuffer> buffers_;
  std::vector<size_t> buffer_of_;    // by value
  std::vector<ValueId> written_;     // by buffer: what was written last
  std::vector<NodeId> overwriter_;   // by buffer: kNoId where nobody may
};

}  // namespace

int64_t PaddedTensorBytes(const TensorDesc& desc) {
  const auto bytes = static_cast<int64_t>(DataTypeBytes(desc.dtype, desc.shape.NumElements()));
  return (bytes + 63) / 32 * 32;
}

std::vector<PlannedBuffer> CollectBuffers(Graph& graph, const std::vector<NodeId>& launch_order,
                                          const NoReuse& no_reuse, const HappensBefore* before) {
  return Collector(graph, launch_order, no_reuse, before).Run();
}

}  // namespace atc
