#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/dump/forms.h"
#include "compiler/io/utf8.h"
#include "compiler/ir/port_names.h"

namespace atc {
namespace {

constexpr int64_t kWhole = 6;  // constants of more elements show their first and last few
constexpr int64_t kEnds = 3;
constexpr size_t kLongestText = 256;

// Cut before a character that would go beyond the longest text.
std::string Quoted(std::string_view text) {
  const bool cut = text.size() > kLongestText;
  size_t end = std::min(text.size(), kLongestText);
  const auto inside = [&](size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; };
  while (cut && kLongestText - end < 3 && inside(end)) --end;
  std::string out = "\"";
  std::string_view rest = text.substr(0, end);
  while (!rest.empty()) {
    const size_t special = std::min(rest.find_first_of("\"\\"), rest.size());
    out += OneLine(rest.substr(0, special));
    if (special < rest.size()) out += {'\\', rest[special]};
    rest.remove_prefix(std::min(special + 1, rest.size()));
  }
  return out + (cut ? "...\"" : "\"");
}

template <typename T>
std::vector<std::string> Shown(const Tensor& tensor, auto&& show) {
  std::vector<std::string> texts;
  for (const T& element : tensor.Span<T>()) texts.push_back(show(element));
  return texts;
}

// Each element as text; integers and floats with all their digits.
std::vector<std::string> Elements(const Tensor& tensor) {
  const auto number = [](auto value) { return fmt::format("{}", value); };
  switch (tensor.dtype()) {
    case DT_STRING: return Shown<std::string>(tensor, Quoted);
    case DT_VARIANT: return Shown<Tensor>(tensor, [](const Tensor& item) { return ToString(item.shape()); });
    case DT_INT64: return Shown<int64_t>(tensor, number);
    case DT_UINT64: return Shown<uint64_t>(tensor, number);
    case DT_FLOAT: return Shown<float>(tensor, number);
    case DT_BOOL: return Shown<bool>(tensor, number);
    default: break;
  }
  if (!IsFloating(tensor.dtype()) && !IsInteger(tensor.dtype())) {
    return std::vector<std::string>(static_cast<size_t>(tensor.NumElements()), "?");
  }
  std::vector<std::string> texts;
  for (const double value : ToDoubles(tensor)) texts.push_back(number(value));
  return texts;
}

// Some elements of a tensor whose elements are whole bytes.
Tensor Window(const Tensor& tensor, int64_t from, int64_t count) {
  const size_t bytes = static_cast<size_t>(DataTypeBits(tensor.dtype())) / 8;
  const Buffer& all = tensor.buffer();
  return Tensor(tensor.dtype(), {count}, {all.owner, all.data + bytes * from, bytes * count});
}

std::string ShowTensor(const Tensor& maybe_deferred) {
  const Tensor tensor = maybe_deferred.Materialized();
  if (!tensor.defined()) return "none";
  const int64_t count = tensor.NumElements();
  if (count <= kWhole) return fmt::format("[{}]", fmt::join(Elements(tensor), ", "));
  if (DataTypeBits(tensor.dtype()) % 8 != 0) return fmt::format("[{} packed elements]", count);
  return fmt::format("[{} ... {}]", fmt::join(Elements(Window(tensor, 0, kEnds)), ", "),
                     fmt::join(Elements(Window(tensor, count - kEnds, kEnds)), ", "));
}

std::string ShowAttr(const AttrValue& value) {
  if (const auto* tensor = std::get_if<Tensor>(&value)) return ShowTensor(*tensor);
  if (const auto* text = std::get_if<std::string>(&value)) return Quoted(*text);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    std::string all = "[";
    for (const std::string& text : *texts) all += (all.size() > 1 ? ", " : "") + Quoted(text);
    return all + "]";
  }
  return ToString(value);
}

class GraphPrinter {
 public:
  GraphPrinter(const GraphList& graphs, const ListedGraph& listed, int detail, ByteSink& out)
      : graphs_(graphs), listed_(listed), graph_(*listed.graph), detail_(detail), out_(out) {}

