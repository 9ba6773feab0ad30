#include "compiler/streams/engines.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "compiler/ir/error.h"
#include "compiler/plan/parts.h"

namespace atc {

extern const char kDefaultEngines[];  // engines.json, see streams.cmake

namespace {

using Json = nlohmann::json;
using Strings = std::map<std::string, std::string, std::less<>>;

struct UnitRow {
  Unit unit;
  std::string_view name;
  std::string_view rule;
};

constexpr UnitRow kUnits[] = {
    {Unit::kVector, "vector", "vector unit"}, {Unit::kCube, "cube", "cube unit"},
    {Unit::kAiCpu, "aicpu", "AI CPU"},        {Unit::kLocal, "local", "no computation"},
    {Unit::kRts, "rts", "runtime task"},      {Unit::kHccl, "hccl", "communication"},
    {Unit::kHostCpu, "host", "host"},
};

Error Bad(const std::string& source, std::string reason) {
  return Error("E10001", {{"value", source}, {"parameter", "OPENATC_ENGINES"}, {"reason", std::move(reason)}},
               "Start from opp/engines/engines.json of the installation, or unset OPENATC_ENGINES.");
}

}  // namespace

const EngineTable& EngineTable::Default() {
  static const EngineTable table = Parse(kDefaultEngines, "engines.json");
  return table;
}

EngineTable EngineTable::Parse(std::string_view text, const std::string& source) {
  EngineTable table;
  try {
    const Json json = Json::parse(text);
    for (const Json& from : json.at("engines")) {
      Engine& engine = table.engines_.emplace_back();
      engine.name = from.at("name").get<std::string>();
      engine.independent = from.at("independent").get<bool>();
      engine.skip = from.at("skip").get<bool>();
      engine.attach = from.at("attach").get<bool>();
      engine.cost = from.at("cost").get<int>();
    }
    table.units_ = json.at("units").get<Strings>();
    table.cv_units_ = json.value("cv_units", Strings());
    table.operators_ = json.value("operators", Strings());
  } catch (const Json::exception& fault) {
    throw Bad(source, std::string("It is no table of engines: ") + fault.what() + ".");
  }
  std::sort(table.engines_.begin(), table.engines_.end(),
            [](const Engine& a, const Engine& b) { return a.name < b.name; });
  for (size_t i = 1; i < table.engines_.size(); ++i) {
    if (table.engines_[i].name == table.engines_[i - 1].name) {
      throw Bad(source, "The engine '" + table.engines_[i].name + "' stands there twice.");
    }
  }
  for (const UnitRow& row : kUnits) {
    if (!table.units_.contains(row.name)) throw Bad(source, "'units' lacks '" + std::string(row.name) + "'.");
  }
  for (const Strings* map : {&table.units_, &table.cv_units_, &table.operators_}) {
    for (const auto& [what, engine] : *map) {
      if (table.Find(engine) == nullptr) {
        throw Bad(source, "'" + what + "' is placed on '" + engine + "', which 'engines' does not list.");
      }
    }
  }
  return table;
}

EngineTable EngineTable::OfProcess() {
  const char* path = std::getenv("OPENATC_ENGINES");
  if (path == nullptr || *path == '\0') return Default();
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || !text) throw Bad(path, "The file cannot be read.");
  return Parse(text.str(), path);
}

const Engine* EngineTable::Find(std::string_view name) const {
  const auto it = std::lower_bound(engines_.begin(), engines_.end(), name,
                                   [](const Engine& engine, std::string_view wanted) { return engine.name < wanted; });
  return it != engines_.end() && it->name == name ? &*it : nullptr;
}

const Engine& EngineTable::Of(const Node& node) const {
  const Engine* engine = Find(node.engine);
  if (engine == nullptr) {
    throw Error::Internal("node '" + node.name + "' is placed on the engine '" + node.engine + "', which does not exist");
  }
  return *engine;
}

std::string EngineTable::EngineOf(const OpDef& def) const {
  if (const auto it = operators_.find(def.type.str()); it != operators_.end()) return it->second;
  const Unit unit = def.Is(kShapeOnly) ? Unit::kLocal : def.unit;
  const auto row = std::find_if(std::begin(kUnits), std::end(kUnits), [&](const UnitRow& r) { return r.unit == unit; });
  return units_.find(row->name)->second;
}

void PlaceOnEngines(Graph& graph, const EngineTable& table, bool cube_and_vector) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    Node& node = graph.node(id);
    if (!node.alive) continue;
    for (const Subgraph& subgraph : node.subgraphs) PlaceOnEngines(*subgraph.graph, table, cube_and_vector);
    if (!node.engine.empty()) continue;
    if (const auto it = table.operators_.find(node.type().str()); it != table.operators_.end()) {
      node.engine = it->second;
      node.Because("engine", node.engine + ": listed for " + it->first);
      continue;
    }
    // What only renames its input's bytes needs no unit, whatever its definition says.
    const Unit unit = node.Is(kShapeOnly) ? Unit::kLocal : node.def->unit;
    for (const UnitRow& row : kUnits) {
      if (row.unit != unit) continue;
      const auto cv = cube_and_vector ? table.cv_units_.find(row.name) : table.cv_units_.end();
      node.engine = cv != table.cv_units_.end() ? cv->second : table.units_.find(row.name)->second;
      node.Because("engine", node.engine + ": " + std::string(row.rule));
    }
  }
}

bool EmitsTask(const Graph& graph, const Node& node) {
  if (node.Is(kNoTask)) return false;
  // A view of a constant has no bytes of its own in feature memory to alias, so it is copied by a task.
  return !AliasesInput(graph, node) && !MarkedParts(graph, node);
}

}  // namespace atc
