#include "cmd/omrun/flag_table.h"

#include <algorithm>
#include <iterator>

namespace atc::omrun {
namespace {

using enum Takes;

// name, group, value, its name, legal words, help, example, other names
constexpr Flag kFlags[] = {
    {"help", "General", kNothing, "", "", "print this text", ""},
    {"symbols", "General", kNothing, "", "",
     "print which functions of ACL the library has and which are missing, and end; needs no model", ""},
    {"version", "General", kNothing, "", "", "print the version of the program", ""},
    {"input", "Input", kNamedFile, "[NAME=]FILE", "", "a file for an input; repeatable", "--input x=line.npy",
     "-i"},
    {"shape", "Input", kText, "[NAME=]DIMS", "", "dims of an input whose shape is open, as 1,3,224,224; repeatable",
     "--shape x=1,3,224,224"},
    {"seed", "Input", kText, "N", "", "random data of this seed for inputs without a file; default 0", "--seed 7"},
    {"output", "Output", kFolder, "DIR", "", "write out_<i> and outputs.json into this folder", "--output out",
     "-o"},
    {"outfmt", "Output", kWord, "FMT", "NPY BIN TXT", "format of the outputs: NPY (default), BIN or TXT",
     "--outfmt BIN"},
    {"json", "Output", kFile, "FILE", "", "write times, memory and comparison to this file", "--json report.json"},
    {"profile", "Output", kFolder, "DIR", "",
     "write op_summary.csv and trace.json of the measured runs into this folder", "--loop 10 --profile prof"},
    {"compare", "Comparison", kFolder, "DIR", "", "compare the outputs with those in this folder",
     "--compare golden --rtol 1e-2", "--loadRefOutputs"},
    {"rtol", "Comparison", kText, "X", "", "relative tolerance of --compare", ""},
    {"atol", "Comparison", kText, "X", "", "absolute tolerance of --compare", ""},
    {"mincos", "Comparison", kText, "X", "", "least cosine of --compare", "--compare golden --mincos 0.999"},
    {"loop", "Measurement", kText, "N", "", "measured runs; default 1", "--loop 50", "--iterations,-l"},
    {"duration", "Measurement", kText, "S", "", "measure for so many seconds, and at least --loop runs", "--duration 10"},
    {"percentile", "Measurement", kText, "P,...", "", "further percentiles of the latency to print", "--loop 100 --percentile 95,99.9"},
    {"warmup", "Measurement", kText, "N", "",
     "runs before the measured ones; default 1 when several are measured, else 0", "--loop 50 --warmup 5",
     "--warmup_count"},
    {"cores", "Device", kText, "N", "", "CPU cores of the simulated device; default all", "--cores 2"},
    {"backend", "Device", kFile, "PATH", "", "the ACL library to use; default libascendcl.so beside this program",
     "--backend /usr/local/lib/libascendcl.so", "--device_lib"},
};

constexpr HelpText kFrame = {
    "Runs a converted model (.om). With no options it prints the model's inputs and outputs, runs it once on random\n"
    "data and prints a summary of the results.",
    R"(Examples:
  omrun rec.om --input x=line.npy --output out/
      run on one input; out/ gets out_0.npy, out_1.npy, ... and outputs.json
  omrun rec.om --input x=line.npy --compare golden/ --rtol 1e-2 --atol 1e-3 --loop 50 --json report.json
      check against golden/out_0.npy, ... and measure 50 runs

Inputs:
  NAME=FILE names the input; FILE alone goes to the next input that is not named. A name may hold ':' and '='.
  .npy, .npz (its arrays bear the inputs' names; else they are taken in order), .bin (raw bytes), .pb (TensorProto),
  .json (strings, in nested lists). Strings may also be written as they are: --input 'text=["one", "two"]'.
  Element type and shape must be the model's. Once a file is given every input needs one, unless --seed is given too.
  Random floats are in [-1, 1), integers in 0..7; the same seed gives the same data everywhere.
Results:
  The tolerance is |value - reference| <= atol + rtol * |reference|; without any limit rtol is 1e-3 and atol 1e-4.
  With --mincos alone only the cosine counts. Times are in milliseconds, sizes in bytes, MB are 10^6 bytes.
Names of other runners are taken too: -m and --model (the model), -i, -o, -l, --iterations, --warmup_count,
  --loadRefOutputs, --device_lib.
Profile:
  op_summary.csv has the columns of msprof; times are those of the simulated device on this CPU, not of an NPU. With
  MINIDAG_PROFILING_PATH=DIR/op_summary.csv atc spreads tasks by them. trace.json opens in Perfetto or chrome://tracing:
  a lane for each stream, waits as arrows, the calls of this program above.
Exit status: 0 when all went well, 1 otherwise, a mismatch included.)"};

}  // namespace

std::span<const Flag> FlagTable() { return kFlags; }

const Flag* FindFlag(std::string_view name) {
  const auto found = std::find_if(std::begin(kFlags), std::end(kFlags), [&](const Flag& f) { return f.name == name; });
  return found == std::end(kFlags) ? nullptr : found;
}

HelpText HelpFrame() { return kFrame; }

}  // namespace atc::omrun
