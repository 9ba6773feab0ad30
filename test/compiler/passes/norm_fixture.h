// Normalisations as exporters spell them out.
#pragma once

#include "test/compiler/pass_fixture.h"

namespace atc::test {

struct NormFixture : PassFixture {
  ValueId Scalar(float value) {
    return graph.AddConst("scalar", Tensor::From<float>(DT_FLOAT, Shape(std::vector<int64_t>{}), {value}));
  }
  ValueId Mean(ValueId x, std::vector<int64_t> axes) {
    const ValueId mean = Op("ReduceMean", "", {x, graph.AddConst("axes", Tensor::Ints(axes))});
    graph.producer(mean).attrs.Set("keep_dims", AttrValue(true));
    graph.producer(mean).attrs.Set("noop_with_empty_axes", AttrValue(false));
    return mean;
  }
  ValueId Cast(ValueId x, DataType dtype) {
    const ValueId y = Op("Cast", "", {x});
    graph.producer(y).attrs.Set("dst_type", static_cast<int64_t>(dtype));
    return y;
  }
  // x^2 in one of three ways.
  ValueId Squared(ValueId x, int way) {
    return way == 0 ? Op("Pow", "", {x, Scalar(2)}) : way == 1 ? Op("Mul", "", {x, x}) : Op("Square", "", {x});
  }
  // x over the root of `variance` + 1e-5 in one of five ways.
  ValueId Over(ValueId x, ValueId variance, int way) {
    const ValueId raised = Op("Add", "", {variance, Scalar(1e-5f)});
    if (way == 0) return Op("RealDiv", "", {x, Op("Sqrt", "", {raised})});
    if (way == 1) return Op("Mul", "", {x, Op("Rsqrt", "", {raised})});
    if (way == 2) return Op("Mul", "", {Op("Reciprocal", "", {Op("Sqrt", "", {raised})}), x});
    if (way == 3) return Op("Mul", "", {x, Op("RealDiv", "", {Scalar(1), Op("Sqrt", "", {raised})})});
    return Op("Mul", "", {x, Op("Pow", "", {raised, Scalar(-0.5f)})});
  }
  int CountTasks() const {
    int count = 0;
    for (NodeId id = 0; id < graph.node_capacity(); ++id) {
      const Node& node = graph.node(id);
      count += node.alive && !node.Is(kSource) && !(node.type() == "NetOutput");
    }
    return count;
  }
};

}  // namespace atc::test
