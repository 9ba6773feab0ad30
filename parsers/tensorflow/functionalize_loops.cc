// Loops: in each frame, a value that is carried along enters, meets its next value in a Merge, goes through a Switch by
// LoopCond, and leaves through an Exit or comes back through a NextIteration. A frame becomes one While.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/ir/error.h"
#include "parsers/tensorflow/functionalize.h"
#include "parsers/tensorflow/graph_def.pb.h"

namespace atc::tf_parser {
namespace {

bool IsOp(const SourceNode& node, std::string_view op) {
  return node.op == op || (node.op.starts_with("Ref") && std::string_view(node.op).substr(3) == op);
}

[[noreturn]] void Fail(const SourceNode& node, const std::string& reason) {
  throw Error("E13014",
              {{"value", "in a loop"}, {"parameter", "A " + node.op}, {"opname", node.name}, {"reason", reason}},
              "Export the model with control flow of version 2, or the whole loop.");
}

struct Frame {
  std::string parent;
  int depth = 1;
};

class Loops {
 public:
  explicit Loops(SourceGraph& graph) : graph_(graph) {}

  void Run() {
    FindFrames();
    std::vector<std::string> order;
    for (const auto& [name, frame] : frames_) order.push_back(name);
    std::stable_sort(order.begin(), order.end(), [&](const std::string& a, const std::string& b) {
      return frames_.at(a).depth > frames_.at(b).depth;
    });
    for (const std::string& frame : order) Convert(frame);
  }

 private:
  // Which frame a node runs in, "" being none; found forwards from the Enters, around each loop until nothing changes.
  void FindFrames() {
    frame_of_.assign(graph_.nodes.size(), "");
    std::vector<std::vector<uint32_t>> users(graph_.nodes.size());
    std::vector<uint32_t> work;
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      for (const Port& input : graph_.nodes[i].inputs) users[input.node].push_back(i);
      for (const uint32_t control : graph_.nodes[i].controls) users[control].push_back(i);
      if (IsOp(graph_.nodes[i], "Enter")) work.push_back(i);
    }
    while (!work.empty()) {
      const uint32_t node = work.back();
      work.pop_back();
      std::string frame = FrameFromInputs(node);
      if (frame == frame_of_[node]) continue;
      frame_of_[node] = std::move(frame);
      for (const uint32_t user : users[node]) work.push_back(user);
    }
  }

  std::string FrameFromInputs(uint32_t number) {
    const SourceNode& node = graph_.nodes[number];
    std::string deepest;
    const auto consider = [&](uint32_t from) {
      if (Depth(frame_of_[from]) > Depth(deepest)) deepest = frame_of_[from];
    };
    for (const Port& input : node.inputs) consider(input.node);
    for (const uint32_t control : node.controls) consider(control);  // so run constants of a body in its frame
    if (IsOp(node, "Exit")) return deepest.empty() ? "" : frames_.at(deepest).parent;
    if (!IsOp(node, "Enter")) return deepest;
    const std::string name = node.def ? node.def->attr().at("frame_name").s() : "";
    if (name.empty() || name == deepest) Fail(node, "It names no frame of its own.");
    Frame& frame = frames_[name];
    if (Depth(deepest) + 1 > frame.depth || frame.parent.empty()) frame = {deepest, Depth(deepest) + 1};
    if (frame.depth > 100) Fail(node, "Its frames are nested more than 100 deep, or in each other.");
    return name;
  }

  int Depth(const std::string& frame) const { return frame.empty() ? 0 : frames_.at(frame).depth; }

  struct Carried {
    uint32_t enter, merge, next;
    uint32_t go = kNoNode;  // its Switch
  };

