#include "cmd/omrun/flag_table.h"

#include <algorithm>
#include <iterator>

#include "cmd/omrun/other_runners.h"

namespace atc::omrun {
namespace {

using enum Takes;

// name, group, value, its name, legal words, help, example, other names, names of the opposite
constexpr Flag kFlags[] = {
    {"help", "General", kNothing, "", "", "print this text", ""},
    {"symbols", "General", kNothing, "", "",
     "print which functions of ACL the library has and which are missing, and end; needs no model", ""},
    {"version", "General", kNothing, "", "", "print the version of the program", ""},
    {"debug", "General", kSwitch, "", "", "print each sample as it is done, and every call into the device", "",
     "--verbose"},

    {"input", "Input", kNamedFile, "[NAME=]SOURCE", "",
     "what feeds an input: a file, folder, pattern or literal; repeatable", "--input x=line.npy",
     "-i,--loadInputs"},
    {"manifest", "Input", kFile, "FILE", "", "the samples as a list: .json, .csv or .txt", "--manifest samples.csv"},
    {"shape", "Input", kText, "[NAME=]DIMS", "", "dims of an input whose shape is open, as 1,3,224,224; repeatable",
     "--shape x=1,3,224,224", "--dymShape,--shapes"},
    {"shape_range", "Input", kText, "NAME:DIMS;...", "",
     "a run for each combination: a~b are all from a to b, a-b-c are these", "--shape_range 'x:1,3,200~202,224-448'",
     "--dymShape_range"},
    {"fill", "Input", kWord, "WITH", "random zero", "data for inputs without a source: random (default) or zero",
     "--fill zero", "--pure_data_type"},
    {"seed", "Input", kText, "N", "", "random data of this seed for inputs without a source; default 0", "--seed 7"},
    {"batch", "Input", kText, "N", "", "join so many samples along dim 0 for each run; the last run is filled up",
     "--input images --batch 8", "--batchsize"},
    {"gear_batch", "Input", kText, "N", "", "the gear of a model with several batch sizes", "--gear_batch 4",
     "--dymBatch"},
    {"gear_hw", "Input", kText, "H,W", "", "the gear of a model with several image sizes", "--gear_hw 224,224",
     "--dymHW"},
    {"gear_dims", "Input", kText, "NAME:DIMS;...", "", "the gear of a model with several dims, the dims of every input",
     "--gear_dims 'x:1,3,224,224'", "--dymDims"},
    {"gear_auto", "Input", kSwitch, "", "", "take the gear that the dims of each sample's .npy files name", "",
     "--auto_set_dymdims_mode,--auto_set_dymshape_mode"},
    {"output_size", "Input", kText, "BYTES,...", "",
     "memory for each output whose size is open; without it the device takes what a run needs",
     "--output_size 4000,8000", "--outputSize"},

    {"output", "Output", kFolder, "DIR", "", "write the outputs and outputs.json into this folder", "--output out",
     "-o"},
    {"output_dirname", "Output", kText, "NAME", "", "write them into this folder below --output",
     "--output out --output_dirname run1"},
    {"outfmt", "Output", kWord, "FMT", "NPY BIN TXT JSON", "format of the outputs: NPY (default), BIN, TXT or JSON",
     "--outfmt BIN"},
    {"output_batch_axis", "Output", kText, "N", "", "the dim along which --batch parts the outputs again; default 0",
     "--batch 8 --output_batch_axis 1", "--output_batchsize_axis"},
    {"json", "Output", kFile, "FILE", "", "write times, memory and comparison to this file", "--json report.json"},
    {"export_times", "Output", kFile, "FILE", "", "write begin and end of every run's parts to this JSON file",
     "--loop 100 --export_times times.json", "--exportTimes"},
    {"profile", "Output", kFolder, "DIR", "",
     "write op_summary.csv, op_statistic.csv and trace.json of the measured runs into this folder",
     "--loop 10 --profile prof"},
    {"profiler", "Output", kSwitch, "", "", "as --profile, into profiler below --output", ""},
    {"print_profile", "Output", kSwitch, "", "", "print the time of each operator", "", "--dumpProfile"},
    {"export_profile", "Output", kFile, "FILE", "", "write the time of each operator to this JSON file",
     "--export_profile ops.json", "--exportProfile"},
    {"print_layers", "Output", kSwitch, "", "", "print the tasks of the plan, stream by stream", "", "--dumpLayerInfo"},
    {"export_layers", "Output", kFile, "FILE", "", "write the tasks of the plan to this JSON file",
     "--export_layers plan.json", "--exportLayerInfo"},
    {"dump_tensors", "Output", kFolder, "DIR", "",
     "write the outputs of every node, of the first run, and index.json into this folder", "--dump_tensors nodes"},
    {"dump", "Output", kSwitch, "", "", "as --dump_tensors, into dump below --output", ""},
    {"dump_nodes", "Output", kText, "NAME,...", "", "only these nodes, by their names or those in the source model",
     "--dump_tensors nodes --dump_nodes conv1,fc", "--dumpTensors"},
    {"dump_on_error", "Output", kFolder, "DIR", "",
     "when a run fails, write its inputs, error.json and what the nodes of a second run of them make into this folder",
     "--dump_on_error fault", "--dumpOnError"},

    {"compare", "Comparison", kFolder, "DIR|[NAME=]FILE", "",
     "compare the outputs with those in this folder, or an output with this file; repeatable",
     "--compare golden --rtol 1e-2", "--loadRefOutputs"},
    {"rtol", "Comparison", kText, "[TYPE=]X,...", "", "relative tolerance, of all types or of these", "--compare golden --rtol float16=1e-2,float32=1e-4"},
    {"atol", "Comparison", kText, "[TYPE=]X,...", "", "absolute tolerance, likewise", ""},
    {"mincos", "Comparison", kText, "X", "", "least cosine", "--compare golden --mincos 0.999", "--cosine"},
    {"metric", "Comparison", kWord, "NAME", "l0 l1 l2 linf cos",
     "judge by one figure instead, which must be at most --threshold", "--compare golden --metric l2 --threshold 1e-3",
     "--accuracyAlgorithm"},
    {"threshold", "Comparison", kText, "X", "", "the most that --metric may be; default 0", "", "--accuracyThreshold"},
    {"compare_dumps", "Comparison", kFolder, "DIR,DIR", "",
     "compare two folders of --dump_tensors and name the first node that differs; needs no model",
     "--compare_dumps one,two"},

    {"loop", "Measurement", kText, "N", "", "measured runs of each sample; default 1", "--loop 50", "--iterations,-l"},
    {"duration", "Measurement", kText, "S", "", "measure for so many seconds, and at least --loop runs", "--duration 10"},
    {"warmup", "Measurement", kText, "N", "",
     "runs before the measured ones; default 1 when several are measured, else 0", "--loop 50 --warmup 5",
     "--warmup_count"},
    {"warmup_ms", "Measurement", kText, "MS", "", "and run until so many milliseconds have passed", "--warmup_ms 200",
     "--warmUp"},
    {"threads", "Measurement", kText, "N", "", "host threads that run the model at the same time", "--threads 4"},
    {"streams", "Measurement", kText, "N", "",
     "runs that each thread keeps in flight, each with a stream and a copy of the model of its own", "--streams 2",
     "--infStreams"},
    {"transfers", "Measurement", kSwitch, "", "", "copy inputs and outputs in every run, not only when the sample changes",
     "", "--includeDataTransfers", "--noDataTransfers"},
    {"check_runs", "Measurement", kSwitch, "", "", "check that every run of a sample gives the same bits", ""},
    {"percentile", "Measurement", kText, "P,...", "", "further percentiles of the latency to print",
     "--loop 100 --percentile 95,99.9"},
    {"avg_runs", "Measurement", kText, "N", "", "print the mean latency of every N runs in turn", "--loop 100 --avg_runs 10",
     "--avgRuns"},
    {"display_all_summary", "Measurement", kSwitch, "", "", "print the summary in the lines of ais_bench, copies included",
     ""},
    {"run_mode", "Measurement", kWord, "MODE", "array files tensor full",
     "when samples are read: array (default) and tensor: when it is their turn, then kept up to 512 MB; files: again for "
     "each run; full: all of them before the first run",
     "--input 'x=in/*.npy' --run_mode full"},
    {"idle", "Measurement", kText, "MS", "", "pause so long after each run; the throughput counts the pauses", "--loop 20 --idle 50",
     "--idleTime"},
    {"start_delay", "Measurement", kText, "MS", "", "wait so long once, between loading the model and the first run",
     "--start_delay 500", "--sleepTime"},
    {"spin", "Measurement", kSwitch, "", "", "ask for the end of a run again and again instead of sleeping", "",
     "--useSpinWait", "--noSpinWait"},
    {"timeout", "Measurement", kText, "MS", "", "fail when a run takes longer", "--timeout 5000"},

    {"device", "Device", kText, "N,...", "", "the devices to run on, all at the same time; default 0", "--device 0,1",
     "-d"},
    {"cores", "Device", kText, "N", "", "CPU cores of the simulated device; default all", "--cores 2"},
    {"backend", "Device", kFile, "PATH", "",
     "the ACL library to use, or sim, ascend, auto; default libascendcl.so beside this program",
     "--backend /usr/local/lib/libascendcl.so", "--device_lib"},
    {"fallback", "Device", kWord, "WHERE", "error cpu",
     "when the library of --backend or its device cannot be used: error (default) ends, cpu runs on the simulated device "
     "and says so",
     "--backend ascend --fallback cpu"},
    {"acl_config", "Device", kFile, "FILE", "", "the configuration that aclInit is given", "--acl_config acl.json",
     "--acl_json_path"},
};

constexpr std::string_view kDescription =
    "Runs a converted model (.om). With no options it prints the model's inputs and outputs, runs it once on random\n"
    "data and prints a summary of the results.";

constexpr std::string_view kFooter = R"(Examples:
  omrun rec.om --input x=line.npy --output out/
      run on one input; out/ gets out_0.npy, out_1.npy, ... and outputs.json
  omrun rec.om --input x=line.npy --compare golden/ --rtol 1e-2 --atol 1e-3 --loop 50 --json report.json
      check against golden/out_0.npy, ... and measure 50 runs
  omrun rec.om --input 'x=lines/*.npy' --output out/ --batch 4
      run on many samples, four at a time; out/ gets NAME_0.npy, ... of each
  omrun rec.om --duration 10 --threads 2 --streams 2 --percentile 95 --json report.json
      four copies of the model at the same time, for ten seconds
  omrun a.om --dump_tensors one && omrun b.om --dump_tensors two && omrun --compare_dumps one,two
      find the first node whose result differs between two conversions of one model

Inputs:
  NAME=SOURCE (or NAME:SOURCE) names the input; SOURCE alone goes to the next input that is not named, and A,B are two
  of them where both exist. A name may hold ':' and '='. A source is
    a file: .npy, .npz (its arrays bear the inputs' names; else they are taken in order), .bin (raw bytes), .txt (numbers),
      .pb (TensorProto), .json (strings, in nested lists; or what --outfmt JSON writes);
    a folder or a pattern ('in/*.npy'): a sample for each such file, in the order of their names; a single source beside
      it serves all samples;
    a literal: 1,2,3 or [[1,2],[3,4]], one number for all elements, 0..9, 0..9:3 (the end counts) or 0.. (as many as the
      shape takes), random, random:SEED, zero, or strings: 'text=["one", "two"]'.
  Element type and shape must be the model's. Once a source is given every input needs one, unless --seed or --fill is
  given too. Random floats are in [-1, 1), integers in 0..7; the same seed gives the same data everywhere.
Manifests (--manifest), paths relative to the file:
  .json  [{"name": "a", "inputs": {"x": "a.npy"}, "outputs": {"y": "a_y.npy"}}, ...]; inputs and outputs may be lists in
         the model's order; outputs are what to compare with; name and outputs may be left out
  .csv   a line of titles: name, the inputs' names, and expected:OUTPUT; then a line a sample
  .txt   a line a sample: its files in order, and after -> those to compare with; # begins a comment
Outputs:
  One sample gives out_0.npy, out_1.npy, ...; samples of a folder, pattern or manifest NAME_0.npy, ..., where NAME is that
  of the file (the first input's) or of the manifest. outputs.json tells names, shapes and types.
Batches:
  --batch N joins N samples along dim 0 of the inputs, whose dim 0 is N times a sample's or open. The last run is filled up
  with its last sample again; what that gives is dropped. Without --batch a sample is a run.
Comparison:
  An output NODE:0:TENSOR may be named by NODE or TENSOR alone, where that is one of them. The tolerance is
  |value - reference| <= atol + rtol * |reference|. Without limits it goes by the precision that the output is computed in,
  the narrowest floating-point type among the results that it depends on:
    float64 1e-6 and 1e-9, float32 1e-3 and 1e-4, float16 1e-2 and 1e-3, bfloat16 4e-2 and 1e-2 (rtol and atol), 8-bit and
    4-bit floats 0.25 and 0.0625; integers, bool and strings must be equal. --rtol and --atol by type mean that of the
    output.
  With --mincos alone only the cosine counts. NaN matches NaN, an infinity itself. --metric l0 counts elements beyond the
  tolerance, l1 and l2 are norms of the difference relative to the reference's, linf is the largest difference, cos is
  1 - cosine.
In flight:
  devices x threads x streams runs at a time, each with a copy of the model, its own memory and one sample; the constants
  of the file are shared. Results are those of one thread. Latency is that of the execution alone; throughput counts
  samples by the wall clock. Times are in milliseconds, sizes in bytes, MB are 10^6 bytes.
Other runners (msame, ais_bench, trtexec):
  Where the model is named by -m or --model, or a flag bears its name in ais_bench, the summaries of those two are printed
  besides, under their names ("NPU_compute_time") and with a line that says whose times they are.
)";

constexpr std::string_view kOtherNames = "  Their names are taken, also with - between words: ";
constexpr std::string_view kNamesWithoutEffect = "  Taken with a note, as there is nothing to act on: ";

constexpr std::string_view kAfterNames = R"(
Profile:
  op_summary.csv has the columns of msprof; times are those of the simulated device on this CPU, not of an NPU. With
  MINIDAG_PROFILING_PATH=DIR/op_summary.csv atc spreads tasks by them. trace.json opens in Perfetto or chrome://tracing:
  a lane for each stream, waits as arrows, the calls of this program above.
Environment (of the simulated device):
  OPENATC_DEVICES=N simulates N devices. ATC_FAULT=kernel@2, alloc, lost or slow=MS lets it fail. ASCEND_OPP_PATH and
  ASCEND_CUSTOM_OPP_PATH are where operators of one's own are found. The manual page omrun(1) says more.
Exit status: 0 when all went well, 1 when it failed, 2 when a comparison found a mismatch.)";

// As lines of the help, of which the first holds `used` letters already.
std::string Wrapped(const std::vector<std::string>& names, size_t used) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string word = names[i] + (i + 1 == names.size() ? "." : ", ");
    if (used + word.size() > 118) {
      while (!text.empty() && text.back() == ' ') text.pop_back();
      text += "\n  ";
      used = 2;
    }
    text += word;
    used += word.size();
  }
  return text;
}

}  // namespace

std::span<const Flag> FlagTable() { return kFlags; }

const Flag* FindFlag(std::string_view name) {
  const auto found = std::find_if(std::begin(kFlags), std::end(kFlags), [&](const Flag& f) { return f.name == name; });
  return found == std::end(kFlags) ? nullptr : found;
}

HelpText HelpFrame() {
  const std::string others = std::string(kOtherNames) + Wrapped(OtherNames(), kOtherNames.size());
  const std::string without = std::string(kNamesWithoutEffect) + Wrapped(NamesWithoutEffect(), kNamesWithoutEffect.size());
  return {kDescription, std::string(kFooter) + others + "\n" + without + std::string(kAfterNames)};
}

}  // namespace atc::omrun
