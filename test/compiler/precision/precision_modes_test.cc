// Every mode and every wish of a user by the types of all nodes of small graphs, as the vendor's guide gives them.
#include "compiler/ir/error.h"
#include "compiler/ir/user_dtype.h"
#include "compiler/ir/error_catalogue.h"
#include "compiler/precision/choose_dtypes.h"
#include "compiler/precision/mark_precision.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

namespace {

// One letter a node: f float, h fp16, b bf16.
char Letter(DataType dtype) { return dtype == DT_FLOAT ? 'f' : dtype == DT_FLOAT16 ? 'h' : dtype == DT_BF16 ? 'b' : '?'; }

// x -> Relu "before" -> Conv2D "conv" -> Relu "after" -> Exp "exp" -> Neg "last", a grey operator on either side of a
// white one and of a black one.
PassFixture& Chain(PassFixture& f) {
  ValueId value = f.Op("Relu", "before", {f.Input({1, 3, 5, 5})});
  value = f.Conv("conv", value, f.Weights({4, 3, 3, 3}, 1));
  value = f.Op("Relu", "after", {value});
  value = f.Op("Exp", "exp", {value});
  f.Output({f.Op("Neg", "last", {value})});
  return f;
}

// The same on an input of fp16.
PassFixture& HalfChain(PassFixture& f) {
  const ValueId x = f.graph.AddData("x", 0, TensorDesc(DT_FLOAT16, {1, 3, 5, 5}, FORMAT_NCHW));
  f.inputs.push_back(Narrow(test::RandomFloats({1, 3, 5, 5}, 3), DT_FLOAT16));
  ValueId value = f.Op("Relu", "before", {x});
  value = f.Conv("conv", value, f.graph.AddConst("w", Narrow(test::RandomFloats({4, 3, 3, 3}, 1), DT_FLOAT16)));
  value = f.Op("Relu", "after", {value});
  value = f.Op("Exp", "exp", {value});
  f.Output({f.Op("Neg", "last", {value})});
  return f;
}

std::string Types(const PassFixture& f) {
  std::string types;
  for (const char* name : {"before", "conv", "after", "exp", "last"}) {
    types += Letter(f.graph.desc(f.graph.Find(name)->outputs[0]).dtype);
  }
  return types;
}

std::string Chosen(PassFixture& f, PrecisionMode mode, const PrecisionOptions& options = {}) {
  MarkPrecision(f.graph, options, &f.diagnostics);
  ChooseDtypes(f.graph, mode, {}, f.journal, options);
  f.graph.Verify(true);
  // What there is to choose was chosen by some rule, and no edge is left with two types.
  for (const NodeId id : f.graph.TopologicalOrder()) {
    const Node& node = f.graph.node(id);
    if (node.Is(kSource) || node.type() == "NetOutput") continue;
    INFO(node.name);
    CHECK_FALSE(node.reasons.empty());
  }
  return Types(f);
}

std::string Because(const PassFixture& f, const char* name) {
  for (const Reason& reason : f.graph.Find(name)->reasons) {
    if (reason.aspect == "dtype") return reason.rule;
  }
  return "";
}

}  // namespace

TEST_CASE("each precision mode gives each node of a float graph the type that the guide says") {
  struct Row {
    PrecisionMode mode;
    const char* types;
  };
  const Row rows[] = {
      {PrecisionMode::kForceFp16, "hhhhh"},           // whatever has fp16
      {PrecisionMode::kAllowFp32ToFp16, "fhfff"},     // matrix operators alone: vector operators have float
      {PrecisionMode::kAllowFp32ToBf16, "fbfff"},     //
      {PrecisionMode::kForceFp32, "fffff"},           // operands pass through fp16, results are float
      {PrecisionMode::kCubeFp16InFp32Out, "fffff"},   //
      {PrecisionMode::kKeepOrigin, "fffff"},          //
      {PrecisionMode::kMixedFp16, "fhhff"},           // white conv, black exp, grey follows what is before it
      {PrecisionMode::kMixedBf16, "fbbff"},           //
  };
  for (const Row& row : rows) {
    PassFixture f;
    Chain(f);
    std::string types;
    f.KeepsResults([&] { types = Chosen(f, row.mode); }, 5e-2);
    INFO(static_cast<int>(row.mode));
    CHECK(types == row.types);
  }
}

