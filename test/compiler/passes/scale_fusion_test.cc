#include "compiler/passes/scale_fusion.h"

#include "test/compiler/passes/heavy_fixture.h"

using namespace atc;
using test::HeavyFixture;

namespace {

struct Follower {
  const char* type;
  bool constant_first = false;
  bool needs_bias = false;
};

const std::vector<Follower>& Followers() {
  static const std::vector<Follower> followers = {
      {"Mul"}, {"Mul", true}, {"RealDiv"}, {"Sub"}, {"Sub", true}, {"Add", false, true}, {"Add", true, true},
  };
  return followers;
}

}  // namespace

TEST_CASE("products and sums with constants go into what multiplies by constants before them") {
  for (const test::Heavy& heavy : test::Heavies()) {
    for (const Follower& follower : Followers()) {
      for (const bool biased : {false, true}) {
        for (const bool scalar : {false, true}) {
          INFO(heavy.name << " + " << follower.type << (biased ? " with a bias" : "") << (scalar ? " one number" : ""));
          HeavyFixture f;
          const ValueId y = heavy.build(f, biased);
          const ValueId constant = f.Weights(scalar ? Shape(std::vector<int64_t>{}) : heavy.per_channel, 20, 0.5f, 2.0f);
          f.Output({f.Op(follower.type, "after", follower.constant_first ? std::vector{constant, y} : std::vector{y, constant})});
          const bool fuses = biased || !follower.needs_bias;
          f.KeepsResults([&] { CHECK(ConvScaleFusionPass(f.graph, f.context) == fuses); }, 1e-5);
          CHECK((f.graph.Find("after") == nullptr) == fuses);
        }
      }
    }
  }
}

TEST_CASE("numbers that are attributes, and a sign") {
  for (const char* type : {"Muls", "Adds", "Neg"}) {
    HeavyFixture f;
    const ValueId y = test::Heavies()[0].build(f, true);
    const ValueId z = f.Op(type, "after", {y});
    if (std::string_view(type) != "Neg") f.graph.producer(z).attrs.Set("value", 0.75f);
    f.Output({z});
    f.KeepsResults([&] { CHECK(ConvScaleFusionPass(f.graph, f.context)); }, 1e-6);
    CHECK(f.graph.Find("after") == nullptr);
  }
}

TEST_CASE("other shapes, other users, and a constant over the result stay") {
  HeavyFixture f;
  const ValueId y = test::Heavies()[0].build(f, true);  // [2, 4, 5, 5]
  SECTION("one value a column") { f.Output({f.Op("Mul", "after", {y, f.Weights({5}, 1)})}); }
  SECTION("a constant that makes the result larger") { f.Output({f.Op("Mul", "after", {y, f.Weights({3, 1, 4, 1, 1}, 1)})}); }
  SECTION("another user") { f.Output({y, f.Op("Mul", "after", {y, f.Weights({4, 1, 1}, 1)})}); }
  SECTION("a constant divided by the result") { f.Output({f.Op("RealDiv", "after", {f.Weights({4, 1, 1}, 1), y})}); }
  SECTION("a division by zero") { f.Output({f.Op("RealDiv", "after", {y, f.graph.AddConst("zero", Tensor::Scalar(0.0f))})}); }
  CHECK_FALSE(ConvScaleFusionPass(f.graph, f.context));
}
