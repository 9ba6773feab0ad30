// Attention as exporters spell it out.
#pragma once

#include <limits>

#include "test/compiler/passes/norm_fixture.h"

namespace atc::test {

struct AttentionFixture : NormFixture {
  ValueId Ints(std::vector<int64_t> values) { return graph.AddConst("ints", Tensor::Ints(values)); }
  ValueId Transpose(ValueId x, std::vector<int64_t> perm) { return Op("Transpose", "", {x, Ints(std::move(perm))}); }
  ValueId Reshape(ValueId x, std::vector<int64_t> shape) { return Op("Reshape", "", {x, Ints(std::move(shape))}); }
  ValueId Product(ValueId a, ValueId b) { return Op("BatchMatMulV2", "", {a, b}); }
  ValueId Softmax(ValueId x) {
    const ValueId y = Op("SoftmaxV2", "softmax", {x});
    graph.producer(y).attrs.Set("axes", std::vector<int64_t>{-1});
    return y;
  }
  // 0 or a number that no score is left of, by a seed.
  ValueId Mask(Shape shape, float low) {
    Tensor mask = RandomFloats(shape, 5);
    for (int64_t i = 0; i < mask.NumElements(); ++i) mask.MutableData<float>()[i] = i % 3 == 1 ? low : 0;
    return graph.AddConst("mask", mask);
  }
  ValueId Flags(Shape shape) {
    Tensor flags = Tensor::Allocate(DT_BOOL, shape);
    for (int64_t i = 0; i < flags.NumElements(); ++i) flags.MutableData<uint8_t>()[i] = i % 3 != 1;
    return graph.AddConst("flags", flags);
  }
  ValueId Select(ValueId flags, ValueId scores, float fill) { return Op("SelectV2", "", {flags, scores, Scalar(fill)}); }
  // [batch, length, heads * size] as heads.
  ValueId Heads(ValueId x, int64_t heads) {
    const Shape& shape = graph.desc(x).origin_shape;
    return Transpose(Reshape(x, {0, 0, heads, shape[2] / heads}), {0, 2, 1, 3});
  }
};

}  // namespace atc::test
