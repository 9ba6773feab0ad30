#include "cmd/omrun/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <type_traits>

#include "cmd/omrun/flag_table.h"
#include "cmd/omrun/other_runners.h"

namespace atc::omrun {
namespace {

constexpr uint32_t kMostInFlight = 1024;  // threads, and streams a thread

// The row of the table gives name, help and the name of the value; `target` is what the flag sets.
template <typename T>
CLI::Option* Add(CLI::App& app, std::string_view name, T& target) {
  const Flag* flag = FindFlag(name);
  assert(flag != nullptr);
  const std::string spelt = "--" + std::string(name);
  const std::string help(flag->help);
  const std::string meta(flag->takes == Takes::kSwitch ? "[true|false]" : flag->meta);
  CLI::Option* option = nullptr;
  if constexpr (std::is_invocable_v<T, const std::string&>) {
    option = app.add_option_function<std::string>(spelt, target, help);
  } else {
    option = app.add_option(spelt, target, help);
  }
  return option->type_name(meta)->group(std::string(flag->group));
}

CLI::ValidationError Invalid(std::string_view flag, const std::string& text) {
  return CLI::ValidationError("--" + std::string(flag), text);
}

// The numbers of a list; `what` says what each is: "a number of 0 to 100".
template <typename Number, typename Check>
std::vector<Number> ParseList(std::string_view flag, const std::string& text, const char* what, Check check) {
  std::vector<Number> numbers;
  for (const std::string& part : CLI::detail::split(text, ',')) {
    Number value{};
    if (!CLI::detail::lexical_cast(part, value) || !check(value)) {
      throw Invalid(flag, fmt::format("'{}' is not {}", part, what));
    }
    numbers.push_back(value);
  }
  return numbers;
}

bool IsTolerance(double value) { return std::isfinite(value) && value >= 0; }

// "1e-2", "float16=1e-2,float32=1e-4".
void ParseTolerance(std::string_view flag, const std::string& text, std::optional<double>* all,
                    std::vector<std::pair<aclDataType, double>>* by_type) {
  for (const std::string& part : CLI::detail::split(text, ',')) {
    const size_t equals = part.find('=');
    const std::string number = equals == std::string::npos ? part : part.substr(equals + 1);
    double value = 0;
    if (!CLI::detail::lexical_cast(number, value) || !IsTolerance(value)) {
      throw Invalid(flag, fmt::format("'{}' is no number that is 0 or more", number));
    }
    if (equals == std::string::npos) {
      *all = value;
      continue;
    }
    const ElementType* type = FindElementType(part.substr(0, equals));
    if (type == nullptr) throw Invalid(flag, fmt::format("'{}' is no element type, as float16 is", part.substr(0, equals)));
    by_type->emplace_back(type->acl, value);
  }
}

struct Word {
  std::string_view text;
  int value;
};

int ChooseWord(std::string_view flag, const std::string& text, std::span<const Word> words) {
  const std::string lower = CLI::detail::to_lower(text);
  std::string all;
  for (size_t i = 0; i < words.size(); ++i) {
    if (CLI::detail::to_lower(std::string(words[i].text)) == lower) return words[i].value;
    all += fmt::format("{}{}", i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", words[i].text);
  }
  throw Invalid(flag, fmt::format("'{}' is not {}", text, all));
}

constexpr Word kFormats[] = {{"NPY", static_cast<int>(OutputFormat::kNpy)},
                             {"BIN", static_cast<int>(OutputFormat::kBin)},
                             {"TXT", static_cast<int>(OutputFormat::kTxt)},
                             {"JSON", static_cast<int>(OutputFormat::kJson)}};
constexpr Word kFills[] = {{"random", 0}, {"zero", 1}};
constexpr Word kMetrics[] = {{"l0", static_cast<int>(Metric::kL0)},
                             {"l1", static_cast<int>(Metric::kL1)},
                             {"l2", static_cast<int>(Metric::kL2)},
                             {"linf", static_cast<int>(Metric::kLInf)},
                             {"cos", static_cast<int>(Metric::kCos)}};
constexpr Word kRunModes[] = {{"array", static_cast<int>(Keep::kSome)},
                              {"tensor", static_cast<int>(Keep::kSome)},
                              {"files", static_cast<int>(Keep::kNothing)},
                              {"full", static_cast<int>(Keep::kAll)}};
constexpr Word kFallbacks[] = {{"error", 0}, {"cpu", 1}};
constexpr Word kSwitch[] = {{"true", 1}, {"false", 0}, {"1", 1}, {"0", 0}};

// About arguments that are left over. A misspelt flag leaves its value over too: the flag is what is wrong.
std::string ExtraText(const std::vector<std::string>& extras, const std::string& model) {
  for (const std::string& extra : extras) {
    if (extra.starts_with("-")) return fmt::format("there is no flag '{}'", extra.substr(0, extra.find('=')));
  }
  return fmt::format("'{}' is one argument too many: the model is '{}'", extras.empty() ? "" : extras.front(), model);
}

// What one flag asks of another; empty: nothing is wrong.
std::string Contradiction(const Options& options, bool limits_given, bool dirname, bool to_output) {
  if (options.model.empty() && !options.symbols && options.compare_dumps.empty()) {
    return "MODEL is required\nomrun --help tells more";
  }
  if (options.compare.empty() && options.compare_dumps.empty() && options.manifest.empty() && limits_given) {
    return "--rtol, --atol, --mincos, --metric and --threshold need --compare, --compare_dumps or a manifest with outputs";
  }
  if ((dirname || to_output) && options.output.empty()) {
    return dirname ? "--output_dirname needs --output" : "--profiler and --dump need --output, below which they write";
  }
  if (!options.manifest.empty() && !options.inputs.empty()) {
    return "--manifest and --input exclude each other: a manifest names the sources of all inputs";
  }
  if (!options.shape_range.empty() && (!options.inputs.empty() || !options.manifest.empty() || !options.shapes.empty())) {
    return "--shape_range excludes --input, --manifest and --shape: it runs on data made for each shape";
  }
  if (!options.dump_nodes.empty() && options.dump_tensors.empty()) return "--dump_nodes needs --dump_tensors or --dump";
  const GearChoice& gear = options.gear;
  if ((gear.batch > 0) + !gear.hw.empty() + !gear.dims.empty() + options.gear_auto > 1) {
    return "--gear_batch, --gear_hw, --gear_dims and --gear_auto exclude each other: a model has gears of one kind";
  }
  if (options.compare_dumps.size() != 0 && options.compare_dumps.size() != 2) {
    return fmt::format("--compare_dumps takes two folders, as one,two; {} are given", options.compare_dumps.size());
  }
  return "";
}

}  // namespace

std::optional<int> ParseOptions(int argc, char** argv, Options* options) {
  const HelpText frame = HelpFrame();
  CLI::App app(std::string(frame.description), "omrun");
  app.footer(frame.footer);
  app.get_formatter()->column_width(30);
  app.set_help_flag("-h,--help", std::string(FindFlag("help")->help))->group("General");
  app.set_version_flag("--version", OPENATC_VERSION, std::string(FindFlag("version")->help))->group("General");

  const CLI::Validator limit(
      [](const std::string& text) {
        double value;
        return CLI::detail::lexical_cast(text, value) && IsTolerance(value)
                   ? std::string()
                   : fmt::format("'{}' is no number that is 0 or more", text);
      },
      "");
  const CLI::Validator named(
      [](const std::string& text) { return std::string(text.empty() ? "the name is empty" : ""); }, "");
  const auto range = [](uint32_t least, uint32_t most) { return CLI::Range(least, most).description(""); };
  const auto add_switch = [&](std::string_view name, bool* target) {
    const auto choose = [=](const std::string& text) { *target = ChooseWord(name, text, kSwitch) != 0; };
    Add(app, name, choose);
  };

  app.add_option("MODEL,-m,--model", options->model, "the model, an .om file")->type_name("")->group("General");
  app.add_flag("--symbols", options->symbols, std::string(FindFlag("symbols")->help))->group("General");
  add_switch("debug", &options->debug);

  Add(app, "input", options->inputs)->allow_extra_args(false);
  Add(app, "manifest", options->manifest)->check(named);
  Add(app, "shape", options->shapes)->allow_extra_args(false);
  Add(app, "shape_range", options->shape_range)->check(named);
  const auto choose_fill = [&](const std::string& text) { options->zeros = ChooseWord("fill", text, kFills) == 1; };
  auto* fill = Add(app, "fill", choose_fill);
  auto* seed = Add(app, "seed", options->seed);
  Add(app, "batch", options->batch)->check(range(1, 1000000));
  Add(app, "gear_batch", options->gear.batch)->check(range(1, UINT32_MAX));
  const auto choose_hw = [&](const std::string& text) {
    options->gear.hw = ParseList<uint64_t>("gear_hw", text, "a height or width", [](uint64_t value) { return value > 0; });
    if (options->gear.hw.size() != 2) throw Invalid("gear_hw", fmt::format("'{}' is no height and width, as 224,224 is", text));
  };
  Add(app, "gear_hw", choose_hw);
  Add(app, "gear_dims", options->gear.dims)->check(named);
  add_switch("gear_auto", &options->gear_auto);
  const auto choose_sizes = [&](const std::string& text) {
    options->output_sizes = ParseList<uint64_t>("output_size", text, "a number of bytes", [](uint64_t) { return true; });
  };
  Add(app, "output_size", choose_sizes);

  Add(app, "output", options->output)->check(named);
  std::string dirname;
  Add(app, "output_dirname", dirname)->check(named);
  const auto choose_format = [&](const std::string& text) {
    options->format = static_cast<OutputFormat>(ChooseWord("outfmt", text, kFormats));
  };
  Add(app, "outfmt", choose_format);
  Add(app, "output_batch_axis", options->output_batch_axis)->check(range(0, 1000));
  Add(app, "json", options->json)->check(named);
  Add(app, "export_times", options->export_times)->check(named);
  Add(app, "profile", options->profile)->check(named);
  bool profiler = false, dump = false;
  add_switch("profiler", &profiler);
  add_switch("print_profile", &options->print_profile);
  Add(app, "export_profile", options->export_profile)->check(named);
  add_switch("print_layers", &options->print_layers);
  Add(app, "export_layers", options->export_layers)->check(named);
  Add(app, "dump_tensors", options->dump_tensors)->check(named);
  add_switch("dump", &dump);
  const auto choose_nodes = [&](const std::string& text) { options->dump_nodes = CLI::detail::split(text, ','); };
  Add(app, "dump_nodes", choose_nodes);
  Add(app, "dump_on_error", options->dump_on_error)->check(named);

  Add(app, "compare", options->compare)->check(named)->allow_extra_args(false);
  Limits& limits = options->limits;
  const auto choose_rtol = [&](const std::string& text) { ParseTolerance("rtol", text, &limits.rtol, &limits.rtol_of); };
  const auto choose_atol = [&](const std::string& text) { ParseTolerance("atol", text, &limits.atol, &limits.atol_of); };
  auto* rtol = Add(app, "rtol", choose_rtol);
  auto* atol = Add(app, "atol", choose_atol);
  auto* mincos = Add(app, "mincos", limits.mincos)->check(limit);
  const auto choose_metric = [&](const std::string& text) {
    limits.metric = static_cast<Metric>(ChooseWord("metric", text, kMetrics));
  };
  auto* metric = Add(app, "metric", choose_metric);
  auto* threshold = Add(app, "threshold", limits.threshold)->check(limit);
  const auto choose_dumps = [&](const std::string& text) { options->compare_dumps = CLI::detail::split(text, ','); };
  Add(app, "compare_dumps", choose_dumps);

  Add(app, "loop", options->loop)->check(range(1, 100000000));
  Add(app, "duration", options->duration)->check(limit);
  Add(app, "warmup", options->warmup);
  Add(app, "warmup_ms", options->warmup_ms)->check(limit);
  Add(app, "threads", options->threads)->check(range(1, kMostInFlight));
  Add(app, "streams", options->streams)->check(range(1, kMostInFlight));
  add_switch("transfers", &options->transfers);
  add_switch("check_runs", &options->check_runs);
  const auto choose_percentiles = [&](const std::string& text) {
    options->percentiles = ParseList<double>("percentile", text, "a number of 0 to 100",
                                             [](double value) { return value >= 0 && value <= 100; });
  };
  Add(app, "percentile", choose_percentiles);
  Add(app, "avg_runs", options->avg_runs)->check(range(1, 100000000));
  add_switch("display_all_summary", &options->display_all_summary);
  add_switch("spin", &options->spin);
  const auto choose_run_mode = [&](const std::string& text) {
    options->keep = static_cast<Keep>(ChooseWord("run_mode", text, kRunModes));
  };
  Add(app, "run_mode", choose_run_mode);
  Add(app, "idle", options->idle_ms)->check(limit);
  Add(app, "start_delay", options->start_delay_ms)->check(limit);
  Add(app, "timeout", options->timeout_ms)->check(range(1, 2147483647));

  const auto choose_devices = [&](const std::string& text) {
    options->devices = ParseList<int32_t>("device", text, "a device's number, 0 to 255",
                                          [](int32_t value) { return value >= 0 && value <= 255; });
  };
  Add(app, "device", choose_devices);
  Add(app, "cores", options->cores)->check(range(1, 65536));
  Add(app, "backend", options->backend)->check(named);
  const auto choose_fallback = [&](const std::string& text) {
    options->fall_back = ChooseWord("fallback", text, kFallbacks) == 1;
  };
  Add(app, "fallback", choose_fallback);
  Add(app, "acl_config", options->acl_config)->check(named);

  try {
    OwnArguments own = OwnNames({argv + std::min(argc, 1), argv + argc});
    options->summary = own.summary;
    options->notes = std::move(own.notes);
    std::reverse(own.arguments.begin(), own.arguments.end());  // CLI11 takes them from the back
    app.parse(std::move(own.arguments));
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return 0;
  } catch (const CLI::CallForVersion&) {
    fmt::print("omrun {} (OpenATC)\n", OPENATC_VERSION);
    return 0;
  } catch (const CLI::ExtrasError&) {
    fmt::print(stderr, "omrun: error: {}\nomrun --help tells more\n", ExtraText(app.remaining(), options->model));
    return 1;
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "omrun: error: {}\nomrun --help tells more\n", error.what());
    return 1;
  }
  options->fill_given = seed->count() + fill->count() > 0;
  const bool limits_given = rtol->count() + atol->count() + mincos->count() + metric->count() + threshold->count() > 0;
  const bool to_output = dump || profiler;
  if (!dirname.empty() && !options->output.empty()) options->output += "/" + dirname;
  if (dump && options->dump_tensors.empty() && !options->output.empty()) options->dump_tensors = options->output + "/dump";
  if (profiler && options->profile.empty() && !options->output.empty()) options->profile = options->output + "/profiler";
  const std::string wrong = Contradiction(*options, limits_given, !dirname.empty(), to_output);
  if (!wrong.empty()) {
    fmt::print(stderr, "omrun: error: {}\n", wrong);
    return 1;
  }
  return std::nullopt;
}

}  // namespace atc::omrun
