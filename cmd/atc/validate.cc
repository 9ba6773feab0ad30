#include "cmd/atc/validate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>

#include "cmd/atc/check_rules.h"
#include "cmd/atc/gears.h"
#include "cmd/atc/pass_switch_flags.h"
#include "cmd/atc/paths.h"
#include "cmd/atc/precision_files.h"
#include "cmd/atc/text.h"
#include "compiler/pipeline.h"

namespace atc::cli {
namespace {

// The flags that --singleop heeds.
constexpr std::string_view kSingleOpFlags[] = {"aicore_num",
                                               "allow_hf32",
                                               "atomic_clean_policy",
                                               "core_type",
                                               "customize_dtypes",
                                               "debug_dir",
                                               "deterministic",
                                               "deterministic_level",
                                               "device_id",
                                               "enable_small_channel",
                                               "external_weight",
                                               "help",
                                               "is_weight_clip",
                                               "jit_compile",
                                               "log",
                                               "mdl_bank_path",
                                               "mode",
                                               "modify_mixlist",
                                               "op_bank_path",
                                               "op_compiler_cache_dir",
                                               "op_compiler_cache_mode",
                                               "op_debug_level",
                                               "op_precision_mode",
                                               "op_select_implmode",
                                               "optimization_switch",
                                               "optypelist_for_implmode",
                                               "output",
                                               "precision_mode",
                                               "precision_mode_v2",
                                               "raw_ge_options",
                                               "raw_ge_options_ignore_unsupported",
                                               "singleop",
                                               "soc_version",
                                               "sparsity",
                                               "virtual_type"};
constexpr std::string_view kFrameworkSupport = "0(Caffe) or 1(MindSpore) or 3(TensorFlow) or 5(Onnx)";

Error NotSupported(std::string reason, std::string cure) {
  return Error("E10055", {{"reason", std::move(reason)}}, std::move(cure));
}

// "--dynamic_dims", or with its value where another value would do.
std::string Shown(const Flag& flag, const FlagValues& flags) {
  return flag.fallback.empty() ? fmt::format("--{}", flag.name) : fmt::format("--{}={}", flag.name, flags.Get(flag));
}

// The one of the two that counts.
std::string PrecisionFlag(const FlagValues& flags) {
  return flags.IsSet("precision_mode_v2") ? "precision_mode_v2" : "precision_mode";
}

bool IsEffective(const Flag& flag, const FlagValues& flags) {
  return flags.IsSet(flag) && !IsDefault(flag, flags.Get(flag));
}

void RefuseFramework(const FlagValues& flags) {
  if (flags.Get("framework") == "3" || flags.Get("framework") == "5") return;
  throw NotSupported(fmt::format("--framework={} is not available in this version", flags.Get("framework")),
                     "Export the model to ONNX and give it with --framework=5.");
}

void WarnIneffective(const FlagValues& flags, Diagnostics* warnings) {
  std::vector<std::string> names;
  for (const Flag& flag : FlagTable()) {
    if (flag.effect == Effect::kNone && IsEffective(flag, flags)) names.push_back(Shown(flag, flags));
  }
  if (names.empty()) return;
  warnings->Warn("W10001", {{"parameter", fmt::format("{}", fmt::join(names, ", "))},
                            {"reason", "The model is converted as without."}});
}

// Comes before all else: a mode that is not there makes the other flags beside the point.
void RefuseModes(const FlagValues& flags) {
  const std::string mode = flags.Get("mode");
  if (mode == "0") return;
  throw NotSupported(fmt::format("--mode={} is not available in this version", mode), "Use --mode=0, 1, 3, 5 or 6.");
}

// What the checks of single flags leave open.
void CheckSource(const FlagValues& flags, FlagFaults& faults) {
  faults.Try([&] { CheckByRule(flags, *FindFlag("weight")); });
  if (!flags.IsSet("framework")) {
    faults.Add(Error("E10007", {{"parameter", "framework"}, {"support", std::string(kFrameworkSupport)}}));
  }
  if (flags.Get("framework") == "0" && !flags.IsSet("weight")) faults.Add(Error("E10008", {}));
  if (flags.Get("soc_version").starts_with("Ascend035")) {
    faults.Add(NotSupported("Ascend035 chips need --mode=30, which is not available in this version",
                            "Give another --soc_version."));
  }
}

// What is read together, after all else.
void CheckOutputFlags(const FlagValues& flags, FlagFaults& faults) {
  faults.Try([&] {
    const auto nodes = flags.IsSet("out_nodes") ? ParseOutNodes(flags.Get("out_nodes")) : std::vector<OutNodeOption>();
    if (flags.IsSet("output_type")) ParseOutputType(flags.Get("output_type"), nodes);
  });
}

void CheckRequired(const FlagValues& flags, std::initializer_list<const char*> names, FlagFaults& faults) {
  for (const char* name : names) {
    if (!flags.IsSet(name)) faults.Add(Error("E10054", {{"parameter", std::string("--") + name}}));
  }
}

// At the lowest level the order of the model is left as it is.
TopoSortingMode TopoMode(const FlagValues& flags) {
  if (!flags.IsSet("topo_sorting_mode") && flags.Get("oo_level") == "O1") return TopoSortingMode::kStable;
  return static_cast<TopoSortingMode>(flags.Get("topo_sorting_mode")[0] - '0');
}

CompileOptions ToOptions(const FlagValues& flags, Diagnostics* warnings) {
  CompileOptions options;
  options.model_path = flags.Get("model");
  options.output_path = flags.Get("output");
  options.soc_version = flags.Get("soc_version");
  if (flags.IsSet("input_shape_range")) {
    options.input_shapes = ParseInputShapeRange(flags.Get("input_shape_range"));
    options.input_shape_flag = "input_shape_range";
  } else if (flags.IsSet("input_shape")) {
    options.input_shapes = ParseInputShape(flags.Get("input_shape"), HasGears(flags));
  }
  options.input_shapes_by_position = !options.input_shapes.empty() && options.input_shapes[0].name.empty();
  const bool tensorflow = flags.Get("framework") == "3";
  options.input_format =
      tensorflow && !flags.IsSet("input_format") ? FORMAT_NHWC : FormatFromName(flags.Get("input_format"));
  if (flags.IsSet("out_nodes")) options.out_nodes = ParseOutNodes(flags.Get("out_nodes"));
  if (flags.IsSet("output_type")) options.output_type = ParseOutputType(flags.Get("output_type"), options.out_nodes);
  options.precision_mode = ParsePrecisionMode(flags.Get(PrecisionFlag(flags)));
  options.precision = PrecisionOptionsOf(flags);
  options.passes = PassSwitchesOf(flags, warnings);
  options.single_stream = flags.Get("enable_single_stream") == "true";
  options.parallel_mode = ParseParallelMode(flags.Get("multi_stream_parallel_mode")).value_or(ParallelMode());
  options.topo_sorting_mode = TopoMode(flags);
  options.small_channels = flags.Get("enable_small_channel") == "1";
  options.compress_attributes = Lower(flags.Get("enable_attr_compression")) == "true";
  options.disable_reuse_memory = flags.Get("disable_reuse_memory") == "1";
  options.external_weight = static_cast<ExternalWeight>(flags.Get("external_weight")[0] - '0');
  options.host_env_os = HostOs(flags);
  options.host_env_cpu = HostCpu(flags);
  options.atc_cmdline = flags.Canonical();
  options.ge_options = flags.raw();
  for (const Flag& flag : FlagTable()) {
    if (!flag.ge_option.empty() && flags.IsSet(flag)) options.ge_options[std::string(flag.ge_option)] = flags.Get(flag);
  }
  return options;
}

}  // namespace

void CheckTargetFlags(const FlagValues& flags, const CompileOptions& options) {
  const std::string flag = PrecisionFlag(flags);
  CheckTarget(options, "--" + flag, flags.Get(flag));
}

void RefuseUnavailable(const FlagValues& flags) {
  for (const Flag& flag : FlagTable()) {
    if (flag.effect == Effect::kRefused && IsEffective(flag, flags)) {
      throw NotSupported(
          fmt::format("{} would change the model and is not available in this version", Shown(flag, flags)),
          fmt::format("Convert without --{}.", flag.name));
    }
  }
}

void CheckAlways(const FlagValues& flags) {
  if (flags.IsSet("auto_tune_mode")) {
    throw Error("E10001", {{"value", flags.Get("auto_tune_mode")},
                           {"parameter", "--auto_tune_mode"},
                           {"reason", "Auto Tune has been withdrawn; tuning is a tool of its own."}});
  }
  const std::string level = flags.Get("deterministic_level");
  if (flags.IsSet("deterministic_level") && (flags.Get("deterministic") == "0") != (level == "0")) {
    throw Error("E10001", {{"value", flags.Get("deterministic") + " / " + level},
                           {"parameter", "ge.deterministic / ge.deterministicLevel"},
                           {"reason", "Both are 0, or neither is."}});
  }
  const bool single_op = flags.IsSet("singleop");
  if (single_op && (flags.IsSet("framework") || flags.IsSet("insert_op_conf") || flags.Get("mode") != "0" ||
                    flags.Get("display_model_info") == "1")) {
    throw Error(
        "E10001",
        {{"value", flags.Get("singleop")},
         {"parameter", "--singleop"},
         {"reason", "It excludes --framework, --insert_op_conf, --display_model_info=1 and other modes than 0."}});
  }
}

CompileOptions CheckConversion(const FlagValues& flags, Diagnostics* warnings, bool writes) {
  RefuseModes(flags);
  FlagFaults faults;
  CheckSource(flags, faults);
  CheckFlagsInOrder(flags, faults, writes ? FilesNeeded::kAll : FilesNeeded::kModel);
  CheckOutputFlags(flags, faults);
  faults.ThrowIfAny();
  CompileOptions options = ToOptions(flags, warnings);
  RefuseFramework(flags);
  WarnIneffective(flags, warnings);
  return options;
}

CompileOptions CheckGraphConversion(const FlagValues& flags, Diagnostics* warnings) {
  for (const char* name : {"model", "output", "framework", "mode"}) {
    if (!flags.IsSet(name)) continue;
    throw Error("E10055", {{"reason", fmt::format("--{} has no place where the graph is in memory", name)}},
                "Leave it out.");
  }
  CheckAlways(flags);
  FlagFaults faults;
  CheckFlagsInOrder(flags, faults, FilesNeeded::kNone);
  CheckOutputFlags(flags, faults);
  faults.ThrowIfAny();
  CompileOptions options = ToOptions(flags, warnings);
  RefuseUnavailable(flags);
  WarnIneffective(flags, warnings);
  return options;
}

// Without the flags that say nothing of single operators; those that ask for something are told.
FlagValues OfSingleOps(FlagValues flags, Diagnostics* warnings) {
  std::vector<std::string> names;
  for (const Flag& flag : FlagTable()) {
    const bool kept =
        std::find(std::begin(kSingleOpFlags), std::end(kSingleOpFlags), flag.name) != std::end(kSingleOpFlags);
    const bool alone = flag.own && flags.Given(flag.name) && !flags.IsSet(flag);  // as --stages
    if (kept || (!flags.IsSet(flag) && !alone)) continue;
    if (alone || IsEffective(flag, flags)) names.push_back(Shown(flag, flags));
    flags.Clear(flag);
  }
  if (!names.empty()) {
    warnings->Warn("W10001", {{"parameter", fmt::format("{}", fmt::join(names, ", "))},
                              {"reason", "It is left aside with --singleop."}});
  }
  return flags;
}

CompileOptions CheckSingleOp(const FlagValues& given, Diagnostics* warnings) {
  const FlagValues flags = OfSingleOps(given, warnings);
  FlagFaults faults;
  CheckRequired(flags, {"soc_version", "output"}, faults);
  faults.Try([&] { CheckPathCharacters("output", flags.Get("output")); });
  CheckFlagsInOrder(flags, faults, FilesNeeded::kNone);
  faults.ThrowIfAny();
  CompileOptions options = ToOptions(flags, warnings);
  // The types of a single operator are those of its description, unless a mode is asked for.
  if (!flags.IsSet("precision_mode") && !flags.IsSet("precision_mode_v2")) {
    options.precision_mode = PrecisionMode::kKeepOrigin;
  }
  RefuseUnavailable(flags);
  WarnIneffective(flags, warnings);
  return options;
}

PrecheckRequest CheckPrecheck(const FlagValues& flags) {
  FlagFaults faults;
  CheckSource(flags, faults);
  CheckRequired(flags, {"soc_version", "model"}, faults);
  CheckFlagsInOrder(flags, faults, FilesNeeded::kNone);
  faults.Try([&] { CheckByRule(flags, *FindFlag("model")); });
  faults.Try([&] {
    CheckOutputFile("check_report", flags.Get("check_report"));
    CheckNoInputFile(flags, "check_report", flags.Get("check_report"));
  });
  faults.ThrowIfAny();
  RefuseFramework(flags);
  return {flags.Get("model"), flags.Get("framework") == "3"};
}

ToJsonRequest CheckToJson(const FlagValues& flags) {
  ToJsonRequest request;
  if (!flags.IsSet("om")) throw Error("E10004", {{"parameter", "om"}});
  if (!flags.IsSet("json")) throw Error("E10004", {{"parameter", "json"}});
  const std::string framework = flags.Get("framework");
  const bool text_dump = flags.Get("mode") == "5";
  if (!text_dump && framework == "1") {
    throw Error("E10001",
                {{"value", framework},
                 {"parameter", "--framework"},
                 {"reason", "With --mode=1 it is 0(Caffe), 3(TensorFlow) or 5(Onnx), or left out for an om."}});
  }
  request.input = flags.Get("om");
  request.json = flags.Get("json");
  if (text_dump && !request.input.ends_with(".txt")) {
    throw Error("E10001", {{"value", request.input},
                           {"parameter", "--om"},
                           {"reason", "With --mode=5 it is a dump in text form, ge_proto_*.txt."}});
  }
  const bool tensorflow = framework == "3" && !text_dump;
  if (!(tensorflow && std::filesystem::is_directory(request.input))) CheckInputFile("om", request.input);
  CheckOutputFile("json", request.json);
  CheckNoInputFile(flags, "json", request.json);
  if (text_dump) {
    request.source = ToJsonRequest::kTextDump;
    return request;
  }
  if (framework.empty()) return request;
  RefuseFramework(flags);
  const bool inferred = flags.Get("dump_mode") == "1";
  if (tensorflow) {
    request.source = inferred ? ToJsonRequest::kTensorFlowInferred : ToJsonRequest::kTensorFlow;
  } else {
    request.source = inferred ? ToJsonRequest::kOnnxInferred : ToJsonRequest::kOnnx;
  }
  return request;
}

std::string CheckDisplay(const FlagValues& flags) {
  if (!flags.IsSet("om")) throw Error("E10004", {{"parameter", "om"}});
  if (flags.IsSet("framework")) {
    throw Error("E10057", {{"parameter0", "om"}, {"parameter1", "mode"}},
                "Leave --framework out: --mode=6 displays an om.");
  }
  CheckInputFile("om", flags.Get("om"));
  return flags.Get("om");
}

}  // namespace atc::cli
