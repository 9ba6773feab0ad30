#include "compiler/plan/buffers.h"

#include <algorithm>

#include "compiler/plan/in_place.h"
#include "compiler/plan/parts.h"

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

int64_t StorageBytes(const TensorDesc& desc) {
  return static_cast<int64_t>(DataTypeBytes(desc.dtype, desc.shape.NumElements()));
}

// Values that lie in each other, with the distances between where they begin.
class Symbols {
 public:
  explicit Symbols(const Graph& graph, const std::vector<NodeId>& launch_order) : lies_in_(graph.value_capacity()) {
    for (ValueId value = 0; value < lies_in_.size(); ++value) lies_in_[value] = {value, 0};
    for (const NodeId id : launch_order) {
      const Node& node = graph.node(id);
      if (AliasesInput(graph, node)) {
        for (const ValueId output : node.outputs) Unite(output, node.inputs[0], 0);
      } else if (const std::optional<Parts> parts = MarkedParts(graph, node)) {
        for (size_t i = 0; i < parts->values.size(); ++i) Unite(parts->values[i], parts->whole, parts->at[i]);
      }
    }
  }

  // The value that stands for the symbol, and where the given one begins, from there.
  PlannedBuffer::Held Find(ValueId value) {
    PlannedBuffer::Held found{value, 0};
    while (lies_in_[found.value].value != found.value) {
      found.at += lies_in_[found.value].at;
      found.value = lies_in_[found.value].value;
    }
    for (int64_t at = found.at; lies_in_[value].value != found.value && value != found.value;) {
      const PlannedBuffer::Held next = lies_in_[value];
      lies_in_[value] = {found.value, at};
      at -= next.at;
      value = next.value;
    }
    return found;
  }

 private:
  void Unite(ValueId part, ValueId whole, int64_t at) {
    const PlannedBuffer::Held a = Find(part);
    const PlannedBuffer::Held b = Find(whole);
    if (a.value != b.value) lies_in_[a.value] = {b.value, b.at + at - a.at};
  }

  std::vector<PlannedBuffer::Held> lies_in_;
};

// What is known of the values of one symbol.
struct Symbol {
  std::vector<PlannedBuffer::Held> values;
  std::vector<NodeId> writers;
  std::vector<NodeId> readers;  // tasks
  int64_t bytes = 0;            // without padding
  int64_t size = 0;
  size_t buffer = kNoBuffer;
  bool in_parts = false;
  bool input = false;   // the caller writes it
  bool output = false;  // the caller reads it
  bool kept = false;    // read by what is no task, so that nobody knows for how long
  bool shares = true;
};

class Collector {
 public:
  Collector(Graph& graph, const std::vector<NodeId>& launch_order, const NoReuse& no_reuse, const HappensBefore* before)
      : graph_(graph), launch_order_(launch_order), no_reuse_(no_reuse), before_(before), of_(graph.value_capacity(), kNoSymbol),
        at_(graph.value_capacity(), 0) {}

  std::vector<PlannedBuffer> Run() {
    FindSymbols();
    for (const NodeId id : launch_order_) FindUsers(graph_.node(id));
    for (const NodeId id : launch_order_) {
      const Node& node = graph_.node(id);
      if (IsWriter(node)) Write(node);
    }
    return std::move(buffers_);
  }

 private:
  static constexpr uint32_t kNoSymbol = UINT32_MAX;

  bool IsView(const Node& node) const {
    return AliasesInput(graph_, node) || MarkedParts(graph_, node).has_value();
  }
  bool IsWriter(const Node& node) const {
    return node.type() != "Const" && node.type() != "NetOutput" && !IsView(node);
  }
  Symbol* SymbolOf(ValueId value) {
    return value == kNoId || of_[value] == kNoSymbol ? nullptr : &symbols_[of_[value]];
  }

  void FindSymbols() {
    Symbols found(graph_, launch_order_);
    std::vector<uint32_t> number(graph_.value_capacity(), kNoSymbol);
    for (const NodeId id : launch_order_) {
      if (graph_.node(id).type() == "Const") continue;
      for (const ValueId value : graph_.node(id).outputs) {
        const PlannedBuffer::Held held = found.Find(value);
        if (number[held.value] == kNoSymbol) {
          number[held.value] = static_cast<uint32_t>(symbols_.size());
          symbols_.emplace_back();
        }
        of_[value] = number[held.value];
        symbols_[of_[value]].values.push_back({value, held.at});
      }
    }
    for (Symbol& symbol : symbols_) {
      int64_t begin = INT64_MAX;
      for (const auto& [value, at] : symbol.values) begin = std::min(begin, at);
      for (auto& [value, at] : symbol.values) {
        at_[value] = at -= begin;
        symbol.in_parts |= at != 0;
        symbol.bytes = std::max(symbol.bytes, at + StorageBytes(graph_.desc(value)));
      }
      // A part has no room for padding: the next one begins where it ends.
      for (const auto& [value, at] : symbol.values) {
        const int64_t bytes = StorageBytes(graph_.desc(value));
        const bool whole = at == 0 && (!symbol.in_parts || bytes == symbol.bytes);
        graph_.value(value).size = whole ? PaddedTensorBytes(graph_.desc(value)) : bytes;
        symbol.size = std::max(symbol.size, AlignUp(at + graph_.value(value).size));
      }
    }
  }