TEST_CASE("each precision mode on a graph of fp16") {
  struct Row {
    PrecisionMode mode;
    const char* types;
  };
  const Row rows[] = {
      {PrecisionMode::kForceFp16, "hhhhh"},         {PrecisionMode::kAllowFp32ToFp16, "hhhhh"},
      {PrecisionMode::kAllowFp32ToBf16, "hhhhh"},   // nothing is float that could be lowered
      {PrecisionMode::kForceFp32, "fffff"},         // vector operators are widened, the product gives float
      {PrecisionMode::kCubeFp16InFp32Out, "fffff"}, {PrecisionMode::kKeepOrigin, "hhhhh"},
      {PrecisionMode::kMixedFp16, "hhhhh"},         {PrecisionMode::kMixedBf16, "hhhhh"},
  };
  for (const Row& row : rows) {
    PassFixture f;
    HalfChain(f);
    INFO(static_cast<int>(row.mode));
    CHECK(Chosen(f, row.mode) == row.types);
  }
}

TEST_CASE("the lists of the mixed modes, as --modify_mixlist changes them") {
  struct Row {
    MixlistChange black, white;
    const char* types;
  };
  const Row rows[] = {
      {{{}, {}}, {{}, {}}, "fhhff"},
      {{{}, {"Exp"}}, {{}, {}}, "fhhhh"},              // grey Exp follows the convolution
      {{{"Relu"}, {}}, {{}, {}}, "fhfff"},             // grey to black
      {{{"Conv2D"}, {}}, {{}, {}}, "fffff"},           // white to black
      {{{}, {}}, {{"Relu"}, {}}, "hhhff"},             // grey to white
      {{{}, {}}, {{"Exp", "Relu"}, {}}, "hhhhh"},      // black to white
      {{{}, {}}, {{}, {"Conv2D"}}, "fffff"},           // white to grey: follows what keeps float
      {{{}, {}}, {{"Relu"}, {"Conv2D"}}, "hhhff"},     // white to grey: follows what is lowered
      {{{"Neg"}, {"Exp"}}, {{}, {}}, "fhhhf"},
  };
  for (const Row& row : rows) {
    PassFixture f;
    Chain(f);
    PrecisionOptions options;
    options.black_list = row.black;
    options.white_list = row.white;
    CHECK(Chosen(f, PrecisionMode::kMixedFp16, options) == row.types);
  }
}

TEST_CASE("the reason names the list, and for a grey operator the one that it follows") {
  PassFixture f;
  Chain(f);
  Chosen(f, PrecisionMode::kMixedFp16);
  CHECK(Because(f, "before") == "allow_mix_precision_fp16, grey, after inputs of the model: DT_FLOAT");
  CHECK(Because(f, "conv") == "allow_mix_precision_fp16, white: DT_FLOAT16");
  CHECK(Because(f, "after") == "allow_mix_precision_fp16, grey, follows conv: DT_FLOAT16");
  CHECK(Because(f, "exp") == "allow_mix_precision_fp16, black: DT_FLOAT");
  CHECK(Because(f, "last") == "allow_mix_precision_fp16, grey, follows exp: DT_FLOAT");
}

TEST_CASE("a grey operator looks through a Cast that widens, to what computed the half") {
  PassFixture f;
  const ValueId conv = f.Conv("conv", f.Input({1, 3, 5, 5}), f.Weights({4, 3, 3, 3}, 1));
  const ValueId half = f.Op("Cast", "narrow", {conv});
  f.graph.producer(half).attrs.Set("dst_type", static_cast<int64_t>(DT_FLOAT16));
  const ValueId wide = f.Op("Cast", "widen", {half});
  f.graph.producer(wide).attrs.Set("dst_type", static_cast<int64_t>(DT_FLOAT));
  f.Output({f.Op("Neg", "grey", {wide})});
  ChooseDtypes(f.graph, PrecisionMode::kMixedFp16, {}, f.journal);
  CHECK(f.graph.desc(f.graph.Find("grey")->outputs[0]).dtype == DT_FLOAT16);
}

