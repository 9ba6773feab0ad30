#include "compiler/ir/error.h"
#include "test/compiler/streams/stream_graph.h"

using namespace atc;
using namespace atc::test;

TEST_CASE("nodes that ask for further streams share those of one key") {
  StreamGraph g;
  const ValueId a = g.Op("a", {g.data}, kCore);
  const ValueId b = g.Op("b", {a}, kCore);
  g.Output({b});
  g.node("a").attrs.Set(kAttachedStreamKeys, std::vector<std::string>{"tiling"});
  g.node("b").attrs.Set(kAttachedStreamKeys, std::vector<std::string>{"copy", "tiling"});
  CHECK(g.Assign() == Ids{{"a", 0}, {"b", 0}});
  CHECK(g.count == 3);
  CHECK(g.node("a").Attr<std::vector<int64_t>>(kAttachedStreamIds) == std::vector<int64_t>{1});
  CHECK(g.node("b").Attr<std::vector<int64_t>>(kAttachedStreamIds) == std::vector<int64_t>{2, 1});
}
