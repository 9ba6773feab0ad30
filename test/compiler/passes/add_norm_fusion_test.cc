#include "compiler/passes/add_norm_fusion.h"
#include "compiler/passes/elementwise_fusion.h"
#include "test/compiler/passes/norm_fixture.h"

using namespace atc;
using test::NormFixture;

namespace {

struct AddNormFixture : NormFixture {
  // A norm of `x` over as many axes as the weights have dims, with `outputs` results; returns the node.
  Node& LayerNorm(ValueId x, Shape dims, size_t outputs = 1, const char* type = "LayerNormV3") {
    const ValueId gamma = Weights(dims, 1), beta = Weights(dims, 2);
    Node& node = graph.Add(type, "norm", {x, gamma, beta}, outputs);
    node.attrs.Set(std::string_view(type) == "onnx::LayerNormalization" ? "axis" : "begin_norm_axis",
                   -static_cast<int64_t>(dims.rank()));
    node.attrs.Set("epsilon", 1e-3f);
    return node;
  }
  Node& RmsNorm(ValueId x, Shape dims, size_t outputs = 1) {
    const ValueId gamma = Weights(dims, 1);
    return graph.Add("RmsNorm", "norm", {x, gamma}, outputs);
  }
  ValueId Add(ValueId a, ValueId b) { return Op("Add", "", {a, b}); }
  bool Run() { return AddLayerNormFusionPass(graph, context); }
  const Node& Made() { return *graph.Find("norm"); }
};

}  // namespace

TEST_CASE("a layer norm of a sum of two becomes an AddLayerNorm, whichever layer norm it is") {
  const char* type = GENERATE("LayerNorm", "LayerNormV3", "onnx::LayerNormalization");
  const Shape dims = GENERATE(Shape{8}, Shape{3, 8});
  AddNormFixture f;
  const ValueId sum = f.Add(f.Input({2, 3, 8}), f.Input({2, 3, 8}));
  f.Output({f.LayerNorm(sum, dims, 1, type).outputs[0]});
  f.KeepsResults([&] { CHECK(f.Run()); }, 1e-6);
  CHECK(f.CountTasks() == 1);
  CHECK(f.Made().type() == "AddLayerNorm");
  CHECK(f.Made().inputs.size() == 4);
  CHECK(f.Made().outputs.size() == 1);
  CHECK(f.Made().Attr<float>("epsilon") == 1e-3f);
  CHECK_FALSE(f.Made().Attr<bool>("additional_output"));
  CHECK_FALSE(f.Run());
}

TEST_CASE("a third addend of the size of a row or of all is the bias of an AddLayerNorm") {
  const bool row = GENERATE(false, true), first = GENERATE(false, true), outside = GENERATE(false, true);
  AddNormFixture f;
  const ValueId a = f.Input({2, 3, 8}), b = f.Input({2, 3, 8});
  const ValueId bias = row ? f.Weights({8}, 7) : f.Input({2, 3, 8});
  const ValueId inner = outside ? f.Add(a, b) : first ? f.Add(bias, a) : f.Add(a, bias);
  const ValueId other = outside ? bias : b;
  f.Output({f.LayerNorm(first ? f.Add(other, inner) : f.Add(inner, other), {8}).outputs[0]});
  f.KeepsResults([&] { CHECK(f.Run()); }, 1e-6);
  CHECK(f.CountTasks() == 1);
  REQUIRE(f.Made().inputs.size() == 5);
  if (row) CHECK(f.Made().inputs[4] == bias);
}

TEST_CASE("a sum that others read as well is a result of the AddLayerNorm") {
  AddNormFixture f;
  const ValueId sum = f.Add(f.Input({2, 8}), f.Input({2, 8}));
  const Node& norm = f.LayerNorm(sum, {8});
  f.Output({f.Op("Relu", "", {sum}), norm.outputs[0], sum, f.Op("Mul", "", {norm.outputs[0], sum})});
  f.KeepsResults([&] { CHECK(f.Run()); }, 1e-6);
  CHECK(f.Count("Add") == 0);
  REQUIRE(f.Made().outputs.size() == 4);
  CHECK(f.Made().Attr<bool>("additional_output"));
  CHECK(f.graph.desc(f.Made().outputs[2]).origin_shape == Shape{2, 1});
}

TEST_CASE("mean and inverse root of the variance that others read are results of the AddLayerNorm") {
  const bool sum_too = GENERATE(false, true);
  const char* type = GENERATE("LayerNormV3", "onnx::LayerNormalization");
  AddNormFixture f;
  const ValueId sum = f.Add(f.Input({2, 8}), f.Input({2, 8}));
  const Node& norm = f.LayerNorm(sum, {8}, 3, type);
  std::vector<ValueId> read = norm.outputs;
  if (sum_too) read.push_back(sum);
  f.Output(read);
  f.KeepsResults([&] { CHECK(f.Run()); }, 1e-6);
  CHECK(f.CountTasks() == 1);
  CHECK(f.Made().outputs.size() == (sum_too ? 4 : 3));
}

TEST_CASE("a layer norm without beta gets one of zeros") {
  AddNormFixture f;
  const ValueId sum = f.Add(f.Input({2, 8}), f.Input({2, 8}));
  f.Output({f.graph.Add("onnx::LayerNormalization", "norm", {sum, f.Weights({8}, 1)}, 1).outputs[0]});
  f.KeepsResults([&] { CHECK(f.Run()); }, 1e-6);
  CHECK(f.Made().type() == "AddLayerNorm");
  CHECK(f.Made().inputs.size() == 4);
}