TEST_CASE("what a user asks of single nodes, by mode") {
  struct Row {
    const char* what;
    PrecisionMode mode;
    void (*ask)(PrecisionOptions&);
    const char* types;
    const char* node;
    const char* reason;
  };
  using Options = PrecisionOptions;
  const Row rows[] = {
      {"keep_dtype by name", PrecisionMode::kForceFp16, [](Options& o) { o.keep_names = {"conv"}; }, "hfhhh", "conv",
       "--keep_dtype: DT_FLOAT"},
      {"keep_dtype by type", PrecisionMode::kForceFp16, [](Options& o) { o.keep_types = {"Relu"}; }, "fhfhh", "after",
       "--keep_dtype: DT_FLOAT"},
      {"keep_dtype, no effect on origin", PrecisionMode::kKeepOrigin, [](Options& o) { o.keep_names = {"conv"}; },
       "fffff", "conv", "must_keep_origin_dtype: DT_FLOAT"},
      {"float32 by name", PrecisionMode::kForceFp16,
       [](Options& o) { o.mode_by_name = {{"exp", "enable_float_32_execution"}}; }, "hhhfh", "exp",
       "enable_float_32_execution: DT_FLOAT"},
      {"keep_fp16 wins over the black list", PrecisionMode::kMixedFp16,
       [](Options& o) { o.mode_by_type = {{"Exp", "keep_fp16"}}; }, "fhhhh", "exp", "keep_fp16: DT_FLOAT16"},
      {"keep_fp16 in force_fp32", PrecisionMode::kForceFp32,
       [](Options& o) { o.mode_by_name = {{"after", "keep_fp16"}}; }, "ffhff", "after", "keep_fp16: DT_FLOAT16"},
      {"a choice of kernels changes no type", PrecisionMode::kForceFp16,
       [](Options& o) { o.mode_by_type = {{"Exp", "high_precision"}, {"Relu", "high_performance"}}; }, "hhhhh", "exp",
       "force_fp16: DT_FLOAT16"},
      {"the name wins over the type", PrecisionMode::kForceFp16,
       [](Options& o) {
         o.mode_by_type = {{"Relu", "enable_float_32_execution"}};
         o.mode_by_name = {{"after", "high_precision"}};
       },
       "fhhhh", "before", "enable_float_32_execution: DT_FLOAT"},
      {"custom types", PrecisionMode::kForceFp16,
       [](Options& o) { o.custom_by_name = {{"exp", {{DT_FLOAT}, {DT_FLOAT}}}}; }, "hhhfh", "exp",
       "--customize_dtypes: DT_FLOAT"},
      {"custom types on origin", PrecisionMode::kKeepOrigin,
       [](Options& o) { o.custom_by_type = {{"Relu", {{DT_BF16}, {DT_BF16}}}}; }, "bfbff", "before",
       "--customize_dtypes: DT_BF16"},
      {"custom types win over keep_dtype", PrecisionMode::kForceFp16,
       [](Options& o) {
         o.keep_names = {"exp"};
         o.custom_by_name = {{"exp", {{DT_FLOAT16}, {DT_FLOAT16}}}};
       },
       "hhhhh", "exp", "--customize_dtypes: DT_FLOAT16"},
  };
  for (const Row& row : rows) {
    PassFixture f;
    Chain(f);
    PrecisionOptions options;
    row.ask(options);
    INFO(row.what);
    CHECK(Chosen(f, row.mode, options) == row.types);
    CHECK(Because(f, row.node) == row.reason);
  }
}

TEST_CASE("what has no half form keeps float in every mode that lowers, and says so") {
  PassFixture f;
  const ValueId boxes = f.Op("Relu", "boxes", {f.Input({6, 4})});
  const ValueId scores = f.Op("Relu", "scores", {f.Input({6})});
  const auto scalar = [&](const char* name, Tensor value) { return f.graph.AddConst(name, std::move(value)); };
  const ValueId kept = f.Op("NonMaxSuppressionV3", "nms",
                            {boxes, scores, scalar("count", Tensor::From<int32_t>(DT_INT32, {}, {3})),
                             scalar("overlap", Tensor::From<float>(DT_FLOAT, {}, {0.5f})),
                             scalar("least", Tensor::From<float>(DT_FLOAT, {}, {0.0f}))});
  f.Output({kept});
  const Node& node = *f.graph.Find("nms");
  REQUIRE_FALSE(SupportsHalf(node));
  ChooseDtypes(f.graph, PrecisionMode::kForceFp16, {}, f.journal);
  CHECK(f.graph.desc(boxes).dtype == DT_FLOAT16);
  CHECK(f.graph.desc(node.inputs[0]).dtype == DT_FLOAT);
  CHECK(Because(f, "nms") == "force_fp16, the operator has no half form: DT_FLOAT");
}

