// Tasks run alone where waiting for a team costs more than it gains, and alone they give the same numbers.
#include "backend/kernels/team_choice.h"

#include <catch2/catch.hpp>

#include "test/backend/kernels/kernel_fixture.h"

using namespace atc;
using kernels::TeamChoice;

namespace {

// A program that runs one task of 50 us again and again, 90 us alone, on a machine that lets a team wait for `wait` us
// each `period` us.
struct Program {
  TeamChoice choice{2};
  TeamChoice::Times times{90};
  double now = 0;
  double last_wait = 0;
  double alone_us = 0, waited_us = 0;

  void Run(double until, double wait, double period) {
    while (now < until) {
      const bool together = choice.Together(now);
      double took = together ? 50 : 90;
      if (together && wait > 0 && now - last_wait >= period) {
        took += wait;
        waited_us += wait;
        last_wait = now + took;
      }
      now += took;
      if (!together) alone_us += took;
      choice.Ran(times, together, took, now);
    }
  }
};

}  // namespace

TEST_CASE("on a machine without other work tasks always have their team") {
  Program program;
  program.Run(1e6, 0, 1);
  CHECK(program.alone_us == 0);
  // Other programs take a turn now and then: less than teams gain.
  program.Run(3e6, 4000, 50e3);
  CHECK(program.alone_us == 0);
}

TEST_CASE("where members of a team wait for each turn tasks soon run alone, and have teams again afterwards") {
  Program program;
  program.Run(1e6, 0, 1);
  program.Run(1.2e6, 4000, 4000);
  const double at_first = program.waited_us;
  CHECK(at_first < 60e3);
  program.Run(4e6, 4000, 4000);
  CHECK(program.waited_us - at_first < 0.05 * 2.8e6);
  CHECK(program.alone_us > 0.9 * 2.8e6);
  program.alone_us = 0;
  program.Run(6e6, 0, 1);
  CHECK(program.alone_us < 0.6e6);
}

TEST_CASE("a first run takes what it needs; one far beyond what is expected counts") {
  TeamChoice choice(2);
  TeamChoice::Times times{90};
  CHECK(choice.Together(0));
  choice.Ran(times, true, 3000, 3000);
  CHECK(choice.Together(3000));
  TeamChoice::Times other{90};
  choice.Ran(other, true, 40e3, 43e3);
  CHECK_FALSE(choice.Together(43e3));
}

TEST_CASE("kernels that were made for a team give the same bits without it") {
  struct Row {
    const char* name;
    test::KernelCase kernel;
  };
  const auto strides = [](Node& node) {
    node.attrs.Set("strides", std::vector<int64_t>{1, 1, 2, 2});
    node.attrs.Set("pads", std::vector<int64_t>{1, 1, 1, 1});
    node.attrs.Set("data_format", "NCHW");
  };
  const auto pooling = [](Node& node) {
    node.attrs.Set("ksize", std::vector<int64_t>{1, 1, 3, 3});
    node.attrs.Set("strides", std::vector<int64_t>{1, 1, 2, 2});
    node.attrs.Set("padding_mode", "VALID");
    node.attrs.Set("data_format", "NCHW");
  };
  const Row rows[] = {
      {"convolution",
       {"Conv2D",
        strides,
        {test::RandomFloats({1, 32, 40, 40}, 1), test::RandomFloats({48, 32, 3, 3}, 2)},
        {false, true}}},
      {"product",
       {"MatMulV2",
        [](Node&) {},
        {test::RandomFloats({128, 300}, 1), test::RandomFloats({300, 500}, 2)},
        {false, true}}},
      {"product of two inputs",
       {"MatMulV2", [](Node&) {}, {test::RandomFloats({128, 300}, 1), test::RandomFloats({300, 500}, 2)}}},
      {"pooling", {"MaxPoolV3", pooling, {test::RandomFloats({1, 64, 60, 60}, 1)}}},
      {"elementwise", {"Sigmoid", [](Node&) {}, {test::RandomFloats({300, 1000}, 1)}}},
  };
  for (const Row& row : rows) {
    INFO(row.name);
    test::KernelCase c = row.kernel;
    c.threads = 2;
    Graph graph("alone");
    const Node& node = test::AddCase(c, graph);
    const std::vector<Tensor> like = RunReferenceKernel(node, c.inputs, {}, {DT_FLOAT});
    const std::vector<Tensor> team = test::RunFast(c, graph, node, like);
    const kernels::Team one(1);
    const kernels::Alone alone(true);
    const std::vector<Tensor> by_itself = test::RunFast(c, graph, node, like);
    REQUIRE(team.size() == 1);
    REQUIRE(by_itself.size() == 1);
    CHECK(std::memcmp(team[0].Data(), by_itself[0].Data(), team[0].NumBytes()) == 0);
  }
}
