// --list_ops: which operators can be converted, from the registries of parsers, compiler and device.
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <nlohmann/json.hpp>
#include <set>

#include "cmd/atc/run.h"
#include "compiler/engine_of.h"
#include "parsers/onnx/operator_list.h"
#include "plugins/operators/custom_operators.h"

namespace atc::cli {
namespace {

// What runs on the simulated device is known to its library, which converting needs not; it lies beside ours.
class Device {
 public:
  Device() {
    void* library = dlopen("libascendcl.so", RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) kernel_ = reinterpret_cast<Kernel>(dlsym(library, "openatcGetKernelName"));
  }
  std::string KernelOf(const std::string& type) const { return kernel_ ? kernel_(type.c_str()) : "unknown"; }

 private:
  using Kernel = const char* (*)(const char*);
  Kernel kernel_ = nullptr;
};

struct Row {
  ListedOperator op;
  std::vector<std::string> engines, kernels;  // of the AscendIR operators, each once
};

std::vector<std::string> InOrder(const std::set<std::string>& texts) { return {texts.begin(), texts.end()}; }

Row Complete(ListedOperator op, const Device& device) {
  std::set<std::string> engines, kernels;
  for (const std::string& name : op.becomes) {
    engines.insert(EngineOf(name));
    kernels.insert(op.library.empty() ? device.KernelOf(name) : "plugin");
  }
  return {std::move(op), InOrder(engines), InOrder(kernels)};
}

// A pattern without "::" is for the operator alone.
bool Matches(const ListedOperator& op, const std::string& pattern) {
  if (pattern.empty()) return true;
  const std::string text = pattern.find("::") == pattern.npos ? op.type : op.domain + "::" + op.type;
  return fnmatch(pattern.c_str(), text.c_str(), FNM_CASEFOLD) == 0;
}

std::string Markdown(const std::vector<Row>& rows) {
  std::string out = fmt::format(
      "# Operators\n\n"
      "{} ONNX operators. opsets: the versions of the domain with which the operator changed; each holds until the next,\n"
      "the last one for all newer. dtypes: of the first operand, of all versions. AscendIR: what it becomes, by attributes\n"
      "and types; onnx::Name keeps its own identity. device: the kernels of the simulated device, reference where there is\n"
      "no fast one for some AscendIR operator, type or shape.\n\n"
      "| operator | domain | opsets | dtypes | AscendIR | engine | device |\n|---|---|---|---|---|---|---|\n",
      rows.size());
  for (const Row& row : rows) {
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", row.op.type, row.op.domain,
                       fmt::join(row.op.versions, ", "), fmt::join(row.op.types, ", "), fmt::join(row.op.becomes, ", "),
                       fmt::join(row.engines, ", "), fmt::join(row.kernels, ", "));
  }
  return out;
}

std::string Json(const std::vector<Row>& rows) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    nlohmann::ordered_json one = {{"operator", row.op.type},   {"domain", row.op.domain},
                                  {"opsets", row.op.versions}, {"dtypes", row.op.types},
                                  {"ascendir", row.op.becomes}, {"engines", row.engines},
                                  {"device", row.kernels}};
    if (!row.op.library.empty()) one["plugin"] = row.op.library;
    all.push_back(std::move(one));
  }
  return all.dump(1) + "\n";
}

}  // namespace

void ListOperators(Run& run) {
  LoadCustomOperators();
  const std::string pattern = run.flags.Get("list_ops");
  const Device device;
  std::vector<Row> rows;
  for (ListedOperator& op : ListOnnxOperators()) {
    if (Matches(op, pattern)) rows.push_back(Complete(std::move(op), device));
  }
  if (rows.empty()) {
    throw Error("E10001",
                {{"value", pattern}, {"parameter", "--list_ops"}, {"reason", "No operator of that name can be converted."}},
                "Give a pattern such as Conv* or ai.onnx.ml::*, or none.");
  }
  if (run.flags.Given("json")) return GiveJson(run, Json(rows));
  run.console.Print(Markdown(rows));
}

}  // namespace atc::cli
