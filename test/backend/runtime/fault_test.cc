#include "backend/runtime/fault.h"

#include <catch2/catch.hpp>

using namespace atc::runtime::fault;

namespace {

std::vector<Fault> Read(const char* text) {
  std::vector<Fault> faults;
  std::string why;
  INFO(text);
  REQUIRE(Parse(text, &faults, &why));
  return faults;
}

std::string Why(const char* text) {
  std::vector<Fault> faults;
  std::string why;
  CHECK_FALSE(Parse(text, &faults, &why));
  return why;
}

}  // namespace

TEST_CASE("faults on purpose are read") {
  CHECK(Read("").empty());
  const auto faults = Read("slow:aclnnAdd=20,alloc@3,kernel:model@2=507018,lost");
  REQUIRE(faults.size() == 4);
  CHECK(faults[0].kind == Kind::kSlow);
  CHECK(faults[0].name == "aclnnAdd");
  CHECK(faults[0].value == 20);
  CHECK(faults[1].kind == Kind::kAllocation);
  CHECK(faults[1].at == 3);
  CHECK(faults[2].value == 507018);
  CHECK(faults[2].at == 2);
  CHECK(faults[3].kind == Kind::kLost);
  CHECK(faults[3].value == atc::runtime::kLostHeartbeat);
  CHECK(Read("kernel@1")[0].value == atc::runtime::kAiCoreException);
}

TEST_CASE("faults on purpose that cannot be read are named") {
  CHECK(Why("quick=3") == "'quick=3' names no fault: alloc, kernel, lost or slow");
  CHECK(Why("slow") == "'slow' is not of the form slow[:NAME][@N]=MS");
  for (const char* text : {"slow=x", "slow=-1", "alloc:a", "alloc=1", "kernel@0", "kernel@x", "kernel:", "lost=5"}) Why(text);
}
