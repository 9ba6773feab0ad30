#include "cmd/atc/command_line.h"

#include <catch2/catch.hpp>

#include "compiler/ir/error.h"
#include "compiler/ir/error_catalogue.h"

namespace atc::cli {
namespace {

FlagValues Parse(std::vector<std::string> args) { return ParseCommandLine(args); }

std::string LexicalMessage(std::vector<std::string> args) {
  try {
    ParseCommandLine(args);
  } catch (const LexicalError& error) {
    return error.what();
  }
  return "no error";
}

Diagnostic ValueError(std::vector<std::string> args) {
  try {
    ParseCommandLine(args);
  } catch (const Error& error) {
    return error.diagnostic();
  }
  return {};
}

std::string Argument(const Diagnostic& diagnostic, const std::string& name) {
  for (const auto& [key, value] : diagnostic.args) {
    if (key == name) return value;
  }
  return "none";
}

TEST_CASE("a value follows '=' or stands in the next argument, whatever it begins with") {
  CHECK(Parse({"--model=a=b.onnx"}).Get("model") == "a=b.onnx");
  CHECK(Parse({"--model", "a.onnx", "--framework", "5"}).Get("framework") == "5");
  CHECK(Parse({"--input_shape", "-1,3"}).Get("input_shape") == "-1,3");
  CHECK(Parse({"--model", "--framework"}).Get("model") == "--framework");
}

TEST_CASE("flags that atc does not have are given in full, and leave its prefixes alone") {
  CHECK(Parse({"--check_om=a.om"}).Get("check_om") == "a.om");
  CHECK(Parse({"--check=r.json"}).Get("check_report") == "r.json");
  CHECK_THROWS_AS(Parse({"--check_o=a.om"}), LexicalError);
  // What stands for a flag of atc, or for none, does so whatever flags of ours begin alike.
  const auto begin_so = [](std::string_view prefix) {
    std::vector<const Flag*> flags;
    for (const Flag& flag : FlagTable()) {
      if (!flag.own && flag.name.starts_with(prefix)) flags.push_back(&flag);
    }
    return flags;
  };
  int own = 0, prefixes = 0;
  for (const Flag& flag : FlagTable()) {
    own += flag.own;
    for (size_t size = 1; flag.own && size < flag.name.size(); ++size) {
      const std::string prefix(flag.name.substr(0, size));
      if (FindFlag(prefix) != nullptr || prefix == "h") continue;
      INFO(prefix);
      const auto flags = begin_so(prefix);
      if (flags.size() != 1) {
        CHECK_THROWS_AS(Parse({"--" + prefix + "=1"}), LexicalError);
      } else {
        // A value that the flag refuses is refused as that flag's.
        try {
          const FlagValues values = Parse({"--" + prefix + "=1"});
          CHECK(values.Given(flags[0]->name));
        } catch (const Error& error) {
          const std::string text = MessageText(error.diagnostic());
          CHECK((flags[0]->name == "log" || text.find(flags[0]->name) != std::string::npos));
        }
        ++prefixes;
      }
    }
  }
  CHECK(own > 10);
  CHECK(prefixes > 3);
}

TEST_CASE("one dash, dashes in names, and prefixes stand for the flag") {
  CHECK(Parse({"-model=m"}).Get("model") == "m");
  CHECK(Parse({"--input-shape=x:1-2"}).Get("input_shape") == "x:1-2");
  CHECK(Parse({"--soc=Ascend310"}).Get("soc_version") == "Ascend310");
  CHECK(Parse({"--out_n=a:0"}).Get("out_nodes") == "a:0");
  CHECK(Parse({"--output=o"}).Get("output") == "o");  // exact, though --output_type begins so
  CHECK(Parse({"-om", "m.om"}).Get("om") == "m.om");
  CHECK(LexicalMessage({"--dyn=1"}).find("ERROR: unknown command line flag 'dyn'") == 0);
  CHECK(LexicalMessage({"--dyn=1"}).find("--dynamic_batch_size, --dynamic_image_size, --dynamic_dims") !=
        std::string::npos);
}

TEST_CASE("of two values the last one counts") {
  CHECK(Parse({"--model=a", "--model=b"}).Get("model") == "b");
  CHECK_FALSE(Parse({"--model=a", "--model="}).IsSet("model"));
}

TEST_CASE("help is asked for in four ways, and takes a value only after '='") {
  for (const std::string arg : {"-h", "--h", "--help", "--help=YES"}) {
    INFO(arg);
    CHECK(Parse({arg}).Get("help") == "true");
  }
  CHECK(Parse({"--help=F"}).Get("help") == "false");
  CHECK(LexicalMessage({"--help", "true"}) == "ERROR: Non-option parameter: true");
  const Diagnostic error = ValueError({"--help=perhaps"});
  CHECK(error.code == "E10003");
  CHECK(Argument(error, "parameter") == "help");
  CHECK(Argument(error, "value") == "perhaps");
}

TEST_CASE("help takes the name of a flag, after '=' or blank") {
  CHECK(Parse({"--help", "input_shape"}).Get("help") == "input_shape");
  CHECK(Parse({"--help", "--input-shape"}).Get("help") == "input_shape");
  CHECK(Parse({"--help=model"}).Get("help") == "model");
  CHECK(Parse({"--help", "--mode=1"}).Get("help") == "true");
  CHECK(Parse({"--help", "soc"}).Get("help") == "soc_version");
  CHECK(MessageText(ValueError({"--help", "imput_shape"})).find("--help cannot be 'imput_shape'.") == 0);
  CHECK(ValueError({"--help", "imput_shape"}).cure == "Did you mean --help input_shape?");
  CHECK(ValueError({"--help", "dynamic"}).cure ==
        "Did you mean --help dynamic_batch_size or --help dynamic_image_size or --help dynamic_dims?");
}

TEST_CASE("json may stand without a name where JSON goes to the terminal") {
  const FlagValues values = Parse({"--mode=6", "--json", "--om=m.om"});
  CHECK(values.Given("json"));
  CHECK_FALSE(values.IsSet("json"));
  CHECK(values.Get("om") == "m.om");
  CHECK(LexicalMessage({"--json", "--mode=1"}).find("ERROR: flag 'json' is missing its argument") == 0);
  CHECK(LexicalMessage({"--mode=5", "--json"}).find("ERROR: flag 'json' is missing its argument") == 0);
}

TEST_CASE("faults of form are lines for the terminal") {
  CHECK(LexicalMessage({"--modle=m"}) ==
        "ERROR: unknown command line flag 'modle'\n       did you mean --mode or --model?");
  CHECK(LexicalMessage({"--xyzzy=1"}) == "ERROR: unknown command line flag 'xyzzy'");
  CHECK(LexicalMessage({"-x"}) == "ERROR: unknown command line flag 'x'");
  CHECK(LexicalMessage({"--mode=0", "--output"})
            .find("ERROR: flag 'output' is missing its argument; flag description: The file to write") == 0);
  CHECK(LexicalMessage({"m.onnx", "--mode=0"}) == "ERROR: Non-option parameter: m.onnx");
  CHECK(LexicalMessage({"--mode=0", "--", "--mode"}) == "ERROR: Non-option parameter: --mode");
  CHECK(LexicalMessage({"-"}) == "ERROR: Non-option parameter: -");
  CHECK(LexicalMessage({"--=3"}) == "ERROR: input argument value is empty or command line format is invalid");
}

TEST_CASE("the first bad flag ends the reading") {
  CHECK(ValueError({"--mode=2", "--xyzzy"}).code == "E10001");
  CHECK(LexicalMessage({"--xyzzy", "--mode=2"}).find("xyzzy") != std::string::npos);
}

TEST_CASE("legal values are checked while reading, whatever the mode") {
  const Diagnostic mode = ValueError({"--mode=2"});
  CHECK(mode.code == "E10001");
  CHECK(Argument(mode, "parameter") == "--mode");
  CHECK(Argument(mode, "value") == "2");
  // Words in the order of bytes, as atc gives them.
  CHECK(Argument(mode, "reason").find("[0] [1] [3] [30] [5] [6] [7]") != std::string::npos);

  const std::vector<std::pair<std::string, std::string>> faults = {
      {"--mode=-1", "E10001"},
      {"--mode=", "E10001"},
      {"--framework=2", "E10007"},
      {"--log=verbose", "E10010"},
      {"--dump_mode=2", "E10006"},
      {"--disable_reuse_memory=yes", "E10006"},
      {"--sparsity=2", "E10006"},
      {"--external_weight=3", "E10006"},
      {"--deterministic=2", "E10006"},
      {"--status_check=x", "E10006"},
      {"--display_model_info=2", "E10006"},
      {"--atomic_clean_policy=2", "E10006"},
      {"--virtual_type=2", "E10001"},
      {"--deterministic_level=4", "E10001"},
      {"--op_debug_level=5", "E10001"},
      {"--jit_compile=3", "E10001"},
      {"--core_type=aicore", "E10001"},
      {"--op_compiler_cache_mode=on", "E10001"},
      {"--buffer_optimize=l3", "E10001"},
      {"--shape_generalized_build_mode=x", "E10001"},
      {"--op_select_implmode=fast", "E10001"},
      {"--precision_mode=fp16", "E10001"},
      {"--precision_mode_v2=force_fp16", "E10001"},
  };
  for (const auto& [flag, code] : faults) {
    INFO(flag);
    CHECK(ValueError({flag}).code == code);
  }
  CHECK(Parse({"--external_weight=2"}).Get("external_weight") == "2");
}

TEST_CASE("the canonical line has table order, base names, and nothing that is not set") {
  const FlagValues flags = Parse({"--output=/tmp/x/rec", "--soc_version=Ascend910B3", "--model=../a/m.onnx",
                                  "--framework=5", "--json=", "--log=info", "--display_model_info=1"});
  CHECK(flags.Canonical() == "atc --model=m.onnx --framework=5 --output=rec --soc_version=Ascend910B3");
}

TEST_CASE("the flag table is well formed") {
  for (const Flag& flag : FlagTable()) {
    INFO(flag.name);
    CHECK(FindFlag(flag.name) == &flag);  // no name twice
    CHECK_FALSE(flag.help.empty());
    CHECK(flag.name.find('-') == std::string_view::npos);
    const auto words = Words(flag.values);
    if (!words.empty() && !flag.fallback.empty()) {
      CHECK(std::find(words.begin(), words.end(), flag.fallback) != words.end());
    }
    CHECK((flag.effect == Effect::kUsed || flag.modes == kConvert));
  }
}

}  // namespace
}  // namespace atc::cli
