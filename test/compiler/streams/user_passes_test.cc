#include "test/compiler/streams/stream_graph.h"

using namespace atc;
using namespace atc::test;

TEST_CASE("a user's pass sees the streams and their number, and its holes are closed") {
  StreamGraph g;
  g.Output({g.Op("c", {g.Op("b", {g.Op("a", {g.data}, kCore)}, kCore, "apart")}, kCore)});
  int32_t given = 0;
  g.options.user_passes = [&](Graph&, int32_t streams) {
    given = streams;
    g.node("c").stream = 7;
    return 8;
  };
  const Ids after = {{"a", 1}, {"b", 0}, {"c", 2}};
  CHECK(g.Assign() == after);
  CHECK(given == 2);
  CHECK(g.count == 3);
}

TEST_CASE("a user's pass does not run on one stream") {
  StreamGraph g;
  g.options.single_stream = true;
  g.options.user_passes = [](Graph&, int32_t) -> int32_t {
    FAIL("it ran");
    return 0;
  };
  g.Output({g.Op("a", {g.data}, kCore)});
  CHECK(g.Assign() == Ids{{"a", 0}});
}

TEST_CASE("a device of few streams refuses a model of more") {
  StreamGraph g;
  g.options.max_streams = 1;
  g.Output({g.Op("b", {g.Op("a", {g.data}, kCore)}, kCore, "apart")});
  CHECK_THROWS(g.Assign());
}
