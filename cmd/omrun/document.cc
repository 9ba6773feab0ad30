#include "cmd/omrun/document.h"

#include <algorithm>

#include "cmd/omrun/flag_table.h"

namespace atc::omrun {
namespace {

std::vector<std::string> Words(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const size_t blank = std::min(list.find(' '), list.size());
    words.emplace_back(list.substr(0, blank));
    list.remove_prefix(std::min(blank + 1, list.size()));
  }
  return words;
}

docs::Flag ToDocument(const Flag& flag) {
  docs::Flag out;
  out.name = flag.name;
  out.meta = flag.meta;
  out.help = {std::string(flag.help)};
  out.example = flag.example;
  out.words = Words(flag.words);
  switch (flag.takes) {
    case Takes::kNothing: out.value = docs::Value::kNone; break;
    case Takes::kSwitch:
      out.value = docs::Value::kOptional;
      out.meta = "true|false";
      out.words = {"true", "false"};
      out.offer = docs::Offer::kWords;
      break;
    case Takes::kFile:
    case Takes::kNamedFile: out.offer = docs::Offer::kFiles; break;
    case Takes::kFolder: out.offer = docs::Offer::kFolders; break;
    case Takes::kWord: out.offer = docs::Offer::kWords; break;
    case Takes::kText: break;
  }
  return out;
}

}  // namespace

docs::Program OmrunDocument() {
  docs::Program program;
  program.name = "omrun";
  program.version = OPENATC_VERSION;
  program.tagline = "run om files";
  program.synopsis = {"omrun MODEL.om [flags]"};
  program.description = {
      "Runs a converted model on a simulated Ascend device, or through another ACL library. Without flags it prints "
      "the "
      "model's inputs and outputs, runs it once on random data and summarises the results.",
      "An input is NAME=FILE, or FILE alone for the next input that is not named: .npy, .npz, .bin (raw bytes), .pb "
      "(TensorProto) or .json (strings, which may also be written as they are). Element type and shape must be the "
      "model's. Once a file is given every input needs one, unless --seed is given too.",
      "The tolerance of --compare is |value - reference| <= atol + rtol * |reference|. Without limits it goes by the "
      "precision that the output is computed in: the narrowest floating-point type among the results that it depends on, "
      "as float16 for a float32 output of a model that was converted with --precision_mode_v2=fp16. rtol and atol are then "
      "1e-6 and 1e-9 for float64, 1e-3 and 1e-4 for float32, 1e-2 and 1e-3 for float16, 4e-2 and 1e-2 for bfloat16, 0.25 "
      "and 0.0625 for narrower ones; integers, bool and strings must be equal. --rtol and --atol by type mean the type of "
      "the output and override that. With --mincos alone only the cosine counts. Times are in milliseconds, sizes in bytes.",
  };
  program.argument = ".om";
  for (const Flag& flag : FlagTable()) {
    if (program.groups.empty() || program.groups.back().title != flag.group) {
      program.groups.push_back({std::string(flag.group), {}});
    }
    program.groups.back().flags.push_back(ToDocument(flag));
  }
  program.variables = {
      {"OPENATC_DEVICES", "1 to 64", {"How many devices are simulated, by the same cores. Default: 1."}},
      {"OPENATC_SOC_VERSION", "", {"The chip whose name programs are told. Default: Ascend910B1."}},
      {"ATC_FAULT",
       "",
       {"Lets the simulated device fail, to try programs: alloc[@N], kernel[:NAME][@N][=CODE], lost[:NAME][@N] or "
        "slow[:NAME][@N]=MS, with commas between several. @N is the N-th time, NAME a model's or an operator call's."}},
      {"ASCEND_OPP_PATH", "", {"Folder whose vendors/*/custom_operators/*.so bring operators of one's own."}},
      {"ASCEND_CUSTOM_OPP_PATH",
       "",
       {"Folders, with ':' between them, whose custom_operators/*.so bring operators of one's own."}},
  };
  program.exits = {{0, "All went well."}, {1, "It failed."}, {2, "--compare or --compare_dumps found a mismatch."}};
  program.examples = {
      {"omrun rec.om --input x=line.npy --output out/", "Run on one input; out/ gets out_0.npy, ... and outputs.json"},
      {"omrun rec.om --input x=line.npy --compare golden/ --rtol 1e-2 --atol 1e-3 --loop 50 --json report.json",
       "Check against golden/out_0.npy, ... and measure 50 runs"},
  };
  program.see_also = {"atc(1)"};
  return program;
}

}  // namespace atc::omrun
