#include "compiler/passes/softmax_fusion.h"

#include "test/compiler/passes/norm_fixture.h"

using namespace atc;
using test::NormFixture;

namespace {

using Ints = std::vector<int64_t>;

struct SoftmaxFixture : NormFixture {
  ValueId Over(const char* type, ValueId x, Ints axes) {
    const ValueId y = Op(type, "", {x, graph.AddConst("axes", Tensor::Ints(axes))});
    graph.producer(y).attrs.Set("keep_dims", AttrValue(true));
    return y;
  }
  ValueId Divided(ValueId exp, ValueId sum, int way) {
    if (way == 0) return Op("RealDiv", "softmax", {exp, sum});
    const ValueId inverse = Op("Reciprocal", "", {sum});
    return way == 1 ? Op("Mul", "softmax", {exp, inverse}) : Op("Mul", "softmax", {inverse, exp});
  }
};

}  // namespace

TEST_CASE("an exponential over its sum becomes a softmax, with and without the maximum taken off") {
  const bool shifted = GENERATE(false, true);
  const int way = GENERATE(0, 1, 2);
  const Ints axes = GENERATE(Ints{-1}, Ints{1}, Ints{2, 1});
  SoftmaxFixture f;
  ValueId x = f.Input({2, 3, 5});
  if (shifted) x = f.Op("Sub", "", {x, f.Over("ReduceMax", x, axes)});
  const ValueId exp = f.Op("Exp", "", {x});
  f.Output({f.Divided(exp, f.Over("ReduceSum", exp, axes), way)});
  f.KeepsResults([&] { CHECK(SoftmaxFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.Count("SoftmaxV2") == 1);
  CHECK(f.CountTasks() == 1);
  CHECK(f.graph.Find("softmax")->Attr<Ints>("axes").size() == axes.size());
  CHECK_FALSE(SoftmaxFusionPass(f.graph, f.context));
}

TEST_CASE("a maximum over other axes stays before the softmax") {
  SoftmaxFixture f;
  const ValueId x = f.Input({2, 3, 5});
  const ValueId exp = f.Op("Exp", "", {f.Op("Sub", "", {x, f.Over("ReduceMax", x, {1})})});
  f.Output({f.Divided(exp, f.Over("ReduceSum", exp, {2}), 0)});
  f.KeepsResults([&] { CHECK(SoftmaxFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.CountTasks() == 3);
}

TEST_CASE("exponentials that others read, powers of other bases, and sums of something else are no softmax") {
  SoftmaxFixture f;
  const ValueId x = f.Input({2, 3});
  const ValueId exp = f.Op("Exp", "", {x});
  const ValueId read = f.Divided(exp, f.Over("ReduceSum", exp, {1}), 0);
  const ValueId power = f.Op("Exp", "", {f.Input({2, 3})});
  f.graph.producer(power).attrs.Set("base", 2.0f);
  const ValueId other = f.Op("Exp", "", {f.Input({2, 3})});
  f.Output({read, exp, f.Divided(power, f.Over("ReduceSum", power, {1}), 0), f.Divided(other, f.Over("ReduceSum", x, {1}), 0)});
  CHECK_FALSE(SoftmaxFusionPass(f.graph, f.context));
}
