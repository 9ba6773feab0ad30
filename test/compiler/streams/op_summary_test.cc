#include "compiler/streams/op_summary.h"

#include <catch2/catch.hpp>

#include "compiler/ir/error.h"

using namespace atc;

TEST_CASE("columns are found by their titles, in any order, and repeated names give the mean") {
  const OpSummary summary = ParseOpSummary(
      "Model Name,Task Type,Op Name,Task Duration(us),Block Num,Mix Block Num,Note\r\n"
      "m,AI_CORE,conv,10.5,20,0,\"a, b\"\r\n"
      "m,AI_VECTOR_CORE,\"add \"\"x\"\"\",2,48,N/A,\n"
      "\n"
      "m,MIX_AIC,conv,11.5,24,48,\n",
      "p.csv");
  REQUIRE(summary.size() == 2);
  const MeasuredTask& conv = summary.at("conv");
  CHECK(conv.us == 11);
  CHECK(conv.cube);
  CHECK(conv.blocks == 24);
  CHECK(conv.mix_blocks == 48);
  const MeasuredTask& add = summary.at("add \"x\"");
  CHECK(add.us == 2);
  CHECK_FALSE(add.cube);
  CHECK(add.blocks == 48);
  CHECK(add.mix_blocks == 0);
}

TEST_CASE("without the columns of cores a task takes one") {
  const OpSummary summary = ParseOpSummary("\xEF\xBB\xBFOp Name,Task Type,Task Duration(us)\na,AI_CPU,3", "p.csv");
  CHECK(summary.at("a").blocks == 1);
}

TEST_CASE("what is no profile is refused with E10001") {
  for (const char* text : {"", "Op Name,Task Type\na,b\n", "Op Name,Task Type,Task Duration(us)\na,AI_CORE,fast\n",
                           "Op Name,Task Type,Task Duration(us)\na,AI_CORE,-1\n",
                           "Op Name,Task Type,Task Duration(us)\na,AI_CORE,nan\n"}) {
    INFO(text);
    try {
      ParseOpSummary(text, "p.csv");
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.diagnostic().code == "E10001");
    }
  }
}