TEST_CASE("a half layer norm of a sum keeps its results within the rounding of the sum") {
  const bool sum_too = GENERATE(false, true);
  AddNormFixture f;
  const ValueId sum = f.Add(f.Cast(f.Input({3, 16}), DT_FLOAT16), f.Cast(f.Input({3, 16}), DT_FLOAT16));
  const ValueId y = f.LayerNorm(sum, {16}).outputs[0];
  std::vector<ValueId> read = {f.Cast(y, DT_FLOAT)};
  if (sum_too) read.push_back(f.Cast(sum, DT_FLOAT));
  f.Output(read);
  f.KeepsResults([&] { CHECK(f.Run()); }, 4e-3);
  CHECK(f.Made().type() == "AddLayerNorm");
  CHECK(f.graph.desc(f.Made().outputs[0]).dtype == DT_FLOAT16);
}

TEST_CASE("half statistics that are read leave a layer norm alone") {
  AddNormFixture f;
  const ValueId sum = f.Add(f.Cast(f.Input({3, 16}), DT_FLOAT16), f.Cast(f.Input({3, 16}), DT_FLOAT16));
  f.Output(f.LayerNorm(sum, {16}, 3).outputs);
  CHECK_FALSE(f.Run());
}

TEST_CASE("a variance that is read leaves a LayerNorm alone") {
  AddNormFixture f;
  f.Output(f.LayerNorm(f.Add(f.Input({2, 8}), f.Input({2, 8})), {8}, 3, "LayerNorm").outputs);
  CHECK_FALSE(f.Run());
}

TEST_CASE("addends that are broadcast, and sums of unknown shape, are no AddLayerNorm") {
  const Shape other = GENERATE(Shape{8}, Shape{3, 8}, Shape{2, 3, 1}, Shape{-1, 3, 8}, Shape{4, 2, 3, 8});
  AddNormFixture f;
  const bool known = other.IsKnown();
  f.inputs.clear();
  const ValueId x = f.graph.AddData("x", 0, TensorDesc(DT_FLOAT, known ? Shape{2, 3, 8} : other));
  const ValueId y = f.graph.AddData("y", 1, TensorDesc(DT_FLOAT, other));
  f.Output({f.LayerNorm(f.Add(x, y), {8}).outputs[0]});
  CHECK_FALSE(f.Run());
}

TEST_CASE("a bias that is broadcast in another way stays an addition, and so does the sum") {
  AddNormFixture f;
  const ValueId inner = f.Add(f.Input({2, 3, 8}), f.Input({2, 3, 8}));
  f.Output({f.LayerNorm(f.Add(inner, f.Weights({3, 8}, 7)), {8}).outputs[0]});
  CHECK_FALSE(f.Run());
}

TEST_CASE("gamma of other dims than those that are normalised leaves a layer norm alone") {
  AddNormFixture f;
  const ValueId sum = f.Add(f.Input({2, 3, 8}), f.Input({2, 3, 8}));
  Node& norm = f.LayerNorm(sum, {8});
  norm.attrs.Set("begin_norm_axis", 1);
  f.Output({norm.outputs[0]});
  CHECK_FALSE(f.Run());
}

TEST_CASE("gamma that is made of the sum does not make a cycle") {
  AddNormFixture f;
  const ValueId sum = f.Add(f.Input({8}), f.Input({8}));
  Node& norm = f.LayerNorm(sum, {8});
  f.graph.SetInput(norm, 1, f.Op("Relu", "", {sum}));
  f.Output({norm.outputs[0]});
  CHECK_FALSE(f.Run());
}

TEST_CASE("a sum that ends an elementwise chain stays in the chain") {
  AddNormFixture f;
  const ValueId x = f.Input({2, 8});
  f.Output({f.LayerNorm(f.Add(f.Op("Tanh", "", {x}), f.Input({2, 8})), {8}).outputs[0]});
  CHECK_FALSE(f.Run());
  CHECK(ElementwiseChainFusionPass(f.graph, f.context));
  CHECK(f.CountTasks() == 2);
}

TEST_CASE("what is elementwise but read elsewhere too is an addend like any other") {
  AddNormFixture f;
  const ValueId positive = f.Op("Relu", "", {f.Input({2, 8})});
  f.Output({positive, f.LayerNorm(f.Add(positive, f.Input({2, 8})), {8}).outputs[0]});
  f.KeepsResults([&] { CHECK(f.Run()); }, 1e-6);
  CHECK(f.CountTasks() == 2);
}

TEST_CASE("an RMS norm of a sum becomes an AddRmsNorm, with the sum and the inverse root where they are read") {
  const bool sum_too = GENERATE(false, true), root_too = GENERATE(false, true);
  AddNormFixture f;
  const ValueId sum = f.Add(f.Input({2, 3, 8}), f.Input({2, 3, 8}));
  const Node& norm = f.RmsNorm(sum, {8}, root_too ? 2 : 1);
  std::vector<ValueId> read = norm.outputs;
  if (sum_too) read.push_back(sum);
  f.Output(read);
  f.KeepsResults([&] { CHECK(AddRmsNormFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.CountTasks() == 1);
  CHECK(f.Made().type() == "AddRmsNorm");
  CHECK(f.Made().outputs.size() == (sum_too ? 3 : root_too ? 2 : 1));
  CHECK(f.Made().Attr<float>("epsilon") == 1e-6f);
}

TEST_CASE("each pass leaves the norms of the other alone") {
  AddNormFixture f;
  f.Output({f.RmsNorm(f.Add(f.Input({2, 8}), f.Input({2, 8})), {8}).outputs[0]});
  CHECK_FALSE(f.Run());
  CHECK(AddRmsNormFusionPass(f.graph, f.context));
}
