#include "cmd/omrun/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <type_traits>

#include "cmd/omrun/flag_table.h"

namespace atc::omrun {
namespace {

// The row of the table gives name, help and the name of the value; `target` is what the flag sets.
template <typename T>
CLI::Option* Add(CLI::App& app, std::string_view name, T& target) {
  const Flag* flag = FindFlag(name);
  assert(flag != nullptr);
  const std::string spelt = "--" + std::string(name);
  const std::string help(flag->help);
  if constexpr (std::is_invocable_v<T, const std::string&>) {
    return app.add_option_function<std::string>(spelt, target, help)->type_name(std::string(flag->meta));
  } else {
    return app.add_option(spelt, target, help)->type_name(std::string(flag->meta));
  }
}

// The arguments with this program's names in place of those that other runners use: "--iterations=5" as "--loop=5".
std::vector<std::string> OwnNames(int argc, char** argv) {
  std::vector<std::string> args(argv, argv + argc);
  for (std::string& arg : args) {
    const size_t end = std::min(arg.find('='), arg.size());
    for (const Flag& flag : FlagTable()) {
      for (const std::string& alias : CLI::detail::split(std::string(flag.aliases), ',')) {
        if (!alias.empty() && arg.compare(0, end, alias) == 0) {
          arg = "--" + std::string(flag.name) + arg.substr(end);
          break;
        }
      }
    }
  }
  return args;
}

}  // namespace

std::optional<int> ParseOptions(int argc, char** argv, Options* options) {
  CLI::App app(std::string(HelpFrame().description), "omrun");
  app.footer(std::string(HelpFrame().footer));
  app.get_formatter()->column_width(30);
  app.set_help_flag("-h,--help", std::string(FindFlag("help")->help));
  app.set_version_flag("--version", OPENATC_VERSION, std::string(FindFlag("version")->help));

  // CLI11's own table of words would also take the numbers behind them, and shows those in its message.
  const std::map<std::string, OutputFormat> formats = {
      {"npy", OutputFormat::kNpy}, {"bin", OutputFormat::kBin}, {"txt", OutputFormat::kTxt}};
  const auto choose_format = [&](const std::string& text) {
    const auto found = formats.find(CLI::detail::to_lower(text));
    if (found == formats.end())
      throw CLI::ValidationError("--outfmt", fmt::format("'{}' is not NPY, BIN or TXT", text));
    options->format = found->second;
  };
  const CLI::Validator limit(
      [](const std::string& text) {
        double value;
        return CLI::detail::lexical_cast(text, value) && std::isfinite(value) && value >= 0
                   ? std::string()
                   : fmt::format("'{}' is no number that is 0 or more", text);
      },
      "");

  const CLI::Validator named(
      [](const std::string& text) { return std::string(text.empty() ? "the name is empty" : ""); }, "");

  app.add_option("MODEL,-m,--model", options->model, "the model, an .om file")->type_name("");
  app.add_flag("--symbols", options->symbols, std::string(FindFlag("symbols")->help));
  Add(app, "input", options->inputs)->allow_extra_args(false);
  Add(app, "shape", options->shapes)->allow_extra_args(false);
  auto* seed = Add(app, "seed", options->seed);
  Add(app, "output", options->output)->check(named);
  Add(app, "outfmt", choose_format);
  Add(app, "json", options->json)->check(named);
  Add(app, "compare", options->compare)->check(named);
  Add(app, "rtol", options->limits.rtol)->check(limit);
  Add(app, "atol", options->limits.atol)->check(limit);
  Add(app, "mincos", options->limits.mincos)->check(limit);
  Add(app, "loop", options->loop)->check(CLI::Range(1u, 100000000u).description(""));
  Add(app, "warmup", options->warmup);
  Add(app, "duration", options->duration)->check(limit);
  const auto choose_percentiles = [&](const std::string& text) {
    for (const std::string& part : CLI::detail::split(text, ',')) {
      double value = 0;
      if (!CLI::detail::lexical_cast(part, value) || !(value >= 0 && value <= 100))
        throw CLI::ValidationError("--percentile", fmt::format("'{}' is no number of 0 to 100", part));
      options->percentiles.push_back(value);
    }
  };
  Add(app, "percentile", choose_percentiles);
  Add(app, "cores", options->cores)->check(CLI::Range(1u, 65536u).description(""));
  Add(app, "profile", options->profile)->check(named);
  Add(app, "backend", options->backend)->check(named);

  try {
    std::vector<std::string> args = OwnNames(argc, argv);
    // CLI11 takes them from the back, without the program's name.
    std::reverse(args.begin(), args.end());
    if (!args.empty()) args.pop_back();
    app.parse(std::move(args));
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return 0;
  } catch (const CLI::CallForVersion&) {
    fmt::print("omrun {} (OpenATC)\n", OPENATC_VERSION);
    return 0;
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "omrun: error: {}\nomrun --help tells more\n", error.what());
    return 1;
  }
  if (options->model.empty() && !options->symbols) {
    fmt::print(stderr, "omrun: error: MODEL is required\nomrun --help tells more\n");
    return 1;
  }
  options->seed_given = seed->count() > 0;
  if (options->compare.empty() && (options->limits.rtol || options->limits.atol || options->limits.mincos)) {
    fmt::print(stderr, "omrun: error: --rtol, --atol and --mincos need --compare\n");
    return 1;
  }
  return std::nullopt;
}

}  // namespace atc::omrun
