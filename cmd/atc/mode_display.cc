// --mode=6: the command line that made an om, and its sizes.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cmd/atc/run.h"
#include "cmd/atc/validate.h"
#include "compiler/inspect.h"

namespace atc::cli {
namespace {

constexpr size_t kInfoCount = 5;  // weights, tbe kernels, aicpu kernels, task info, shared objects

std::string OmInfoLine(const OmSummary& om) {
  const auto& sizes = om.om_info_list;
  if (sizes.empty()) {
    return "Display Model Info failed, attr \"om_info_list\" is not found in om, check the version is matched.\n";
  }
  if (sizes.size() != kInfoCount) return "Display Model Info error, please check!\n";
  return fmt::format(
      "om       info: modeldef_size[{} B], weight_data_size[{} B], tbe_kernels_size[{} B], "
      "cust_aicpu_kernel_store_size[{} B], task_info_size[{} B], so_store_size[{} B].\n",
      om.modeldef_size, sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]);
}

// The same under the names that the text gives; sizes that the om does not tell are left out.
std::string Json(const OmSummary& om) {
  constexpr const char* kSizes[kInfoCount] = {"weight_data_size", "tbe_kernels_size", "cust_aicpu_kernel_store_size",
                                              "task_info_size", "so_store_size"};
  using Object = nlohmann::ordered_json;
  Object json = {{"schema", 1},
                 {"atc_cmdline", om.atc_cmdline},
                 {"atc_version", om.atc_version},
                 {"soc_version", om.soc_version},
                 {"framework_type", om.framework_type},
                 {"memory_size", om.memory_size},
                 {"weight_size", om.weight_size},
                 {"stream_num", om.stream_num},
                 {"event_num", om.event_num},
                 {"modeldef_size", om.modeldef_size}};
  if (!om.gears.empty()) json["gears"] = om.gears;
  for (size_t i = 0; om.om_info_list.size() == kInfoCount && i < kInfoCount; ++i) json[kSizes[i]] = om.om_info_list[i];
  return json.dump(2, ' ', false, Object::error_handler_t::replace) + "\n";
}

}  // namespace

void PrintModelInfo(Run& run, const std::string& path) {
  const OmSummary om = ReadOmSummary(path);
  run.console.Tell(fmt::format(
      "============ Display Model Info start ============\n"
      "Original Atc command line: {}\n"
      "system   info: atc_version[{}], soc_version[{}], framework_type[{}].\n"
      "resource info: memory_size[{} B], weight_size[{} B], stream_num[{}], event_num[{}].\n"
      "{}{}"
      "============ Display Model Info end   ============\n",
      om.atc_cmdline, om.atc_version, om.soc_version, om.framework_type, om.memory_size, om.weight_size, om.stream_num,
      om.event_num, om.gears.empty() ? "" : fmt::format("gears    info: {}.\n", om.gears), OmInfoLine(om)));
}

void DisplayModel(Run& run) {
  const std::string path = CheckDisplay(run.flags);
  run.Step("read the om");
  if (run.flags.Given("json")) return GiveJson(run, Json(ReadOmSummary(path)));
  PrintModelInfo(run, path);
}

}  // namespace atc::cli
