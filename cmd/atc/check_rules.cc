#include "cmd/atc/check_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include "cmd/atc/aipp_config.h"
#include "cmd/atc/gears.h"
#include "cmd/atc/paths.h"
#include "cmd/atc/text.h"
#include "compiler/ir/error.h"

namespace atc::cli {
namespace {

Error Invalid(const FlagValues& flags, std::string_view flag, std::string reason) {
  return Error("E10001", {{"value", flags.Get(flag)}, {"parameter", fmt::format("--{}", flag)}, {"reason", reason}});
}

// The words that the flag takes, with the one that was meant.
Error NoWord(const FlagValues& flags, const Flag& flag, const std::vector<std::string_view>& words) {
  return Error("E10001",
               {{"value", flags.Get(flag)},
                {"parameter", fmt::format("--{}", flag.name)},
                {"reason", fmt::format("It takes {}.", fmt::join(words, ", "))}},
               WordCure(flag, flags.Get(flag), words));
}

void Required(const FlagValues& flags, const Flag& flag) {
  if (!flags.IsSet(flag)) throw Error("E10054", {{"parameter", fmt::format("--{}", flag.name)}});
}

// What the flag's own row asks for.
void CheckRow(const FlagValues& flags, const Flag& flag) {
  const std::string name(flag.name);
  const std::string value = flags.Get(flag);
  const auto words = Words(flag.values);
  const bool known = std::find(words.begin(), words.end(), value) != words.end();
  switch (flag.rule) {
    case Rule::kLateZeroOne:
      if (!known) throw Error("E10006", {{"value", value}, {"parameter", name}});
      return;
    case Rule::kLateTrueFalse:
      if (!known) throw Error("E10005", {{"value", value}, {"parameter", name}});
      return;
    case Rule::kLateOneOf:
      if (!known) throw NoWord(flags, flag, words);
      return;
    case Rule::kInputFile:
      // A SavedModel is a folder.
      if (name == "model" && flags.Get("framework") == "3" && std::filesystem::is_directory(value)) {
        return CheckPathCharacters(name, value);
      }
      return CheckInputFile(name, value);
    case Rule::kFolder: return CheckPathCharacters(name, value);
    default: return;
  }
}

void ByRule(const FlagValues& flags, const Flag& flag) {
  if (flags.IsSet(flag)) CheckRow(flags, flag);
}

void Output(const FlagValues& flags, const Flag& flag) {
  const std::string path = flags.Get(flag);
  CheckOutputFile(std::string(flag.name), path, ".om");
  // The second where shapes stay unknown, the third with --save_original_model.
  for (const std::string& suffix : {std::string(".om"), fmt::format("_{}_{}.om", HostOs(flags), HostCpu(flags)),
                                    std::string("_original.om")}) {
    CheckNoInputFile(flags, flag.name, path + suffix);
  }
}

// By framework.
constexpr std::pair<std::string_view, std::string_view> kInputFormats[] = {
    {"0", "NCHW ND"}, {"1", "NCHW"}, {"3", "NCHW NHWC ND NCDHW NDHWC"}, {"5", "NCHW ND NCDHW"}};

bool IsOfSomeFramework(std::string_view format) {
  return std::any_of(std::begin(kInputFormats), std::end(kInputFormats), [&](const auto& row) {
    const auto words = Words(row.second);
    return std::find(words.begin(), words.end(), format) != words.end();
  });
}

// What may stand, and how that is told.
void InputFormat(const FlagValues& flags, const Flag& flag) {
  if (!flags.IsSet(flag)) return;
  for (const auto& [framework, formats] : kInputFormats) {
    if (flags.Get("framework") != framework) continue;
    const auto words = Words(formats);
    const std::string value = flags.Get(flag);
    if (std::find(words.begin(), words.end(), value) != words.end()) return;
    if (framework == "1") {
      throw Error("E10061", {{"value", value}, {"parameter", "--input_format"}, {"expected_value", "NCHW"}});
    }
    const bool of_others = IsOfSomeFramework(value);  // and so not misspelt
    throw Error("E10001",
                {{"value", value},
                 {"parameter", "--input_format"},
                 {"reason", fmt::format("It takes {} for models of this framework.", fmt::join(words, ", "))}},
                of_others ? "" : WordCure(flag, value, words));
  }
}

void ImplmodePair(const FlagValues& flags, const Flag& flag) {
  if (flags.IsSet(flag) && !flags.IsSet("op_select_implmode")) {
    throw Invalid(flags, flag.name, "--op_select_implmode and --optypelist_for_implmode are given together.");
  }
}

void PrecisionPair(const FlagValues& flags, const Flag&) {
  if (flags.IsSet("precision_mode") && flags.IsSet("precision_mode_v2")) {
    throw Error("E10056", {{"parameter1", "--precision_mode"}, {"parameter2", "--precision_mode_v2"}},
                "Give one of the two; they are spellings of one choice.");
  }
}

void Mixlist(const FlagValues& flags, const Flag& flag) {
  if (!flags.IsSet(flag)) return;
  const bool mixed = flags.Get("precision_mode").starts_with("allow_mix_precision") ||
                     flags.Get("precision_mode_v2").starts_with("mixed_");
  if (!mixed) {
    throw Invalid(flags, flag.name,
                  "It changes the lists of the mixed precision modes: give --precision_mode=allow_mix_precision or the "
                  "like.");
  }
  ByRule(flags, flag);
}

void InputShape(const FlagValues& flags, const Flag& flag) {
  if (HasGears(flags)) return;  // then it is read with them
  if (flags.IsSet("input_shape_range")) {
    ParseInputShapeRange(flags.Get("input_shape_range"));
  } else if (flags.IsSet(flag)) {
    ParseInputShape(flags.Get(flag));
  }
}

// idx:[d,d];idx:[..] with distinct indices and dims that are not negative.
void InputHintShape(const FlagValues& flags, const Flag& flag) {
  if (!flags.IsSet(flag)) return;
  const std::string text = flags.Get(flag);
  const auto number = [](std::string_view word) {
    word = Trim(word);
    return !word.empty() && word.size() < 19 && word.find_first_not_of("0123456789") == std::string_view::npos;
  };
  std::set<std::string_view> seen;
  for (std::string_view item : Split(text, ';')) {
    const size_t colon = item.find(':');
    const std::string_view dims = colon == std::string_view::npos ? "" : item.substr(colon + 1);
    bool ok = dims.size() >= 2 && dims.front() == '[' && dims.back() == ']' && number(item.substr(0, colon)) &&
              seen.insert(Trim(item.substr(0, colon))).second;
    if (ok && dims.size() > 2) {
      for (std::string_view dim : Split(dims.substr(1, dims.size() - 2), ',')) ok = ok && number(dim);
    }
    if (!ok)
      throw Error("E10014", {{"value", text}, {"parameter", std::string(flag.name)}}, "Write \"0:[1,3];1:[4]\".");
  }
  if (HasGears(flags)) throw Invalid(flags, flag.name, "It cannot be given together with --dynamic_* flags.");
}

void GearFlags(const FlagValues& flags, const Flag&) {
  if (HasGears(flags)) ParseGears(flags);
}

void AippWithDims(const FlagValues& flags, const Flag& flag) {
  if (flags.IsSet("dynamic_dims") && flags.IsSet("insert_op_conf")) {
    throw Invalid(flags, flag.name, "--dynamic_dims does not go together with AIPP (--insert_op_conf).");
  }
}

void Aipp(const FlagValues& flags, const Flag& flag) {
  if (!flags.IsSet(flag)) return;
  ByRule(flags, flag);
  CheckAipp(flags);
}

// Names, each once.
void Fp16Nodes(const FlagValues& flags, const Flag& flag) {
  if (!flags.IsSet(flag)) return;
  const std::string text = flags.Get(flag);
  std::set<std::string_view> seen;
  for (std::string_view name : Split(text, ';')) {
    if (name.empty()) throw Invalid(flags, flag.name, "A name is empty. Write \"name1;name2\".");
    if (!seen.insert(name).second) throw Invalid(flags, flag.name, fmt::format("'{}' is given twice.", name));
  }
}

void CompressWeight(const FlagValues& flags, const Flag& flag) {
  if (flags.Get("enable_compress_weight") == "true" && flags.IsSet(flag)) {
    throw Error("E10047", {{"parameter0", "enable_compress_weight"}, {"parameter1", "compress_weight_conf"}});
  }
}

void HostEnvironment(const FlagValues& flags, const Flag&) {
  constexpr std::pair<std::string_view, std::string_view> kLegal[] = {{"host_env_os", "linux minios"},
                                                                      {"host_env_cpu", "x86_64 aarch64 arm64 arm"}};
  for (const auto& [name, values] : kLegal) {
    const auto words = Words(values);
    if (flags.IsSet(name) && std::find(words.begin(), words.end(), flags.Get(name)) == words.end()) {
      throw NoWord(flags, *FindFlag(name), words);
    }
  }
}

void TrueFalseAnyCase(const FlagValues& flags, const Flag& flag) {
  const std::string value = Lower(flags.Get(flag));
  if (value != "true" && value != "false") {
    throw Error("E10005", {{"value", flags.Get(flag)}, {"parameter", std::string(flag.name)}});
  }
}

void AtLeastMinusOne(const FlagValues& flags, const Flag& flag) {
  if (!flags.IsSet(flag)) return;
  const std::string text = flags.Get(flag);
  int64_t value = -2;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < -1) {
    throw Invalid(flags, flag.name, "It takes a whole number, -1 or greater.");
  }
}

// cv, LoadBalance:N or MainStream:N with N in 1..64.
void StreamMode(const FlagValues& flags, const Flag& flag) {
  if (!flags.IsSet(flag)) return;
  const auto mode = ParseParallelMode(flags.Get(flag));
  // The other modes are for attributes of a graph.
  if (mode && (mode->kind == ParallelMode::kCv || mode->kind == ParallelMode::kLoadBalance ||
               mode->kind == ParallelMode::kMainStream)) {
    return;
  }
  throw Invalid(flags, flag.name, "It takes cv, LoadBalance:N or MainStream:N, with N from 1 to 64.");
}

// "8", "8|" or "8|16": AI cores, or cube and vector cores.
void CoreCount(const FlagValues& flags, const Flag& flag) {
  if (!flags.IsSet(flag)) return;
  const std::string text = flags.Get(flag);
  const size_t bar = std::min(text.find('|'), text.size());
  const auto positive = [](std::string_view word) {
    return !word.empty() && word.size() < 10 && word.find_first_not_of("0123456789") == std::string_view::npos &&
           word.find_first_not_of('0') != std::string_view::npos;
  };
  const std::string_view second = std::string_view(text).substr(std::min(bar + 1, text.size()));
  if (positive(text.substr(0, bar)) && (second.empty() || positive(second))) return;
  throw Error("E20101",
              {{"value", text},
               {"parameter", "--aicore_num"},
               {"reason", "It takes a positive integer, or two with '|' between them."}},
              "Give the number of cores, or leave the flag out.");
}

// This flag is the kernel compiler's, which has a code of its own.
void SmallChannel(const FlagValues& flags, const Flag& flag) {
  if (!flags.IsSet(flag) || flags.Get(flag) == "0" || flags.Get(flag) == "1") return;
  throw Error("E20101",
              {{"value", flags.Get(flag)}, {"parameter", "--enable_small_channel"}, {"reason", "It takes 0 or 1."}},
              "Write --enable_small_channel=1 or --enable_small_channel=0.");
}

// The toolkit that would quantise the model is not part of this; atc says the same where it is not installed.
void Compression(const FlagValues& flags, const Flag& flag) {
  if (!flags.IsSet(flag)) return;
  ByRule(flags, flag);
  throw Error("E10001", {{"value", flags.Get(flag)},
                         {"parameter", "--compression_optimize_conf"},
                         {"reason", "AMCT is not installed: the toolkit that quantises a model while it is converted."}},
              "Quantise the model before, as an ONNX model with QuantizeLinear and DequantizeLinear, and convert that.");
}

// Numbers with ',' between them; 0 and 1 alone mean no and yes.
void Numbers(const FlagValues& flags, const Flag& flag) {
  if (!flags.IsSet(flag)) return;
  for (std::string_view word : Split(flags.Get(flag), ',')) {
    if (word.empty() || word.size() > 9 || word.find_first_not_of("0123456789") != std::string_view::npos) {
      throw Invalid(flags, flag.name, "It takes 0, 1, or numbers with ',' between them.");
    }
  }
}

// A word for each name of `names_flag`.
template <const char* kNamesFlag>
void AdjustLayout(const FlagValues& flags, const Flag& flag) {
  if (!flags.IsSet(flag)) return;
  const std::string text = flags.Get(flag);
  for (std::string_view word : Split(text, ',')) {
    if (word != "true" && word != "false") {
      throw Error("E10005", {{"value", text}, {"parameter", std::string(flag.name)}});
    }
  }
  if (IsDefault(flag, text)) return;
  const std::string names = flags.Get(kNamesFlag);
  const size_t count = names.empty() ? 0 : Split(names, ';').size();
  if (Split(text, ',').size() != count) {
    throw Invalid(flags, flag.name,
                  fmt::format("It has a word for each name of --{}, of which there are {}.", kNamesFlag, count));
  }
}

constexpr char kFp16Nodes[] = "input_fp16_nodes";
constexpr char kOutNodes[] = "out_nodes";

struct Step {
  std::string_view flag;
  void (*check)(const FlagValues&, const Flag&);
};

constexpr Step kSteps[] = {
    {"input_format", InputFormat},
    {"soc_version", Required},
    {"output", Required},
    {"model", Required},
    {"model", ByRule},
    {"output", Output},
    {"optypelist_for_implmode", ImplmodePair},
    {"op_precision_mode", ByRule},
    {"is_weight_clip", ByRule},
    {"precision_mode", PrecisionPair},
    {"modify_mixlist", Mixlist},
    {"input_shape", InputShape},
    {"input_hint_shape", InputHintShape},
    {"dynamic_dims", GearFlags},
    {"dynamic_dims", AippWithDims},
    {"weight", ByRule},
    {"cal_conf", ByRule},
    {"op_name_map", ByRule},
    {"insert_op_conf", Aipp},
    {"enable_compress_weight", ByRule},
    {"compress_weight_conf", CompressWeight},
    {"compress_weight_conf", ByRule},
    {"keep_dtype", ByRule},
    {"check_report", ByRule},
    {"save_original_model", ByRule},
    {"enable_single_stream", ByRule},
    {"ac_parallel_enable", ByRule},
    {"tiling_schedule_optimize", ByRule},
    {"host_env_os", HostEnvironment},
    {"allow_hf32", ByRule},
    {"quant_dumpable", ByRule},
    {"enable_attr_compression", TrueFalseAnyCase},
    {"static_model_ops_lower_limit", AtLeastMinusOne},
    {"compression_optimize_conf", Compression},
    {"aicore_num", CoreCount},
    {"multi_stream_parallel_mode", StreamMode},
    {"h2d_overlapped_with_compute", Numbers},
    {"enable_small_channel", SmallChannel},
    {"input_fp16_nodes", Fp16Nodes},
    {"is_input_adjust_hw_layout", AdjustLayout<kFp16Nodes>},
    {"is_output_adjust_hw_layout", AdjustLayout<kOutNodes>},
};

}  // namespace

