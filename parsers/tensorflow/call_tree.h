// The graph of a model with the bodies of the functions that it calls, for looking for what sets resources (variables,
// tables): handles reach such functions as arguments.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "parsers/tensorflow/graph_builder.h"

namespace atc::tf_parser {

// A graph, or the body of a function where it is called.
struct CallSite {
  const SourceGraph* graph = nullptr;
  const CallSite* caller = nullptr;
  const SourceNode* call = nullptr;  // in the caller's graph
};

struct Origin {
  const CallSite* site = nullptr;
  const SourceNode* node = nullptr;  // null: unknown
  uint32_t output = 0;
};

// Where a value comes from: through nodes that pass it on, arguments of functions, and variables that are set once.
Origin TraceOrigin(const CallSite& site, Port port);

// Calls visit(site, node) for the nodes of `graph` and of all functions called, as far down as one holds an operator of
// `wanted`.
void ForEachCalled(const ModelState& model, const SourceGraph& graph, const std::set<std::string>& wanted,
                   const std::function<void(const CallSite&, const SourceNode&)>& visit);

// The name of the resource that a VarHandleOp, VariableV2 or HashTableV2 stands for.
std::string ResourceName(const SourceNode& node);

// The value of a Const node; undefined for other nodes.
Tensor ConstantOf(const ModelState& model, const SourceNode& node);

}  // namespace atc::tf_parser
