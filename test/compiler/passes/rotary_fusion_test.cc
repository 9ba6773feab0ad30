#include "compiler/passes/rotary_fusion.h"
#include "test/compiler/passes/norm_fixture.h"

using namespace atc;
using test::NormFixture;

namespace {

struct RotaryFixture : NormFixture {
  ValueId Ints(std::vector<int64_t> values) { return graph.AddConst("ints", Tensor::Ints(values)); }
  ValueId Slice(ValueId x, int64_t begin, int64_t end, int64_t step) {
    return Op("StridedSliceV2", "", {x, Ints({begin}), Ints({end}), Ints({-1}), Ints({step})});
  }
  ValueId Concat(ValueId a, ValueId b) {
    const ValueId y = Op("ConcatD", "", {a, b});
    graph.producer(y).attrs.Set("concat_dim", -1);
    graph.producer(y).attrs.Set("N", 2);
    return y;
  }
  ValueId Unsqueeze(ValueId x) {
    const ValueId y = Op("Unsqueeze", "", {x});
    graph.producer(y).attrs.Set("axes", std::vector<int64_t>{-1});
    return y;
  }
  // The two parts of x [2, 3, 5, 8].
  ValueId Part(ValueId x, int part, bool neighbours, bool split) {
    if (neighbours) return Slice(x, part, INT64_MAX, 2);
    if (!split) return part == 0 ? Slice(x, 0, 4, 1) : Slice(x, 4, INT64_MAX, 1);
    if (split_ == nullptr) {
      split_ = &graph.Add("SplitD", "", {x}, 2);
      split_->attrs.Set("split_dim", 3);
      split_->attrs.Set("num_split", 2);
    }
    return split_->outputs[static_cast<size_t>(part)];
  }
  ValueId Join(ValueId a, ValueId b, bool neighbours) {
    if (!neighbours) return Concat(a, b);
    return Op("Reshape", "", {Concat(Unsqueeze(a), Unsqueeze(b)), Ints({2, 3, 5, 8})});
  }

 private:
  Node* split_ = nullptr;
};

}  // namespace

TEST_CASE("x times cosines plus turned x times sines becomes one operator") {
  const bool neighbours = GENERATE(false, true), split = GENERATE(false, true), swapped = GENERATE(false, true);
  RotaryFixture f;
  const ValueId x = f.Input({2, 3, 5, 8});
  const ValueId cosine = f.Weights({5, 8}, 1), sine = f.Input({2, 1, 5, 8});
  const ValueId turned = f.Join(f.Op("Neg", "", {f.Part(x, 1, neighbours, split)}), f.Part(x, 0, neighbours, split), neighbours);
  const ValueId straight = swapped ? f.Op("Mul", "", {cosine, x}) : f.Op("Mul", "", {x, cosine});
  const ValueId across = swapped ? f.Op("Mul", "", {sine, turned}) : f.Op("Mul", "", {turned, sine});
  f.Output({swapped ? f.Op("Add", "y", {across, straight}) : f.Op("Add", "y", {straight, across})});
  f.KeepsResults([&] { CHECK(RotaryFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.CountTasks() == 1);
  CHECK(f.graph.Find("y")->type() == "RotaryPositionEmbedding");
  CHECK(f.graph.Find("y")->Attr<int64_t>("mode") == (neighbours ? 1 : 0));
}

TEST_CASE("sums of products of both parts, joined again, become one operator") {
  const bool neighbours = GENERATE(false, true);
  RotaryFixture f;
  const ValueId x = f.Input({2, 3, 5, 8});
  const ValueId cosine = f.Weights({5, 4}, 1), sine = f.Weights({5, 4}, 2);
  const auto part = [&](int i) { return f.Part(x, i, neighbours, false); };
  const ValueId a = part(0), b = part(1);
  const ValueId first = f.Op("Sub", "", {f.Op("Mul", "", {a, cosine}), f.Op("Mul", "", {b, sine})});
  const ValueId second = f.Op("Add", "", {f.Op("Mul", "", {a, sine}), f.Op("Mul", "", {b, cosine})});
  const ValueId y = f.Join(first, second, neighbours);
  f.Output({y});
  f.KeepsResults([&] { CHECK(RotaryFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.CountTasks() == 1);
  CHECK(f.Count("RotaryPositionEmbedding") == 1);
}

TEST_CASE("unknown batch and length do not matter, a part that is not negated does") {
  const bool negated = GENERATE(false, true);
  RotaryFixture f;
  const ValueId x = f.Input({2, 3, 5, 8});
  const ValueId second = f.Part(x, 1, false, false);
  const ValueId turned = f.Concat(negated ? f.Op("Neg", "", {second}) : f.Op("Abs", "", {second}), f.Part(x, 0, false, false));
  f.Output({f.Op("Add", "", {f.Op("Mul", "", {x, f.Input({5, 8})}), f.Op("Mul", "", {turned, f.Input({5, 8})})})});
  for (const NodeId id : f.graph.Inputs()) {
    TensorDesc& desc = f.graph.desc(f.graph.node(id).outputs[0]);
    desc.SetShape(desc.origin_shape.rank() == 4 ? Shape{-1, 3, -1, 8} : Shape{-1, 8});
  }
  InferShapes(f.graph);
  CHECK(RotaryFusionPass(f.graph, f.context) == negated);
}
