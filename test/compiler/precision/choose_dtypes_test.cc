#include "compiler/precision/choose_dtypes.h"

#include <cmath>
#include <limits>

#include "compiler/ir/error.h"
#include "compiler/ir/half.h"
#include "compiler/precision/cast_edges.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

TEST_CASE("fp16 is the default: the interface stays float, one Cast serves all consumers") {
  PassFixture f;
  const ValueId x = f.Input({2, 7});
  const ValueId a = f.Op("Relu", "a", {x});
  const ValueId b = f.Op("Exp", "b", {x});
  f.Output({f.Op("Add", "c", {a, b})});
  f.KeepsResults([&] { ChooseDtypes(f.graph, PrecisionMode::kForceFp16, {}, f.journal); }, 2e-3);
  CHECK(f.Count("Cast") == 2);  // behind the input and before the output
  CHECK(f.graph.desc(a).dtype == DT_FLOAT16);
  CHECK(f.graph.desc(x).dtype == DT_FLOAT);
  CHECK(f.graph.desc(f.graph.NetOutput()->inputs[0]).dtype == DT_FLOAT);
  CHECK_FALSE(f.graph.Find("a")->reasons.empty());
}

TEST_CASE("origin changes nothing; a requested output type is cast to in every mode") {
  PassFixture f;
  f.Output({f.Op("Relu", "a", {f.Input({2, 7})})});
  ChooseDtypes(f.graph, PrecisionMode::kKeepOrigin, {}, f.journal);
  CHECK(f.Count("Cast") == 0);
  ChooseDtypes(f.graph, PrecisionMode::kKeepOrigin, {DT_FLOAT16}, f.journal);
  CHECK(f.Count("Cast") == 1);
  CHECK(f.graph.desc(f.graph.NetOutput()->inputs[0]).dtype == DT_FLOAT16);
}

TEST_CASE("in the mixed mode a product is lowered and what follows it follows") {
  PassFixture f;
  const ValueId first = f.Op("Relu", "before", {f.Input({1, 3, 5, 5})});
  const ValueId y = f.Conv("conv", first, f.Weights({4, 3, 3, 3}, 1));
  f.Output({f.Op("Relu", "after", {y})});
  ChooseDtypes(f.graph, PrecisionMode::kMixedFp16, {}, f.journal);
  CHECK(f.graph.desc(first).dtype == DT_FLOAT);
  CHECK(f.graph.desc(y).dtype == DT_FLOAT16);
  CHECK(f.graph.desc(f.graph.Find("after")->outputs[0]).dtype == DT_FLOAT16);
}

TEST_CASE("a narrowed constant clips finite values and keeps infinities and NaN") {
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor from = Tensor::From<float>(DT_FLOAT, {5}, {1e9f, -1e9f, infinity, std::nanf(""), 1.0f});
  const Tensor to = ConvertConstant(from, DT_FLOAT16).Materialized();
  const uint16_t* bits = to.Data<uint16_t>();
  CHECK(HalfToFloat(bits[0]) == 65504.0f);
  CHECK(HalfToFloat(bits[1]) == -65504.0f);
  CHECK(HalfToFloat(bits[2]) == infinity);
  CHECK(std::isnan(HalfToFloat(bits[3])));
  CHECK(HalfToFloat(bits[4]) == 1.0f);
}

TEST_CASE("modes that need HiFloat8 are refused with E10055") {
  PassFixture f;
  f.Output({f.Op("Relu", "a", {f.Input({2})})});
  try {
    ChooseDtypes(f.graph, PrecisionMode::kCubeHif8, {}, f.journal);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.diagnostic().code == "E10055");
  }
}
