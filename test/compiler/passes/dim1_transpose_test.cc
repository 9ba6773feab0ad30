#include "compiler/passes/dim1_transpose.h"

#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

TEST_CASE("a Transpose of dims of 1 is a Reshape, another is not") {
  struct Row {
    Shape x;
    std::vector<int64_t> perm;
    bool moves_nothing;
  };
  const std::vector<Row> rows = {
      {{1, 3, 1, 5}, {1, 0, 3, 2}, true},  {{2, 1, 5}, {1, 0, 2}, true}, {{2, 1, 5}, {0, 2, 1}, true},
      {{2, 1, 5}, {2, 1, 0}, false},       {{2, 3}, {1, 0}, false},      {{1, 1, 7}, {2, 0, 1}, true},
      {{2, 1, 0, 5}, {0, 2, 1, 3}, true},
  };
  for (const Row& row : rows) {
    PassFixture f;
    const ValueId y = f.Op("Transpose", "turn", {f.Input(row.x), f.graph.AddConst("perm", Tensor::Ints(row.perm))});
    f.Output({f.Op("Exp", "exp", {y})});
    f.KeepsResults([&] { CHECK(Dim1TransposeToSqueezePass(f.graph, f.context) == row.moves_nothing); }, 0);
    CHECK(f.Count("Reshape") == (row.moves_nothing ? 1 : 0));
    CHECK(f.graph.Find("turn") != nullptr);
  }
}
