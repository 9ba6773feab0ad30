#include "cmd/omrun/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <map>

namespace atc::omrun {
namespace {

constexpr const char* kDescription =
    "Runs a converted model (.om). With no options it prints the model's inputs and outputs, runs it once on random\n"
    "data and prints a summary of the results.";

constexpr const char* kFooter = R"(Examples:
  omrun rec.om --input x=line.npy --output out/
      run on one input; out/ gets out_0.npy, out_1.npy, ... and outputs.json
  omrun rec.om --input x=line.npy --compare golden/ --rtol 1e-2 --atol 1e-3 --loop 50 --json report.json
      check against golden/out_0.npy, ... and measure 50 runs

Inputs:
  NAME=FILE names the input; FILE alone goes to the next input that is not named. A name may hold ':' and '='.
  .npy, .npz (its arrays bear the inputs' names; else they are taken in order), .bin (raw bytes), .pb (TensorProto).
  Element type and shape must be the model's. Once a file is given every input needs one, unless --seed is given too.
  Random floats are in [-1, 1), integers in 0..7; the same seed gives the same data everywhere.
Results:
  The tolerance is |value - reference| <= atol + rtol * |reference|; without any limit rtol is 1e-3 and atol 1e-4.
  With --mincos alone only the cosine counts. Times are in milliseconds, sizes in bytes, MB are 10^6 bytes.
Profile:
  op_summary.csv has the columns of msprof; times are those of the simulated device on this CPU, not of an NPU. With
  MINIDAG_PROFILING_PATH=DIR/op_summary.csv atc spreads tasks by them. trace.json opens in Perfetto or chrome://tracing:
  a lane for each stream, waits as arrows, the calls of this program above.
Exit status: 0 when all went well, 1 otherwise, a mismatch included.)";

}  // namespace

std::optional<int> ParseOptions(int argc, char** argv, Options* options) {
  CLI::App app(kDescription, "omrun");
  app.footer(kFooter);
  app.get_formatter()->column_width(30);

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
  app.add_option("--input", options->inputs, "a file for an input; repeatable")
      ->allow_extra_args(false)
      ->type_name("[NAME=]FILE");
  app.add_option("--shape", options->shapes, "dims of an input whose shape is open, as 1,3,224,224; repeatable")
      ->allow_extra_args(false)
      ->type_name("[NAME=]DIMS");
  auto* seed = app.add_option("--seed", options->seed, "random data of this seed for inputs without a file; default 0")
                   ->type_name("N");
  app.add_option("--output", options->output, "write out_<i> and outputs.json into this folder")
      ->check(named)
      ->type_name("DIR");
  app.add_option_function<std::string>("--outfmt", choose_format, "format of the outputs: NPY (default), BIN or TXT")
      ->type_name("FMT");
  app.add_option("--compare", options->compare, "compare the outputs with those in this folder")
      ->check(named)
      ->type_name("DIR");
  app.add_option("--rtol", options->limits.rtol, "relative tolerance of --compare")->check(limit)->type_name("X");
  app.add_option("--atol", options->limits.atol, "absolute tolerance of --compare")->check(limit)->type_name("X");
  app.add_option("--mincos", options->limits.mincos, "least cosine of --compare")->check(limit)->type_name("X");
  app.add_option("--loop", options->loop, "measured runs; default 1")
      ->check(CLI::Range(1u, 100000000u).description(""))
      ->type_name("N");
  app.add_option("--warmup", options->warmup,
                 "runs before the measured ones; default 1 when several are measured, else 0")
      ->type_name("N");
  app.add_option("--cores", options->cores, "CPU cores of the simulated device; default all")
      ->check(CLI::Range(1u, 65536u).description(""))
      ->type_name("N");
  app.add_option("--json", options->json, "write times, memory and comparison to this file")
      ->check(named)
      ->type_name("FILE");
  app.add_option("--profile", options->profile,
                 "write op_summary.csv and trace.json of the measured runs into this folder")
      ->check(named)
      ->type_name("DIR");
  app.add_option("--backend", options->backend, "the ACL library to use; default libascendcl.so beside this program")
      ->check(named)
      ->type_name("PATH");

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
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
