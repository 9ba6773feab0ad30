#include "backend/aclnn/plan_cache.h"

#include <catch2/catch.hpp>

using atc::aclnn::CacheLimit;
using Cache = atc::aclnn::PlanCache<int>;

TEST_CASE("plan cache: the limit that the environment names") {
  CHECK(CacheLimit(nullptr, nullptr) == 10000);
  CHECK(CacheLimit("1", nullptr) == 1);
  CHECK(CacheLimit("0", nullptr) == 0);
  CHECK(CacheLimit("10000001", nullptr) == 10000000);
  CHECK(CacheLimit("99999999999999999999999", nullptr) == 10000000);
  for (const char* wrong : {"", "many", "-1", "5 plans", "1e3"}) CHECK(CacheLimit(wrong, nullptr) == 10000);
  CHECK(CacheLimit("5", "1") == 0);
  CHECK(CacheLimit("5", "0") == 5);
  CHECK(CacheLimit("5", "") == 5);
}

TEST_CASE("plan cache: as many plans as the limit says, and none that is in use") {
  Cache cache(2);
  cache.Add("a", std::make_shared<int>(1));
  std::shared_ptr<int> held = cache.Find("a");
  REQUIRE(held != nullptr);
  CHECK(*held == 1);
  CHECK(cache.Find("a") == nullptr);  // in use
  cache.Add("a", std::make_shared<int>(2));
  CHECK(*cache.Find("a") == 2);
  held.reset();
  CHECK(*cache.Find("a") == 1);
  cache.Add("b", std::make_shared<int>(3));  // the third: only it is left
  CHECK(cache.Find("a") == nullptr);
  CHECK(*cache.Find("b") == 3);

  Cache none(0);
  none.Add("a", std::make_shared<int>(1));
  CHECK(none.Find("a") == nullptr);
  const std::string longest(8192, 'k');
  cache.Add(longest, std::make_shared<int>(4));
  CHECK(cache.Find(longest) != nullptr);
  cache.Add(longest + "k", std::make_shared<int>(5));
  CHECK(cache.Find(longest + "k") == nullptr);
}
