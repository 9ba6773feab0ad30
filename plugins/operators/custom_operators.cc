#include "plugins/operators/custom_operators.h"

#include <map>
#include <mutex>

#include "compiler/ir/op_def.h"
#include "plugins/loader/plugin_files.h"
#include "plugins/operators/definition.h"
#include "plugins/operators/registrations.h"

namespace atc {
namespace {

constexpr std::string_view kFolder = "custom_operators";

// Who brought an operator; libraries whose operators are in the registries.
struct Entered {
  std::mutex mutex;
  std::map<std::string, std::vector<std::string>> of_library;  // by path
  std::map<std::string, std::string> library_of;               // by operator
};

Entered& TheEntered() {
  static Entered* entered = new Entered;
  return *entered;
}

// Why an operator of the library cannot be entered; empty: it can.
std::string Obstacle(const ge::CustomOperator::Data& custom) {
  if (const std::string fault = FaultOf(custom); !fault.empty()) return fault;
  const std::string type = custom.type.GetString();
  const bool there = OpRegistry::Get().Find(type) != nullptr;
  if (DefinesOperator(custom) && there) {
    const auto owner = TheEntered().library_of.find(type);
    return "the operator '" + type + "' " +
           (owner == TheEntered().library_of.end() ? "is built in" : "comes from " + owner->second + " already");
  }
  if (!DefinesOperator(custom) && !there) {
    return "the operator '" + type + "', to which it maps operators of models, is defined nowhere";
  }
  return "";
}

void Enter(const std::string& path, CustomOperatorReport::File* file) {
  Entered& entered = TheEntered();
  if (const auto it = entered.of_library.find(path); it != entered.of_library.end()) {
    file->operators = it->second;
    return;
  }
  OperatorRegistrations found;
  if (!LoadOperators(path, &found, &file->why)) return;
  for (const ge::CustomOperator::Data& custom : found) {
    file->why = Obstacle(custom);
    if (!file->why.empty()) return;
  }
  if (found.empty()) {
    file->why = "it registers no operator";
    return;
  }
  for (const ge::CustomOperator::Data& custom : found) {
    const std::string type = custom.type.GetString();
    if (DefinesOperator(custom)) {
      OpRegistry::Get().Add(DefineOperator(custom, path));
      entered.library_of[type] = path;
    }
    for (const ge::CustomOperator::Source& source : custom.sources) {
      SourceMappings::Get().Add(MapSource(source, type, path));
    }
    file->operators.push_back(type);
  }
  entered.of_library[path] = file->operators;
}

}  // namespace

std::string CustomOperatorReport::Text() const {
  std::string text = "operator libraries:\n";
  for (const File& file : files) {
    text += "  " + file.path + ": ";
    if (!file.why.empty()) text += "not loaded: " + file.why;
    for (size_t i = 0; i < file.operators.size(); ++i) text += (i == 0 ? "brings " : ", ") + file.operators[i];
    text += "\n";
  }
  return text;
}

CustomOperatorReport LoadCustomOperators(const std::string& opp_root) {
  const std::lock_guard lock(TheEntered().mutex);
  CustomOperatorReport report;
  const std::string root = opp_root.empty() ? OppRoot() : opp_root;
  report.places = {root + "/vendors/*/" + std::string(kFolder) + "/*.so"};
  std::vector<PluginFile> found = FindPlugins(root, kFolder);
  for (const std::string& folder : CustomOppFolders()) {
    report.places.push_back(folder + "/" + std::string(kFolder) + "/*.so");
    const std::vector<PluginFile> more = FindVendorPlugins(folder, kFolder);
    found.insert(found.end(), more.begin(), more.end());
  }
  for (const PluginFile& plugin : found) {
    CustomOperatorReport::File& file = report.files.emplace_back();
    file.path = plugin.path;
    file.why = plugin.problem;
    if (file.why.empty()) Enter(plugin.path, &file);
  }
  return report;
}

Error ExplainPlugins(const Error& error, const CustomOperatorReport& report) {
  const Diagnostic& diagnostic = error.diagnostic();
  if (diagnostic.code != "E16002" && diagnostic.code != "E10501") return error;
  std::string note = "\nlibraries with operators were looked for in ";
  for (size_t i = 0; i < report.places.size(); ++i) note += (i == 0 ? "" : ", ") + report.places[i];
  note += report.files.empty() ? "; there are none" : "; of those found, none brings what is missing:";
  for (const CustomOperatorReport::File& file : report.files) {
    note += "\n" + file.path + (file.why.empty() ? " brings" : " is not loaded: " + file.why);
    for (size_t i = 0; i < file.operators.size(); ++i) note += (i == 0 ? " " : ", ") + file.operators[i];
  }
  Error::Args args = diagnostic.args;
  for (auto& [name, value] : args) {
    if (name == "optype") value += note;
  }
  Error explained(diagnostic.code, std::move(args),
                  "Put a library that brings the operator into one of these folders, or replace the operator in the "
                  "model, for instance by exporting with another opset. examples/custom_operator shows how to write one.");
  for (const std::string& where : diagnostic.context) explained.At(where);
  return explained;
}

}  // namespace atc