void CheckFlagsInOrder(const FlagValues& flags, FlagFaults& faults, FilesNeeded needed) {
  std::set<std::string_view> done, wrong;
  for (const Step& step : kSteps) {
    if (step.flag == "model" && needed == FilesNeeded::kNone) continue;
    if (step.flag == "output" && needed != FilesNeeded::kAll) continue;
    done.insert(step.flag);
    if (wrong.contains(step.flag)) continue;  // more would follow from its first fault
    const Flag& flag = *FindFlag(step.flag);
    if (!faults.Try([&] { step.check(flags, flag); })) wrong.insert(step.flag);
  }
  // Flags that no documented step names, in table order.
  for (const Flag& flag : FlagTable()) {
    if (!done.contains(flag.name)) faults.Try([&] { ByRule(flags, flag); });
  }
}

void CheckNoInputFile(const FlagValues& flags, std::string_view flag, const std::string& path) {
  for (const Flag& input : FlagTable()) {
    if (input.rule != Rule::kInputFile || !flags.IsSet(input)) continue;
    std::error_code none;  // of two files one of which is missing
    if (!std::filesystem::equivalent(path, flags.Get(input), none)) continue;
    throw Error("E10001",
                {{"value", flags.Get(flag)},
                 {"parameter", fmt::format("--{}", flag)},
                 {"reason", fmt::format("It would replace {}, the file of --{}.", path, input.name)}},
                "Give another name.");
  }
}

void CheckByRule(const FlagValues& flags, const Flag& flag) { ByRule(flags, flag); }

std::string HostOs(const FlagValues& flags) { return flags.IsSet("host_env_os") ? flags.Get("host_env_os") : "linux"; }

std::string HostCpu(const FlagValues& flags) {
  if (flags.IsSet("host_env_cpu")) return flags.Get("host_env_cpu");
  utsname machine;
  return uname(&machine) == 0 ? machine.machine : "x86_64";
}

}  // namespace atc::cli
