#include "cmd/omrun/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
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

  app.add_option("MODEL", options->model, "the model, an .om file")->required()->type_name("");
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
  Add(app, "cores", options->cores)->check(CLI::Range(1u, 65536u).description(""));
  Add(app, "profile", options->profile)->check(named);
  Add(app, "backend", options->backend)->check(named);

  try {
    app.parse(argc, argv);
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
  options->seed_given = seed->count() > 0;
  if (options->compare.empty() && (options->limits.rtol || options->limits.atol || options->limits.mincos)) {
    fmt::print(stderr, "omrun: error: --rtol, --atol and --mincos need --compare\n");
    return 1;
  }
  return std::nullopt;
}

}  // namespace atc::omrun
