#include "compiler/precision/mark_precision.h"

#include <set>
#include <string>
#include <vector>

#include "compiler/ir/nearest_names.h"
#include "compiler/ir/user_dtype.h"

namespace atc {
namespace {

using Names = std::set<std::string>;

struct Present {
  Names names;
  Names types;
};

// The entry for a node in lists by name and by type; null where there is none.
template <typename Map>
const typename Map::mapped_type* Entry(const Node& node, const Map& by_name, const Map& by_type) {
  const auto named = by_name.find(node.name);
  if (named != by_name.end()) return &named->second;
  const auto typed = by_type.find(node.type().str());
  return typed == by_type.end() ? nullptr : &typed->second;
}

std::vector<int64_t> Numbers(const std::vector<DataType>& dtypes) { return {dtypes.begin(), dtypes.end()}; }

void Mark(Node& node, const PrecisionOptions& options) {
  if (const std::string* mode = Entry(node, options.mode_by_name, options.mode_by_type)) {
    node.attrs.Set(kOpPrecisionMode, *mode);
  } else if (options.implmode_types.contains(node.type().str()) || options.implmode_types.contains(kEveryType)) {
    node.attrs.Set(kOpPrecisionMode, options.implmode);
  }
  if (const CustomDtypes* custom = Entry(node, options.custom_by_name, options.custom_by_type)) {
    node.attrs.Set(kCustomInputs, Numbers(custom->inputs));
    node.attrs.Set(kCustomOutputs, Numbers(custom->outputs));
  } else if (options.keep_names.contains(node.name) || options.keep_types.contains(node.type().str())) {
    node.attrs.Set(kKeepDtype, int64_t{1});
  }
}

// A type that the user put on the black list stays out of products, which are lowered.
void MarkBlack(Node& node, const PrecisionOptions& options) {
  if (options.black_list.to_add.contains(node.type().str())) node.attrs.Set(kBlackListed, int64_t{1});
}

void Walk(Graph& graph, const PrecisionOptions& options, Present* present) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    Node& node = graph.node(id);
    if (!node.alive) continue;
    for (Subgraph& subgraph : node.subgraphs) Walk(*subgraph.graph, options, present);
    present->names.insert(node.name);
    present->types.insert(node.type().str());
    if (!node.Is(kSource) && node.type() != "NetOutput") {
      Mark(node, options);
      MarkBlack(node, options);
    }
  }
}

void WarnMissing(const char* what, const char* flag, const Names& wanted, const Names& present,
                 Diagnostics* diagnostics) {
  std::string missing;
  std::string meant;
  const std::vector<std::string> candidates(present.begin(), present.end());
  for (const std::string& name : wanted) {
    if (present.contains(name)) continue;
    missing += (missing.empty() ? "'" : ", '") + name + "'";
    if (meant.empty()) meant = DidYouMean(name, candidates);
  }
  if (missing.empty()) return;
  diagnostics->Warn("W10001", {{"parameter", std::string(what) + " " + missing + " of --" + flag},
                               {"reason", "The model has nothing of that name." + (meant.empty() ? "" : " " + meant)}});
}

template <typename Map>
Names Keys(const Map& map) {
  Names keys;
  for (const auto& [key, value] : map) keys.insert(key);
  return keys;
}

Names ListedTypes(const PrecisionOptions& options) {
  Names types;
  for (const MixlistChange* list : {&options.black_list, &options.white_list}) {
    types.insert(list->to_add.begin(), list->to_add.end());
    types.insert(list->to_remove.begin(), list->to_remove.end());
  }
  return types;
}

}  // namespace

void MarkPrecision(Graph& graph, const PrecisionOptions& options, Diagnostics* diagnostics) {
  Present present;
  Walk(graph, options, &present);
  const auto warn = [&](const char* flag, const Names& names, const Names& types) {
    WarnMissing("the nodes", flag, names, present.names, diagnostics);
    WarnMissing("the operator types", flag, types, present.types, diagnostics);
  };
  warn("op_precision_mode", Keys(options.mode_by_name), Keys(options.mode_by_type));
  Names implmode_types = options.implmode_types;
  implmode_types.erase(kEveryType);
  warn("optypelist_for_implmode", {}, implmode_types);
  warn("modify_mixlist", {}, ListedTypes(options));
  warn("keep_dtype", options.keep_names, options.keep_types);
  warn("customize_dtypes", Keys(options.custom_by_name), Keys(options.custom_by_type));
}

}  // namespace atc
