// A TensorFlow graph or function body with its names resolved: nodes, the outputs that they take, control edges, and the
// bodies of structured control flow. Everything between the file and the Graph works on this form.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/tensorflow/types.h"

namespace openatc::tensorflow {
class AttrValue;
class FunctionDef;
class GraphDef;
class NodeDef;
}  // namespace openatc::tensorflow

namespace atc::tf_parser {

inline constexpr uint32_t kNoNode = UINT32_MAX;

// Output `output` of node `node`.
struct Port {
  uint32_t node = kNoNode;
  uint32_t output = 0;
  auto operator<=>(const Port&) const = default;
};

struct SourceGraph;

struct SourceNode {
  std::string name;
  std::string op;
  std::vector<Port> inputs;
  std::vector<uint32_t> controls;               // nodes that run before it
  const proto::NodeDef* def = nullptr;          // attributes; null where there are none
  std::shared_ptr<const proto::NodeDef> made;   // `def` of a node that a rewrite made
  int64_t number = 0;                           // of an argument: its position
  // Of structured control flow made from the old form. While: condition, body; If: then, else; Case: its branches.
  std::vector<std::shared_ptr<SourceGraph>> bodies;
};

// Operators of nodes that no file holds: an argument of a body, and structured control flow made from the old form.
inline constexpr std::string_view kArgument = "_Arg";

struct SourceGraph {
  std::string name;
  std::vector<SourceNode> nodes;
  std::vector<uint32_t> arguments;  // nodes of op kArgument, in order
  std::vector<Port> results;
  std::shared_ptr<const void> owner;  // keeps the NodeDefs alive

  uint32_t Find(std::string_view node_name) const;  // kNoNode when there is none
  // Nodes that the results depend on (control edges apart), in an order in which every node follows its inputs; the
  // order of the file is kept where it can be. E13014 when there is a cycle.
  std::vector<uint32_t> OrderFor(const std::vector<Port>& roots) const;
};

// The main graph. Errors: E12009 an input that no node gives, E13009 two nodes of one name.
SourceGraph ReadGraph(const proto::GraphDef& graph);

// The functions of a model, by name.
using FunctionLibrary = std::map<std::string, const proto::FunctionDef*>;

// A function body for a call with `attrs`, which stand for the function's own attribute names.
SourceGraph ReadFunction(const proto::FunctionDef& function, const std::map<std::string, const proto::AttrValue*>& attrs,
                         const FunctionLibrary& library);
// The same where attributes of the call do not matter: any value stands for them.
SourceGraph ReadFunctionForAnyCall(const proto::FunctionDef& function, const FunctionLibrary& library);

// "^name", "name" or "name:2": the node, its output, and whether it is a control edge. In functions outputs have names,
// "name:y:0", which `output_name` takes.
struct InputText {
  std::string node;
  std::string output_name;
  uint32_t output = 0;
  bool control = false;
};
InputText ParseInput(std::string_view text);

// The number of the first output that `output_name` stands for, among all outputs of a node, which may be a list each; 0
// for operators that have one output or list. Needed to read functions, which name outputs.
uint32_t OutputOffset(const proto::NodeDef& node, std::string_view output_name, const FunctionLibrary& library);

}  // namespace atc::tf_parser