  void Convert(const std::string& frame) {
    uint32_t condition = kNoNode;
    std::vector<Carried> values;
    const auto count = static_cast<uint32_t>(graph_.nodes.size());
    for (uint32_t i = 0; i < count; ++i) {
      if (frame_of_[i] != frame) continue;
      const SourceNode& node = graph_.nodes[i];
      if (node.op == "LoopCond") condition = i;
      if (!IsOp(node, "Merge") || node.inputs.size() != 2) continue;
      uint32_t enter = node.inputs[0].node, next = node.inputs[1].node;
      if (IsOp(graph_.nodes[enter], "NextIteration")) std::swap(enter, next);
      if (IsOp(graph_.nodes[next], "NextIteration")) values.push_back({enter, i, next});
    }
    if (condition == kNoNode) {
      for (uint32_t i = 0; i < count; ++i) {
        if (frame_of_[i] == frame) Fail(graph_.nodes[i], "The frame '" + frame + "' has no LoopCond.");
      }
      return;
    }
    std::map<Port, size_t> fixed;
    for (size_t v = 0; v < values.size(); ++v) {
      Carried& value = values[v];
      if (!IsOp(graph_.nodes[value.enter], "Enter")) {
        Fail(graph_.nodes[value.merge], "Its value does not come from an Enter.");
      }
      fixed[{value.merge, 0}] = v;
      for (uint32_t i = 0; i < count; ++i) {
        const SourceNode& node = graph_.nodes[i];
        if (!IsOp(node, "Switch") || node.inputs.size() < 2 || node.inputs[0].node != value.merge) continue;
        if (node.inputs[1].node != condition) continue;
        value.go = i;
        fixed[{i, 1}] = v;
      }
    }
    Extraction extraction(
        graph_, [&](uint32_t node) { return frame_of_[node] == frame && !IsOp(graph_.nodes[node], "Enter"); }, fixed,
        values.size());
    const std::shared_ptr<SourceGraph> test = extraction.Take("cond", {graph_.nodes[condition].inputs[0]});
    std::vector<Port> next;
    for (const Carried& value : values) next.push_back(graph_.nodes[value.next].inputs[0]);
    const std::shared_ptr<SourceGraph> body = extraction.Take("body", next);
    extraction.Finish();
    // What does not change is handed on.
    for (size_t i = values.size(); i < body->arguments.size(); ++i) body->results.push_back({body->arguments[i], 0});
    FunctionalizeConditions(*test);
    FunctionalizeConditions(*body);

    SourceNode loop;
    loop.op = "While";
    loop.name = NameOf(graph_.nodes[condition].name);
    loop.bodies = {test, body};
    for (const Carried& value : values) loop.inputs.push_back(graph_.nodes[value.enter].inputs[0]);
    for (Port port : extraction.captured()) {
      if (IsOp(graph_.nodes[port.node], "Enter")) port = graph_.nodes[port.node].inputs[0];
      loop.inputs.push_back(port);
    }
    const auto number = static_cast<uint32_t>(graph_.nodes.size());
    std::map<Port, Port> replacements;
    for (uint32_t i = 0; i < count; ++i) {
      const SourceNode& node = graph_.nodes[i];
      if (!IsOp(node, "Exit") || node.inputs.empty()) continue;
      for (size_t v = 0; v < values.size(); ++v) {
        if (node.inputs[0] == Port{values[v].go, 0}) replacements[{i, 0}] = {number, static_cast<uint32_t>(v)};
      }
    }
    graph_.nodes.push_back(std::move(loop));
    frame_of_.push_back(frames_.at(frame).parent);
    ReplacePorts(graph_, replacements);
    Retire(frame, number);
  }

  // What ran in the frame stands for nothing any more: its edges lead in circles. Who waits for it waits for the loop.
  void Retire(const std::string& frame, uint32_t loop) {
    std::vector<bool> retired(graph_.nodes.size(), false);
    for (uint32_t i = 0; i < loop; ++i) {
      const SourceNode& node = graph_.nodes[i];
      const bool leaves = IsOp(node, "Exit") && !node.inputs.empty() && frame_of_[node.inputs[0].node] == frame;
      retired[i] = frame_of_[i] == frame || leaves;
    }
    for (const Port& result : graph_.results) {
      if (retired[result.node]) Fail(graph_.nodes[result.node], "It runs in a loop; only what leaves the loop is a result.");
    }
    for (uint32_t i = 0; i < loop; ++i) {
      SourceNode& node = graph_.nodes[i];
      if (retired[i]) {
        node.inputs.clear();
        node.controls.clear();
      }
      for (uint32_t& control : node.controls) control = retired[control] ? loop : control;
    }
  }

  // "map/while/LoopCond" is of the loop "map/while".
  std::string NameOf(const std::string& condition) const {
    const size_t slash = condition.rfind('/');
    std::string name = slash == std::string::npos ? "while" : condition.substr(0, slash);
    while (graph_.Find(name) != kNoNode) name += "_loop";
    return name;
  }

  SourceGraph& graph_;
  std::map<std::string, Frame> frames_;
  std::vector<std::string> frame_of_;
};

}  // namespace

void FunctionalizeLoops(SourceGraph& graph) { Loops(graph).Run(); }

}  // namespace atc::tf_parser