  void Print() {
    out_.Write(fmt::format("graph(\"{}\"):\n", OneLine(listed_.name)));
    for (const NodeId id : listed_.order) taken_.insert(graph_.node(id).name);
    for (const NodeId id : listed_.order) {
      const Node& node = graph_.node(id);
      if (node.type() != "NetOutput") PrintNode(node);
    }
    if (const Node* net_output = graph_.NetOutput()) PrintReturn(*net_output);
  }

 private:
  size_t Users(const Node& node) const {
    size_t users = node.control_out.size();
    for (const ValueId id : node.outputs) users += graph_.value(id).uses.size();
    return users;
  }

  std::string Reference(ValueId id) const {
    const auto it = results_.find(id);
    return "%" + (it != results_.end() ? it->second : OneLine(graph_.producer(id).name));
  }

  void PrintNode(const Node& node) {
    std::string line =
        fmt::format("  %{} : [#users={}] = Node[type={}] (", OneLine(node.name), Users(node), node.type().str());
    std::vector<std::string> groups;
    std::string inputs;
    const std::vector<std::string> ports = InputPortNames(node);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNoId) continue;
      inputs += fmt::format("{}{}={}", inputs.empty() ? "" : ", ", ports[i], Reference(node.inputs[i]));
    }
    if (!inputs.empty()) groups.push_back("inputs = (" + inputs + ")");
    std::string controls;
    for (const NodeId from : node.control_in)
      controls += (controls.empty() ? "%" : ", %") + OneLine(graph_.node(from).name);
    if (!controls.empty()) groups.push_back("control = (" + controls + ")");
    const std::string attrs = Attributes(node);
    if (!attrs.empty()) groups.push_back("attrs = {" + attrs + "}");
    for (size_t i = 0; i < groups.size(); ++i) line += (i == 0 ? "" : ", ") + groups[i];
    out_.Write(line + ")\n");
    if (node.outputs.size() > 1) PrintResults(node);
  }

  std::string Attributes(const Node& node) const {
    std::string text;
    const auto add = [&](std::string_view name, const std::string& value) {
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name, value);
    };
    for (const auto& [name, value] : node.attrs) {
      if (detail_ > 1 && node.type() == "Const" && name == "value") continue;
      add(OneLine(name.str()), ShowAttr(value));
    }
    for (const Subgraph& subgraph : node.subgraphs) add(subgraph.name, OneLine(graphs_.NameOf(*subgraph.graph)));
    if (node.fused) add("fused", OneLine(graphs_.NameOf(*node.fused)));
    return text;
  }

  void PrintResults(const Node& node) {
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      std::string name = "ret";
      while (!taken_.insert(name).second) name = fmt::format("ret_{}", next_++);
      results_.emplace(node.outputs[i], name);
      out_.Write(fmt::format("  %{} : [#users={}] = get_element[node=%{}]({})\n", name,
                             graph_.value(node.outputs[i]).uses.size(), OneLine(node.name), i));
    }
  }

  void PrintReturn(const Node& net_output) {
    std::string text;
    for (size_t i = 0; i < net_output.inputs.size(); ++i) {
      if (net_output.inputs[i] == kNoId) continue;
      const std::string value = Reference(net_output.inputs[i]);
      text += net_output.inputs.size() == 1 ? value : fmt::format("{}output_{}={}", text.empty() ? "" : ", ", i, value);
    }
    out_.Write("  return (" + text + ")\n");
  }

  const GraphList& graphs_;
  const ListedGraph& listed_;
  const Graph& graph_;
  const int detail_;
  ByteSink& out_;
  std::set<std::string, std::less<>> taken_;
  std::unordered_map<ValueId, std::string> results_;  // of nodes with several outputs
  int next_ = 1;
};

}  // namespace

void WriteReadableText(const GraphList& graphs, int detail, ByteSink& out) {
  for (size_t i = 0; i < graphs.all().size(); ++i) {
    if (i > 0) out.Write("\n");
    GraphPrinter(graphs, graphs.all()[i], detail, out).Print();
  }
}

}  // namespace atc