TEST_CASE("cube_fp16in_fp32out takes both factors of every product in fp16, and no bias") {
  PassFixture f;
  const ValueId x = f.Input({2, 3});
  const ValueId y = f.Op("MatMulV2", "product", {x, f.Weights({3, 4}, 2), f.Weights({4}, 3)});
  f.Output({y});
  ChooseDtypes(f.graph, PrecisionMode::kForceFp32, {}, f.journal);
  const Node& product = *f.graph.Find("product");
  // By hand: a Cast of the data; of the constants only the factor is rounded.
  CHECK(f.Count("Cast") == 1);
  CHECK(f.graph.desc(product.inputs[0]).dtype == DT_FLOAT16);
  CHECK(f.graph.ConstantInput(product, 1)->dtype() == DT_FLOAT16);
  CHECK(f.graph.ConstantInput(product, 2)->dtype() == DT_FLOAT);
  CHECK(Because(f, "product") == "force_fp32, factors in DT_FLOAT16: DT_FLOAT");
}

TEST_CASE("cube_fp16in_fp32out on a graph of fp16: products take what there is and give float, without a Cast") {
  PassFixture f;
  HalfChain(f);
  ChooseDtypes(f.graph, PrecisionMode::kCubeFp16InFp32Out, {}, f.journal);
  f.graph.Verify(true);
  // By hand: "before" is widened, as vector operators are, so its operand and its result are cast; the filter stays.
  const Node& conv = *f.graph.Find("conv");
  CHECK(f.graph.desc(conv.inputs[0]).dtype == DT_FLOAT16);
  CHECK(f.graph.producer(conv.inputs[1]).name == "w");
  CHECK(f.graph.desc(conv.outputs[0]).dtype == DT_FLOAT);
  CHECK(f.Count("Cast") == 3);  // the third: the interface keeps fp16
}

TEST_CASE("modes of HiFloat8 are refused by name") {
  for (const PrecisionMode mode : {PrecisionMode::kCubeHif8, PrecisionMode::kMixedHif8}) {
    PassFixture f;
    Chain(f);
    const char* word = mode == PrecisionMode::kCubeHif8 ? "cube_hif8" : "mixed_hif8";
    CHECK_THROWS_WITH(Chosen(f, mode), Catch::Contains("E10055") || Catch::Contains(word));
  }
}

TEST_CASE("modes of bfloat16 need a chip that has it") {
  const auto fault = [](PrecisionMode mode, const char* chip, const char* flag = "", const char* word = "") -> std::string {
    try {
      CheckPrecisionMode(mode, PrecisionOptions(), FindSoc(chip), flag, word);
    } catch (const Error& error) {
      return error.diagnostic().code + " " + MessageText(error.diagnostic());
    }
    return "";
  };
  for (const char* chip : {"Ascend910B3", "Ascend910B4-1", "Ascend910_9391"}) {
    CHECK(fault(PrecisionMode::kMixedBf16, chip) == "");
    CHECK(fault(PrecisionMode::kAllowFp32ToBf16, chip) == "");
  }
  for (const char* chip : {"Ascend310", "Ascend310B4", "Ascend310P3", "Ascend610", "Ascend910A", "Ascend910B", "Ascend910ProB"}) {
    CHECK(fault(PrecisionMode::kMixedBf16, chip).starts_with("E20101 "));
    CHECK(fault(PrecisionMode::kAllowFp32ToBf16, chip).find("--precision_mode cannot be 'allow_fp32_to_bf16'") != std::string::npos);
    CHECK(fault(PrecisionMode::kMixedFp16, chip) == "");
    CHECK(fault(PrecisionMode::kForceFp16, chip) == "");
  }
  CHECK(fault(PrecisionMode::kMixedBf16, "Ascend310P3", "--precision_mode_v2", "mixed_bfloat16")
            .find("--precision_mode_v2 cannot be 'mixed_bfloat16'. It computes in bfloat16, which Ascend310P3 does not have.") !=
        std::string::npos);
}

TEST_CASE("single tensors in bfloat16 need such a chip as well") {
  PrecisionOptions options;
  options.custom_by_type["Relu"].outputs = {DT_BF16};
  CHECK_NOTHROW(CheckPrecisionMode(PrecisionMode::kForceFp16, options, FindSoc("Ascend910B3")));
  CHECK_THROWS_AS(CheckPrecisionMode(PrecisionMode::kForceFp16, options, FindSoc("Ascend310P3")), Error);
  options.custom_by_type["Relu"].outputs = {DT_FLOAT16};
  CHECK_NOTHROW(CheckPrecisionMode(PrecisionMode::kForceFp16, options, FindSoc("Ascend310P3")));
}
