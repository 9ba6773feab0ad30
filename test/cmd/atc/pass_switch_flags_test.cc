#include "cmd/atc/pass_switch_flags.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "compiler/ir/error_catalogue.h"
#include "compiler/pipeline.h"

namespace atc::cli {
namespace {

struct File {
  std::string path;
  explicit File(const std::string& content) {
    char name[] = "/tmp/openatc_switch_XXXXXX";
    close(mkstemp(name));
    path = name;
    std::ofstream(path) << content;
  }
  ~File() { std::filesystem::remove(path); }
};

PassSwitches Read(const std::string& content) {
  const File file(content);
  PassSwitches switches;
  ReadFusionSwitches(file.path, &switches);
  return switches;
}

std::string Fault(const std::string& content) {
  try {
    Read(content);
  } catch (const Error& error) {
    return error.diagnostic().code + " " + MessageText(error.diagnostic());
  }
  return "";
}

constexpr FusionKind kGraph = FusionKind::kGraph;
constexpr FusionKind kUb = FusionKind::kUb;

TEST_CASE("a switch file of lines names passes") {
  const PassSwitches switches = Read("# fusion\nBiasaddFusionPass:off\r\n  ConvBatchnormFusionPass : on \n\n");
  CHECK_FALSE(switches.IsOn(kGraph, "BiasaddFusionPass"));
  CHECK(switches.IsOn(kGraph, "ConvBatchnormFusionPass"));
  CHECK(switches.IsOn(kUb, "ElementwiseChainFusionPass"));
  CHECK(switches.Names() == std::vector<std::string>{"BiasaddFusionPass", "ConvBatchnormFusionPass"});
}

TEST_CASE("a switch file in JSON names groups and passes, of which the passes win") {
  const PassSwitches switches = Read(
      R"({"Switch":{"GraphFusion":{"ALL":"off","BiasaddFusionPass":"on"},"UBFusion":{"HeavyElementwiseFusionPass":"off"}}})");
  CHECK(switches.IsOn(kGraph, "BiasaddFusionPass"));
  CHECK_FALSE(switches.IsOn(kGraph, "ConvBatchnormFusionPass"));
  CHECK_FALSE(switches.IsOn(kUb, "HeavyElementwiseFusionPass"));
  CHECK(switches.IsOn(kUb, "ElementwiseChainFusionPass"));
  CHECK(switches.IsOn(FusionKind::kNone, "PrunePass"));
}

TEST_CASE("all fusions off leaves what the graph engine itself runs: folding, clean-up and common subexpressions") {
  const PassSwitches switches = Read(R"({"Switch":{"GraphFusion":{"ALL":"off"},"UBFusion":{"ALL":"off"}}})");
  std::vector<std::string_view> left;
  for (const PassInfo& pass : KnownPasses()) {
    if (switches.IsOn(pass.kind, pass.name)) left.push_back(pass.name);
  }
  CHECK(left == std::vector<std::string_view>{"ConstantFoldingPass",
                                              "DimensionComputePass",
                                              "ReplaceWithEmptyConstPass",
                                              "CondRemovePass",
                                              "ConcatNotaskPass",
                                              "SplitNotaskPass",
                                              "NoUseReshapeRemovePass",
                                              "UnchangedTransposeRemovePass",
                                              "IdentityPass",
                                              "CastRemovePass",
                                              "RemoveNoEffectPass",
                                              "Dim1TransposeToSqueezePass",
                                              "UnusedArgsCleanPass",
                                              "PrunePass",
                                              "UnusedConstPass",
                                              "ConstantFuseSamePass",
                                              "CommonSubexpressionEliminationPass",
                                              "TransOpBreadthFusionPass",
                                              "TransOpSymmetryEliminationPass",
                                              "TransOpWithoutReshapeFusionPass",
                                              "SwitchTransDataAndCastPass",
                                              "SameTransdataBreadthFusionPass",
                                              "TransposeTransDataPass"});
}

TEST_CASE("a faulty switch file is told with its place") {
  CHECK(Fault("PassA\n").find("E20003 line 1 in the configuration file") == 0);
  CHECK(Fault("PassA:maybe\n").find("neither") == std::string::npos);
  CHECK(Fault("\nPassA:maybe\n").find("E20003 line 2 in") == 0);
  CHECK(Fault("{\"Switch\":").find("E21002") == 0);
  CHECK(Fault("{\"Swich\":{}}").find("E20003 Switch in") == 0);
  CHECK(Fault(R"({"Switch":{"UbFusion":{}}})").find("E20003 UbFusion in") == 0);
  CHECK(Fault(R"({"Switch":{"UBFusion":{"ALL":true}}})").find("E20003 UBFusion.ALL in") == 0);
  CHECK(Fault(R"({"Switch":{"UBFusion":[]}})").find("E20003 UBFusion in") == 0);
  CHECK(Fault("") == "");
  // What was found is shown.
  CHECK(Fault("PassA:ON\n").find("'PassA:ON' is not \"PassName:on\"") != std::string::npos);
  CHECK(Fault(R"({"Switch":{"UBFusion":{"ALL":true}}})").find("its value is true, neither") != std::string::npos);
  CHECK(Fault(R"({"Switch":[]})").find("[] is no JSON object") != std::string::npos);
}

PassSwitches Of(const std::vector<std::string>& line, Diagnostics* warnings = nullptr) {
  Diagnostics ignored;
  return PassSwitchesOf(ParseCommandLine(line), warnings ? warnings : &ignored);
}

TEST_CASE("the flags win over the file, and --optimization_switch over the other flags") {
  const File file("PrunePass:on\nBiasaddFusionPass:off\n");
  const std::string flag = "--fusion_switch_file=" + file.path;
  CHECK_FALSE(Of({flag, "--oo_dead_code_elimination=false"}).IsOn(FusionKind::kNone, "PrunePass"));
  CHECK(Of({flag, "--oo_dead_code_elimination=false", "--optimization_switch=PrunePass:on;"})
            .IsOn(FusionKind::kNone, "PrunePass"));
  CHECK_FALSE(Of({flag, "--oo_dead_code_elimination=false"}).IsOn(FusionKind::kNone, "CondRemovePass"));
  for (const char* pass : {"ConstantFoldingPass", "DimensionComputePass", "ReplaceWithEmptyConstPass"}) {
    CHECK_FALSE(Of({"--oo_constant_folding=false"}).IsOn(FusionKind::kNone, pass));
    CHECK(Of({"--oo_dead_code_elimination=false"}).IsOn(FusionKind::kNone, pass));
  }
  CHECK_FALSE(Of({"--oo_level=O1"}).IsOn(kUb, "ElementwiseChainFusionPass"));
  CHECK(Of({"--oo_level=O1", "--optimization_switch=BiasaddFusionPass:on;forbidden_close_pass:on"})
            .IsOn(kGraph, "BiasaddFusionPass"));
  CHECK_THROWS_AS(Of({"--optimization_switch=BiasaddFusionPass"}), Error);
}

TEST_CASE(
    "the lowest level leaves what decides shapes and branches, what merges Casts and TransData, and what arranges "
    "memory") {
  const PassSwitches switches = Of({"--oo_level=O1"});
  std::vector<std::string_view> left;
  for (const PassInfo& pass : KnownPasses()) {
    if (switches.IsOn(pass.kind, pass.name)) left.push_back(pass.name);
    CHECK(Of({"--oo_level=O3"}).IsOn(pass.kind, pass.name));
    CHECK(Of({"--oo_level=O1", "--optimization_switch=" + std::string(pass.name) + ":on"}).IsOn(pass.kind, pass.name));
  }
  CHECK(left == std::vector<std::string_view>{"ConstantFoldingPass", "DimensionComputePass",
                                              "ReplaceWithEmptyConstPass", "CondRemovePass", "ConcatNotaskPass",
                                              "SplitNotaskPass", "UnusedArgsCleanPass", "TransOpBreadthFusionPass",
                                              "TransOpSymmetryEliminationPass", "TransOpWithoutReshapeFusionPass"});
}

TEST_CASE("switches of passes that other compilers have are told together") {
  Diagnostics warnings;
  Of({"--optimization_switch=V100RequantFusionPass:off;BiasaddFusionPass:off;AReduceProdFusionPass:on"}, &warnings);
  REQUIRE(warnings.all().size() == 1);
  CHECK(MessageText(warnings.all()[0]).find("AReduceProdFusionPass, V100RequantFusionPass.") != std::string::npos);
}

TEST_CASE("a switch of a pass that is not there is told, with the one that was meant") {
  Diagnostics warnings;
  Of({"--optimization_switch=BiasAddFusionPass:off"}, &warnings);
  REQUIRE(warnings.all().size() == 1);
  CHECK(MessageText(warnings.all()[0]).find("Did you mean 'BiasaddFusionPass'?") != std::string::npos);
  Diagnostics none;
  for (const PassInfo& pass : KnownPasses()) {
    Of({"--optimization_switch=" + std::string(pass.name) + ":off"}, &none);
  }
  CHECK(none.all().empty());
}

}  // namespace
}  // namespace atc::cli
