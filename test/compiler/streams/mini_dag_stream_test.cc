#include <cstdlib>
#include <set>

#include "compiler/ir/error.h"
#include "test/compiler/streams/stream_graph.h"

using namespace atc;
using namespace atc::test;

namespace {

// a spreads to `branches` chains of three that meet in z; the values are large, so that work outweighs waits.
void Fork(StreamGraph& g, int branches, int64_t size = 1 << 24) {
  const auto op = [&](const std::string& name, std::vector<ValueId> in) {
    const ValueId y = g.Op(name, std::move(in), kCore);
    g.graph.desc(y) = TensorDesc(DT_FLOAT, {size});
    return y;
  };
  const ValueId a = op("a", {g.data});
  std::vector<ValueId> ends;
  for (int b = 0; b < branches; ++b) {
    ValueId at = a;
    for (int i = 0; i < 3; ++i) at = op(std::string(1, static_cast<char>('b' + b)) + std::to_string(i), {at});
    ends.push_back(at);
  }
  g.Output({op("z", ends)});
}

int Count(const Ids& ids) {
  std::set<int32_t> streams;
  for (const auto& [name, stream] : ids) streams.insert(stream);
  return static_cast<int>(streams.size());
}

Ids Assigned(const char* mode, int branches) {
  StreamGraph g;
  Fork(g, branches);
  g.options.parallel_mode = *ParseParallelMode(mode);
  return g.Assign();
}

}  // namespace

TEST_CASE("modes are read from text, with N from 1 to 64") {
  CHECK(ParseParallelMode("")->kind == ParallelMode::kOff);
  CHECK(ParseParallelMode("cv")->kind == ParallelMode::kCv);
  CHECK(*ParseParallelMode("LoadBalance:64") == ParallelMode{ParallelMode::kLoadBalance, 64});
  CHECK(*ParseParallelMode("MainStream:1") == ParallelMode{ParallelMode::kMainStream, 1});
  for (const char* text : {"lb", "LoadBalance", "LoadBalance:", "LoadBalance:0", "MainStream:65", "MainStream:2x", "cv:2"}) {
    CHECK_FALSE(ParseParallelMode(text));
  }
}

TEST_CASE("equal branches have equal shares of the streams, and a chain stays whole") {
  CHECK(Assigned("LoadBalance:2", 2) ==
        Ids{{"a", 0}, {"b0", 0}, {"b1", 0}, {"b2", 0}, {"c0", 1}, {"c1", 1}, {"c2", 1}, {"z", 0}});
  const Ids four = Assigned("LoadBalance:2", 4);
  int on_first = 0;
  for (const char* end : {"b2", "c2", "d2", "e2"}) on_first += four.at(end) == 0;
  CHECK(on_first == 2);
  CHECK(Count(Assigned("LoadBalance:4", 4)) == 4);
  CHECK(Count(Assigned("LoadBalance:1", 4)) == 1);
}

TEST_CASE("the main stream holds the critical path and all that nothing runs beside") {
  const Ids ids = Assigned("MainStream:3", 3);
  for (const char* name : {"a", "b0", "b1", "b2", "z"}) CHECK(ids.at(name) == 0);
  CHECK(Count(ids) <= 3);
  CHECK(Count(ids) >= 2);
}

TEST_CASE("labels and communication keep streams of their own, numbered after the others") {
  StreamGraph g;
  Fork(g, 2);
  g.node("c1").attrs.Set(kUserStreamLabel, "mine");
  g.options.parallel_mode = *ParseParallelMode("LoadBalance:2");
  const Ids ids = g.Assign();
  CHECK(ids.at("c1") == g.count - 1);
  for (const auto& [name, stream] : ids) CHECK((name == "c1" || stream < g.count - 1));
}

TEST_CASE("the attribute of a graph beats the option") {
  StreamGraph g;
  Fork(g, 4);
  g.options.parallel_mode = *ParseParallelMode("LoadBalance:4");
  g.graph.attrs.Set(kParallelModeAttr, "default");
  CHECK(Count(g.Assign()) == 1);
  g.graph.attrs.Set(kParallelModeAttr, "sideways");
  CHECK_THROWS_AS(g.Assign(), Error);
}

TEST_CASE("a parallel mode and a single stream are refused with E10056") {
  StreamGraph g;
  Fork(g, 2);
  g.options.single_stream = true;
  for (const char* mode : {"cv", "LoadBalance:2"}) {
    g.options.parallel_mode = *ParseParallelMode(mode);
    try {
      g.Assign();
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.diagnostic().code == "E10056");
    }
  }
  g.options.unknown_shapes = true;
  CHECK(Count(g.Assign()) == 1);
}

TEST_CASE("measured times decide which branches share a stream") {
  const std::string path = "mini_dag_profile_test.csv";
  std::FILE* file = std::fopen(path.c_str(), "w");
  REQUIRE(file != nullptr);
  std::fputs("Op Name,Task Type,Task Duration(us),Block Num\n", file);
  // d takes as long as b and c together.
  for (const char* row : {"a,1", "b0,50", "b1,50", "b2,50", "c0,50", "c1,50", "c2,50", "d0,100", "d1,100", "d2,100", "z,1"}) {
    const std::string text(row);
    std::fprintf(file, "%s,AI_VECTOR_CORE,%s,1\n", text.substr(0, text.find(',')).c_str(), text.substr(text.find(',') + 1).c_str());
  }
  std::fclose(file);
  setenv("MINIDAG_PROFILING_PATH", path.c_str(), 1);
  StreamGraph g;
  Fork(g, 3);
  g.options.vector_cores = 48;
  g.options.parallel_mode = *ParseParallelMode("LoadBalance:2");
  const Ids ids = g.Assign();
  unsetenv("MINIDAG_PROFILING_PATH");
  std::remove(path.c_str());
  CHECK(Count(ids) == 2);
  CHECK(ids.at("d1") == ids.at("d2"));
  CHECK(g.Rule("b1") == "MiniDAGStreamPass: WeightedLoadBalance:2");
}
