#include "cmd/atc/gears.h"

#include <catch2/catch.hpp>

#include "compiler/ir/error_catalogue.h"

namespace atc::cli {
namespace {

using Profiles = std::vector<std::vector<int64_t>>;

Gears Parse(const std::vector<std::string>& line) { return ParseGears(ParseCommandLine(line)); }

// The code of the error, and the argument of that name.
std::string Fault(const std::vector<std::string>& line) {
  try {
    Parse(line);
  } catch (const Error& error) {
    return error.diagnostic().code;
  }
  return "";
}

std::string Batch(const std::string& shape, const std::string& sizes) {
  return Fault({"--input_shape=" + shape, "--dynamic_batch_size=" + sizes});
}
std::string Image(const std::string& shape, const std::string& sizes, const std::string& format = "NCHW") {
  return Fault({"--input_shape=" + shape, "--dynamic_image_size=" + sizes, "--input_format=" + format});
}
std::string Dims(const std::string& shape, const std::string& sizes) {
  return Fault({"--input_shape=" + shape, "--dynamic_dims=" + sizes});
}

TEST_CASE("profiles of batch, image and dims") {
  CHECK(Parse({"--input_shape=a:-1,3", "--dynamic_batch_size=1,4,8,"}).profiles == Profiles{{1}, {4}, {8}});
  CHECK(Parse({"--input_shape=a:1,3,-1,-1;b:1,4", "--dynamic_image_size=416,416;832, 832;"}).profiles ==
        Profiles{{416, 416}, {832, 832}});
  CHECK(Parse({"--input_shape=a:-1,3;b:2,-1", "--dynamic_dims=1,20;4,40"}).profiles == Profiles{{1, 20}, {4, 40}});
  CHECK(Parse({"--input_shape=a:1,-1,-1,3", "--dynamic_image_size=1,1;2,2", "--input_format=NHWC"}).shapes.size() == 1);
}

TEST_CASE("which flags go together") {
  CHECK(Fault({"--dynamic_batch_size=1,2"}) == "E10004");
  CHECK(Fault({"--input_shape=a:-1", "--dynamic_batch_size=1,2", "--dynamic_dims=1;2"}) == "E10009");
  CHECK(Fault({"--input_shape=a:-1", "--dynamic_batch_size=1,2", "--input_shape_range=a:[1~2]"}) == "E10009");
  CHECK(Batch("a:1~2", "1,2") == "E10040");
}

TEST_CASE("batch: -1 at axis 0 alone, digits and commas alone") {
  CHECK(Batch("a:", "1,2") == "E10012");
  CHECK(Batch("a:1,3", "1,2") == "E10031");
  CHECK(Batch("a:1,-1", "1,2") == "E10031");
  CHECK(Batch("a:-1,-1", "1,2") == "E10018");
  CHECK(Batch("a:-1,3;b:1,-1", "1,2") == "E10018");
  CHECK(Batch("a:-1,3", "1;2") == "E10003");
  CHECK(Batch("a:-1,3", "1,-2") == "E10003");
  CHECK(Batch("a:-1,3", "1,,2") == "E10003");
  CHECK(Batch("a:-1,3", "1,2,,") == "E10003");
  CHECK(Batch("a:-1,3", "1,99999999999999999999") == "E10013");
}

TEST_CASE("image: -1 at height and width alone, pairs alone") {
  CHECK(Image("a:1,3,-1,-1", "1,1;2,2", "ND") == "E10003");
  CHECK(Image("a:1,3,4,4", "1,1;2,2") == "E10019");
  CHECK(Image("a:1,-1,-1,3", "1,1;2,2") == "E10019");
  CHECK(Image("a:-1,3,-1,-1", "1,1;2,2") == "E10019");
  CHECK(Image("a:3,-1,-1", "1,1;2,2") == "E10019");
  CHECK(Image("a:1,3,-1,-1", "1,1;2") == "E10020");
  CHECK(Image("a:1,3,-1,-1", "1,1,1;2,2") == "E10020");
  CHECK(Image("a:1,3,-1,-1", "1,1;;2,2") == "E10020");
  CHECK(Image("a:1,3,-1,-1", "1x1;2x2") == "E10003");
}

TEST_CASE("dims: a size for each -1") {
  CHECK(Dims("a:1,3", "1;2") == "E10001");
  CHECK(Dims("a:-1,3", "1;-2") == "E10001");
  CHECK(Dims("a:-1,3", "1;2,3") == "E10003");
  CHECK(Dims("a:-1,3", "1,2;2,3") == "E10003");   // more sizes than -1
  CHECK(Dims("a:-1,-1", "1;2") == "E10045");      // one input alone has more -1 than sizes
  CHECK(Dims("a:-1;b:-1", "1;2") == "E10046");    // all inputs together have
  CHECK(Dims("a:-1,-1", "1,2;2") == "E10045");    // in the second profile
  CHECK(Dims("a:-1,-1", "1,;2,3") == "E10003");
}

TEST_CASE("profiles: two to a hundred, positive, each once") {
  CHECK(Batch("a:-1,3", "1") == "E10035");
  CHECK(Batch("a:-1,3", "1,0") == "E10038");
  CHECK(Batch("a:-1,3", "1,2,1") == "E10039");
  CHECK(Dims("a:-1,-1", "1,2;2,1;1,2") == "E10039");
  std::string sizes;
  for (int i = 1; i <= 100; ++i) sizes += std::to_string(i) + ",";
  CHECK(Batch("a:-1,3", sizes) == "");
  CHECK(Batch("a:-1,3", sizes + "101") == "E10036");
}

}  // namespace
}  // namespace atc::cli
