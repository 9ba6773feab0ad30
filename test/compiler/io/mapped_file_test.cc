#include "compiler/io/mapped_file.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>

#include "compiler/ir/error.h"

namespace atc {
namespace {

TEST_CASE("a file is mapped whole; an empty one has no bytes; a folder, a device and a missing file are errors") {
  char path[] = "/tmp/openatc_test_XXXXXX";
  const int fd = mkstemp(path);
  REQUIRE(fd >= 0);
  CHECK(MapFile(path).size == 0);
  REQUIRE(write(fd, "abc", 3) == 3);
  close(fd);
  const Buffer buffer = MapFile(path);
  unlink(path);
  REQUIRE(buffer.size == 3);
  CHECK(std::memcmp(buffer.data, "abc", 3) == 0);
  CHECK_THROWS_AS(MapFile(path), Error);
  CHECK_THROWS_AS(MapFile("/tmp"), Error);
  CHECK_THROWS_AS(MapFile("/dev/null"), Error);
}

}  // namespace
}  // namespace atc
