#include "compiler/ir/error.h"
#include "test/compiler/streams/stream_graph.h"

using namespace atc;
using namespace atc::test;

TEST_CASE("a single stream holds every task, of every engine") {
  StreamGraph g;
  g.options.single_stream = true;
  const ValueId a = g.Op("a", {g.data}, kCore);
  const ValueId b = g.Op("reduce", {a}, kHccl);
  g.Output({g.Op("c", {a, b}, kCpu)});
  CHECK(g.Assign() == Ids{{"a", 0}, {"c", 0}, {"reduce", 0}});
  CHECK(g.count == 1);
}

TEST_CASE("a single stream refuses labels with E10055, naming the node") {
  for (const char* attr : {kUserStreamLabel, kStreamLabel}) {
    StreamGraph g;
    g.options.single_stream = true;
    g.Output({g.Op("a", {g.data}, kCore)});
    g.node("a").attrs.Set(attr, "side");
    try {
      g.Assign();
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.diagnostic().code == "E10055");
      CHECK(error.diagnostic().context.at(0).find("'a'") != std::string::npos);
    }
  }
}
