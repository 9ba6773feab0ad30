#include "cmd/atc/validate.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "cmd/atc/paths.h"
#include "compiler/ir/error_catalogue.h"

namespace atc::cli {
namespace {

// A folder with a readable file in it, for the life of a test.
struct Folder {
  std::string path;
  std::string model;

  Folder() {
    char name[] = "/tmp/openatc_validate_XXXXXX";
    path = mkdtemp(name);
    model = path + "/m.onnx";
    std::ofstream(model) << "x";
  }
  ~Folder() { std::filesystem::remove_all(path); }

  // A full command line, with `extra` after it: a flag given again replaces the one here.
  std::vector<std::string> Line(std::vector<std::string> extra = {}) const {
    std::vector<std::string> line = {"--model=" + model, "--framework=5", "--soc_version=Ascend910B3",
                                     "--output=" + path + "/out/m"};
    line.insert(line.end(), extra.begin(), extra.end());
    return line;
  }
};

CompileOptions Check(const std::vector<std::string>& line, Diagnostics* warnings = nullptr) {
  Diagnostics ignored;
  const FlagValues flags = ParseCommandLine(line);
  CheckAlways(flags);
  return CheckConversion(flags, warnings ? warnings : &ignored);
}

Diagnostic Fault(const std::vector<std::string>& line) {
  try {
    Check(line);
  } catch (const Error& error) {
    return error.diagnostic();
  }
  return {};
}

bool Mentions(const Diagnostic& diagnostic, const std::string& text) {
  return MessageText(diagnostic).find(text) != std::string::npos;
}

TEST_CASE("no output replaces a file that is read") {
  const Folder folder;
  const std::string model = folder.path + "/m.om";
  std::ofstream(model) << "x";
  const Diagnostic own = Fault(folder.Line({"--model=" + model, "--output=" + folder.path + "/./m"}));
  CHECK(own.code == "E10001");
  CHECK(Mentions(own, "the file of --model"));
  const std::string named = folder.path + "/m_solaris_arm.om";
  std::ofstream(named) << "x";
  const std::vector<std::string> host = {"--host_env_os=solaris", "--host_env_cpu=arm"};
  CHECK(Fault(folder.Line({"--model=" + named, "--output=" + folder.path + "/m", host[0], host[1]})).code == "E10001");
  const FlagValues json = ParseCommandLine(std::vector<std::string>{"--mode=1", "--om=" + model, "--json=" + model});
  CHECK_THROWS_AS(CheckToJson(json), Error);
}

TEST_CASE("a good command line becomes options") {
  const Folder folder;
  Diagnostics warnings;
  const CompileOptions options =
      Check(folder.Line({"--input_shape=x:1,3,-1", "--out_nodes=a:0;b:1", "--output_type=b:1:FP16",
                         "--precision_mode_v2=origin", "--enable_single_stream=true", "--disable_reuse_memory=1",
                         "--input_format=ND", "--host_env_cpu=aarch64"}),
            &warnings);
  CHECK(options.model_path == folder.model);
  CHECK(options.output_path == folder.path + "/out/m");
  CHECK(options.soc_version == "Ascend910B3");
  REQUIRE(options.input_shapes.size() == 1);
  CHECK_FALSE(options.input_shapes_by_position);
  CHECK(options.input_shapes[0].name == "x");
  CHECK(options.out_nodes.size() == 2);
  CHECK(options.output_type.items.size() == 1);
  CHECK(options.precision_mode == PrecisionMode::kKeepOrigin);
  CHECK(options.single_stream);
  CHECK(options.disable_reuse_memory);
  CHECK(options.input_format == FORMAT_ND);
  CHECK(options.host_env_os == "linux");
  CHECK(options.host_env_cpu == "aarch64");
  CHECK(options.atc_cmdline.find(folder.path) == std::string::npos);
  CHECK(options.atc_cmdline.find("atc --model=m.onnx --framework=5 --input_format=ND --input_shape=x:1,3,-1") == 0);
  CHECK(warnings.all().empty());
  CHECK_FALSE(std::filesystem::exists(folder.path + "/out"));  // checks make nothing
}

TEST_CASE("defaults") {
  const Folder folder;
  const CompileOptions options = Check(folder.Line());
  CHECK(options.precision_mode == PrecisionMode::kForceFp16);
  CHECK(options.input_format == FORMAT_NCHW);
  CHECK_FALSE(options.single_stream);
  CHECK(Check(folder.Line({"--input_shape=1,3;2"})).input_shapes_by_position);
  CHECK(Check(folder.Line({"--input_shape=x:1", "--input_shape_range=x:[2~3]"})).input_shapes[0].dims[0].max == 3);
}

TEST_CASE("the order of the checks decides which fault is told") {
  const Folder folder;
  CHECK(Fault({}).code == "E10007");
  CHECK(Fault({"--framework=0"}).code == "E10008");
  CHECK(Fault({"--framework=5", "--input_format=XY"}).code == "E10001");
  // soc_version, then output, then model
  CHECK(Mentions(Fault({"--framework=5"}), "--soc_version"));
  CHECK(Fault({"--framework=5"}).code == "E10054");
  CHECK(Mentions(Fault({"--framework=5", "--soc_version=Ascend310"}), "--output"));
  CHECK(Mentions(Fault({"--framework=5", "--soc_version=Ascend310", "--output=/tmp/m"}), "--model"));
  // the model's path before the output's, that before precision, that before shapes
  CHECK(Mentions(Fault(folder.Line({"--model=" + folder.path + "/none", "--output=" + folder.path + "/"})), "Errno 2"));
  CHECK(Fault(folder.Line({"--output=" + folder.path + "/", "--precision_mode=force_fp16", "--precision_mode_v2=fp16"}))
            .code == "E10022");
  CHECK(Fault(folder.Line({"--precision_mode=force_fp16", "--precision_mode_v2=fp16", "--input_shape=a:0"})).code ==
        "E10056");
  CHECK(Fault(folder.Line({"--input_shape=a:0", "--enable_single_stream=yes"})).code == "E10011");
  CHECK(Fault(folder.Line({"--enable_single_stream=yes", "--host_env_os=dos"})).code == "E10005");
}

TEST_CASE("codes of single flags") {
  const Folder folder;
  const std::vector<std::pair<std::vector<std::string>, std::string>> faults = {
      {{"--input_format=NHWC"}, "E10001"},
      {{"--host_env_os=dos"}, "E10001"},
      {{"--host_env_cpu=mips"}, "E10001"},
      {{"--is_weight_clip=2"}, "E10006"},
      {{"--ac_parallel_enable=2"}, "E10006"},
      {{"--tiling_schedule_optimize=x"}, "E10006"},
      {{"--quant_dumpable=x"}, "E10006"},
      {{"--allow_hf32=1"}, "E10005"},
      {{"--enable_attr_compression=1"}, "E10005"},
      {{"--save_original_model=1"}, "E10005"},
      {{"--static_model_ops_lower_limit=-2"}, "E10001"},
      {{"--optypelist_for_implmode=Pooling"}, "E10001"},
      {{"--modify_mixlist=" + folder.model}, "E10001"},
      {{"--auto_tune_mode=RL"}, "E10001"},
      {{"--deterministic=1", "--deterministic_level=0"}, "E10001"},
      {{"--deterministic_level=1"}, "E10001"},
      {{"--oo_level=O2"}, "E10001"},
      {{"--multi_stream_parallel_mode=LoadBalance:65"}, "E10001"},
      {{"--multi_stream_parallel_mode=MainStream"}, "E10001"},
      {{"--aicore_num=0"}, "E20101"},
      {{"--aicore_num=8|x"}, "E20101"},
      {{"--topo_sorting_mode=4"}, "E10001"},
      {{"--dynamic_batch_size=1,2"}, "E10004"},
      {{"--dynamic_batch_size=1,2", "--dynamic_dims=1;2"}, "E10009"},
      {{"--dynamic_batch_size=1,2", "--input_shape=x:1~2"}, "E10040"},
      {{"--input_hint_shape=0:1"}, "E10014"},
      {{"--input_hint_shape=0:[1];0:[2]"}, "E10014"},
      {{"--input_hint_shape=0:[1]", "--dynamic_dims=1;2", "--input_shape=x:-1"}, "E10001"},
      {{"--dynamic_dims=1;2", "--input_shape=x:-1", "--insert_op_conf=" + folder.model}, "E10001"},
      {{"--enable_compress_weight=true", "--compress_weight_conf=" + folder.model}, "E10047"},
      {{"--singleop=" + folder.model, "--display_model_info=1"}, "E10001"},
      {{"--is_output_adjust_hw_layout=1"}, "E10005"},
      {{"--fusion_switch_file=" + folder.path + "/none"}, "E10001"},
      {{"--output_type=FP64"}, "E10001"},
      {{"--out_nodes=a;b:0"}, "E10001"},
      {{"--soc_version=Ascend035"}, "E10055"},
      {{"--mode=30"}, "E10055"},
  };
  for (const auto& [flags, code] : faults) {
    INFO(flags[0]);
    CHECK(Fault(folder.Line(flags)).code == code);
  }
}

TEST_CASE("what would change the model is refused, unless it says what is so anyway") {
  const Folder folder;
  for (const std::string& flag :
       {std::string("--mode=7"), std::string("--mode=30"), std::string("--framework=1")}) {
    INFO(flag);
    const Diagnostic fault = Fault(folder.Line({flag}));
    CHECK(fault.code == "E10055");
    CHECK_FALSE(fault.cure.empty());
  }
  CHECK(Fault({"--mode=7"}).code == "E10055");  // before what else is missing
  CHECK(Fault(folder.Line({"--compression_optimize_conf=" + folder.model})).code == "E10001");  // no such toolkit
  CHECK(Fault(folder.Line({"--singleop=" + folder.model})).code == "E10001");  // with --framework
  for (const std::string flag : {"--multi_stream_parallel_mode=cv", "--multi_stream_parallel_mode=MainStream:64",
                                 "--aicore_num=8|", "--aicore_num=8|16", "--external_weight=2",
                                 "--is_output_adjust_hw_layout=false,false", "--save_original_model=true",
                                 "--input_fp16_nodes=x"}) {
    INFO(flag);
    CHECK(Fault(folder.Line({flag})).code == "");
  }
}

TEST_CASE("flags without effect give one warning, unless they say what is so anyway") {
  const Folder folder;
  Diagnostics warnings;
  Check(folder.Line({"--sparsity=1", "--virtual_type=0", "--op_debug_level=2", "--deterministic=1"}), &warnings);
  REQUIRE(warnings.all().size() == 1);
  CHECK(warnings.all()[0].code == "W10001");
  CHECK(Mentions(warnings.all()[0], "--sparsity=1, --op_debug_level=2."));
}

TEST_CASE("modes 1 and 6 ask for their files alone") {
  const Folder folder;
  const auto code = [](const auto& check, const std::vector<std::string>& line) {
    try {
      check(ParseCommandLine(line));
    } catch (const Error& error) {
      return error.diagnostic().code;
    }
    return std::string();
  };
  const std::string om = "--om=" + folder.model, json = "--json=" + folder.path + "/m.json";
  CHECK(code(CheckToJson, {"--mode=1", json}) == "E10004");
  CHECK(code(CheckToJson, {"--mode=1", om}) == "E10004");
  CHECK(code(CheckToJson, {"--mode=1", om, json, "--framework=1"}) == "E10001");
  CHECK(code(CheckToJson, {"--mode=1", om, json, "--framework=0"}) == "E10055");
  CHECK(code(CheckToJson, {"--mode=1", om + "x", json}) == "E10001");
  const auto source = [](std::vector<std::string> line) { return CheckToJson(ParseCommandLine(line)).source; };
  CHECK(source({"--mode=1", om, json}) == ToJsonRequest::kOm);
  CHECK(source({"--mode=1", om, json, "--framework=5"}) == ToJsonRequest::kOnnx);
  CHECK(source({"--mode=1", om, json, "--framework=5", "--dump_mode=1"}) == ToJsonRequest::kOnnxInferred);
  CHECK(source({"--mode=1", om, json, "--framework=3"}) == ToJsonRequest::kTensorFlow);
  CHECK(source({"--mode=1", om, json, "--framework=3", "--dump_mode=1"}) == ToJsonRequest::kTensorFlowInferred);
  CHECK(code(CheckToJson, {"--mode=5", om, json}) == "E10001");
  std::ofstream(folder.path + "/d.txt") << "x";
  CHECK(source({"--mode=5", "--om=" + folder.path + "/d.txt", json}) == ToJsonRequest::kTextDump);
  CHECK(code(CheckDisplay, {"--mode=6"}) == "E10004");
  CHECK(code(CheckDisplay, {"--mode=6", om, "--framework=5"}) == "E10057");
  CHECK(CheckDisplay(ParseCommandLine(std::vector<std::string>{om})) == folder.model);
}

TEST_CASE("paths") {
  const Folder folder;
  const auto code = [](const auto& check) {
    try {
      check();
    } catch (const Error& error) {
      return error.diagnostic().code;
    }
    return std::string();
  };
  const auto characters = [&](const std::string& path) { return code([&] { CheckPathCharacters("om", path); }); };
  CHECK(characters("a/B-9_.z") == "");
  CHECK(characters("\u6A21\u578B/\u4E00\u9FA5.onnx") == "");
  CHECK(characters("\u9FA6") == "E10001");
  CHECK(characters("caf\u00E9") == "E10001");
  CHECK(characters("a b") == "E10001");
  CHECK(characters("a+b") == "E10001");
  CHECK(characters("\xE6\xA8") == "E10001");  // cut in the middle of a character

  CHECK(code([&] { CheckInputFile("om", ""); }) == "E10004");
  CHECK(code([&] { CheckInputFile("om", folder.path); }) == "E10001");
  CHECK(code([&] { CheckInputFile("om", folder.model); }) == "");
  CHECK(code([&] { CheckOutputFile("output", folder.path + "/"); }) == "E10022");
  CHECK(code([&] { CheckOutputFile("output", folder.path); }) == "E10001");
  CHECK(code([&] { CheckOutputFile("output", folder.model + "/x"); }) == "E10001");
  CHECK(code([&] { CheckOutputFile("output", folder.path + "/a/b/c", ".om"); }) == "");
  CHECK(code([&] { CheckOutputFile("output", std::string(4093, 'a'), ".om"); }) == "E10001");
  if (geteuid() != 0) {  // for root every folder is writable
    chmod(folder.path.c_str(), 0500);
    CHECK(code([&] { CheckOutputFile("output", folder.path + "/a/b", ".om"); }) == "E10001");
    chmod(folder.path.c_str(), 0700);
  }
}

}  // namespace
}  // namespace atc::cli
