#include "cmd/atc/deviations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cmd/atc/flag_table.h"

namespace atc::cli {
namespace {

constexpr Deviation kDeviations[] = {
    {"the om", "holds kernels for the chip", "holds none; it is marked as ours and runs with `omrun`"},
    {"`--enable_attr_compression`", "true where it is not given", "false where it is not given, so that viewers read the om"},
    {"`--allow_hf32=true`", "convolutions and products round float32 operands to HF32, on chips that have it",
     "they compute in float32: a processor is no faster with fewer bits, and the result no better"},
    {"`atc_cmdline` in the om", "the command line as typed",
     "the flags in one order, paths cut to their base names: equal input gives equal bytes"},
    {"`--output_type`", "8 types", "the 14 types of the guide"},
    {"`--model` and other input files", "any readable path", "a regular file, since models are mapped: E10001"},
    {"folders of `--output` and `--json`", "made when the flags are checked",
     "made when the file is written: a failed run leaves none behind"},
    {"`--version`, `--explain`, `--summary`, `--list_ops`, `--check_om`, `--gen_op_project`, `--stream_report`, `--stages`, `--explain_node`, `--precision_report`, `--format_report`, `--report`, `--bisect`, `--sample_inputs`, `--diff`, `--help FLAG`, `--json` without a name",
     "-", "flags of our own: their names cannot be shortened, so that prefixes of atc's flags stay what they are"},
    {"messages", "one fault",
     "all wrong flags at once, and all faults of one kind in a model, with a correction to paste; `ATC_DIAGNOSTICS` for programs"},
    {"environment", "values that are not legal are left aside", "the same, with the warning W10002"},
    {"logs", "always written below `$HOME/ascend/log`", "only with `--log` or `ASCEND_GLOBAL_LOG_LEVEL`"},
    {"stdout of a conversion", "two lines and what goes wrong", "also the memory planned and its lower bound"},
    {"`fusion_result.json`", "written by every conversion", "only with `--export_compile_stat` or `ASCEND_WORK_PATH`"},
    {"constants that repeat along axes", "stored whole", "stored once, with the attribute `_broadcast_shape`"},
    {"`kernel_meta/`", "written to the working folder", "not written: there are no kernels to compile"},
};

// What stands in the table of flags, told once for all flags of an effect.
std::string FlagRow(std::string_view subject, Effect effect, std::string_view here) {
  std::vector<std::string> names;
  for (const Flag& flag : FlagTable()) {
    if (flag.effect == effect) names.push_back(fmt::format("`--{}`", flag.name));
  }
  return fmt::format("| {} | {} | {} |\n", subject, fmt::join(names, ", "), here);
}

}  // namespace

std::span<const Deviation> Deviations() { return kDeviations; }

std::string DeviationsMarkdown() {
  std::string out = "| subject | atc | here |\n|---|---|---|\n";
  for (const Deviation& row : kDeviations) {
    out += fmt::format("| {} | {} | {} |\n", row.subject, row.there, row.here);
  }
  out += FlagRow("flags that are always so", Effect::kHolds, "checked; what they can ask for holds, or is never done");
  out += FlagRow("flags for hardware, kernels or tools that are not here", Effect::kNone,
                 "checked; noted once in W10001 where they ask for another thing than the default");
  out += FlagRow("flags that would change the model", Effect::kRefused, "checked whole, then E10055");
  return out;
}

}  // namespace atc::cli