  void FindUsers(const Node& node) {
    if (node.type() == "Const" || IsView(node)) return;
    for (const ValueId input : node.inputs) {
      Symbol* symbol = SymbolOf(input);
      if (symbol == nullptr) continue;
      if (node.type() == "NetOutput") {
        symbol->output = true;
      } else if (node.stream < 0) {
        symbol->kept = true;
      } else {
        symbol->readers.push_back(node.id);
      }
    }
    if (node.type() == "NetOutput") return;
    const bool shares = !KeepsToItself(node, no_reuse_);
    for (const ValueId output : node.outputs) {
      Symbol& symbol = *SymbolOf(output);
      if (symbol.writers.empty() || symbol.writers.back() != node.id) symbol.writers.push_back(node.id);
      symbol.input |= node.type() == "Data";
      symbol.shares &= shares;
    }
  }

  void Write(const Node& node) {
    if (const size_t over = OverInput(node); over != kNoBuffer) {
      Symbol& symbol = *SymbolOf(node.outputs[0]);
      buffers_[over].in_place += symbol.size;
      Put(symbol, over);
    }
    for (const ValueId output : node.outputs) {
      Symbol& symbol = *SymbolOf(output);
      if (symbol.buffer != kNoBuffer) continue;
      PlannedBuffer& buffer = buffers_.emplace_back();
      buffer.kind = symbol.input    ? PlannedBuffer::kInput
                    : symbol.output ? PlannedBuffer::kOutput
                                    : PlannedBuffer::kFeature;
      buffer.writers = symbol.writers;
      buffer.shares = symbol.shares;
      Put(symbol, buffers_.size() - 1);
    }
    for (size_t i = 0; i < node.workspace_bytes.size(); ++i) {
      PlannedBuffer& buffer = buffers_.emplace_back();
      buffer.workspace_of = node.id;
      buffer.workspace = i;
      buffer.size = AlignUp(std::max<int64_t>(node.workspace_bytes[i], 1));
      buffer.writers = buffer.users = {node.id};
      buffer.shares = !KeepsToItself(node, no_reuse_);
    }
  }

  void Put(Symbol& symbol, size_t at) {
    PlannedBuffer& buffer = buffers_[at];
    symbol.buffer = at;
    buffer.size = std::max(buffer.size, symbol.size);
    buffer.values.insert(buffer.values.end(), symbol.values.begin(), symbol.values.end());
    buffer.users.insert(buffer.users.end(), symbol.writers.begin(), symbol.writers.end());
    buffer.users.insert(buffer.users.end(), symbol.readers.begin(), symbol.readers.end());
    holds_.resize(buffers_.size(), nullptr);
    holds_[at] = &symbol;
  }

  // The buffer of an input that the node may write its output over.
  size_t OverInput(const Node& node) {
    if (before_ == nullptr || node.stream < 0 || node.outputs.size() != 1) return kNoBuffer;
    const Symbol& written = *SymbolOf(node.outputs[0]);
    if (written.in_parts || written.output || written.kept || !written.shares) return kNoBuffer;
    for (const ValueId input : node.inputs) {
      const Symbol* symbol = SymbolOf(input);
      if (symbol != nullptr && MayWriteOver(node, *symbol)) return symbol->buffer;
    }
    return kNoBuffer;
  }

  bool MayWriteOver(const Node& node, const Symbol& symbol) {
    const size_t buffer = symbol.buffer;
    if (buffer == kNoBuffer || holds_[buffer] != &symbol || symbol.output || symbol.input || symbol.kept || !symbol.shares ||
        buffers_[buffer].kind != PlannedBuffer::kFeature) {
      return false;
    }
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Symbol* other = SymbolOf(node.inputs[i]);
      if (other == nullptr || other->buffer != buffer) continue;
      const bool whole = at_[node.inputs[i]] == 0 && StorageBytes(graph_.desc(node.inputs[i])) == symbol.bytes;
      if (!whole || !MayOverwrite(graph_, node, i)) return false;
    }
    // Tasks are launched after what they wait for, so the last reader is the only one that can come after all others.
    return std::all_of(symbol.readers.rbegin(), symbol.readers.rend(), [&](NodeId reader) {
      return reader == node.id || before_->Before(reader, node.id);
    });
  }

  Graph& graph_;
  const std::vector<NodeId>& launch_order_;
  const NoReuse& no_reuse_;
  const HappensBefore* before_;
  std::vector<uint32_t> of_;          // by value: its symbol
  std::vector<int64_t> at_;           // by value: where it begins in its symbol
  std::vector<Symbol> symbols_;
  std::vector<PlannedBuffer> buffers_;
  std::vector<const Symbol*> holds_;  // by buffer: what was written last
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
