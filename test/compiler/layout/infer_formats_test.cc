#include "compiler/layout/infer_formats.h"

#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

namespace {

std::string FormatOf(const PassFixture& f, const char* node) {
  return std::string(FormatName(f.graph.desc(f.graph.Find(node)->outputs[0]).origin_format));
}

}  // namespace

TEST_CASE("formats go forward and backward from a convolution, and no further than dims keep their meaning") {
  for (const char* layout : {"NCHW", "NHWC"}) {
    const bool last = std::string(layout) == "NHWC";
    PassFixture f;
    const ValueId x = f.Input({1, 75});
    const ValueId shaped = f.Op("Reshape", "shaped", {x, f.graph.AddConst("dims", Tensor::Ints(last ? std::vector<int64_t>{1, 5, 5, 3} : std::vector<int64_t>{1, 3, 5, 5}))});
    const ValueId before = f.Op("Neg", "before", {shaped});
    const ValueId side = f.Op("Exp", "side", {before});
    const ValueId y = f.Conv("conv", before, f.Weights({4, 3, 3, 3}, 1));
    f.graph.producer(y).attrs.Set("data_format", layout);
    const ValueId after = f.Op("Relu", "after", {y});
    const ValueId turned = f.Op("Transpose", "turned", {after, f.graph.AddConst("perm", Tensor::Ints({0, 2, 3, 1}))});
    f.Output({turned, side});
    CHECK(InferFormats(f.graph));
    CHECK(FormatOf(f, "conv") == layout);
    CHECK(FormatOf(f, "after") == layout);
    CHECK(FormatOf(f, "before") == layout);
    CHECK(FormatOf(f, "side") == layout);    // forward again along another branch
    CHECK(FormatOf(f, "shaped") == layout);  // backward to what makes the dims
    CHECK(FormatOf(f, "turned") == "ND");
    CHECK_FALSE(InferFormats(f.graph));
  }
}

TEST_CASE("the format of an input goes through what moves elements and stops where the rank changes") {
  PassFixture f;
  const ValueId x = f.Input({1, 4, 5, 5});  // NCHW
  const ValueId joined = f.Op("ConcatD", "joined", {f.Op("Neg", "neg", {x}), x});
  f.graph.producer(joined).attrs.Set("concat_dim", int64_t{1});
  const ValueId flat = f.Op("Reshape", "flat", {joined, f.graph.AddConst("dims", Tensor::Ints({1, 8, 25}))});
  f.Output({f.Op("Neg", "last", {flat})});
  InferFormats(f.graph);
  CHECK(FormatOf(f, "neg") == "NCHW");
  CHECK(FormatOf(f, "joined") == "NCHW");
  CHECK(FormatOf(f, "flat") == "ND");
  CHECK(FormatOf(f, "last") == "ND");
}
