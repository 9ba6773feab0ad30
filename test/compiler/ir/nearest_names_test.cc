#include "compiler/ir/nearest_names.h"

#include <catch2/catch.hpp>

namespace atc {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("edits are counted as a typist makes them") {
  CHECK(EditDistance("", "") == 0);
  CHECK(EditDistance("abc", "") == 3);
  CHECK(EditDistance("kitten", "sitting") == 3);
  CHECK(EditDistance("modle", "model") == 1);  // two neighbours swapped
  CHECK(EditDistance("ca", "abc") == 3);       // a swapped pair is not edited again
}

TEST_CASE("the nearest names are offered, and no strange ones") {
  CHECK(DidYouMean("imput", Names{"input", "output", "mask"}) == "Did you mean 'input'?");
  CHECK(DidYouMean("conv_1", Names{"conv_2", "conv_3", "conv_4", "conv_5"}) ==
        "Did you mean 'conv_2' or 'conv_3' or 'conv_4'?");
  CHECK(DidYouMean("INPUT", Names{"imput", "input"}) == "Did you mean 'input'?");
  CHECK(DidYouMean("a", Names{"image", "mask"}).empty());
  CHECK(DidYouMean("y", Names{"x"}) == "Did you mean 'x'?");
  CHECK(DidYouMean("abcdefgh", Names{"abXXXfgh"}).empty());
  CHECK(DidYouMean("name", Names{}).empty());
}

TEST_CASE("a name with something before or after it") {
  CHECK(DidYouMean("input_ids:0", Names{"input_ids", "mask"}) == "Did you mean 'input_ids'?");
  CHECK(DidYouMean("softmax", Names{"head/softmax:0", "head/presoftmax"}) == "Did you mean 'head/softmax:0'?");
}

}  // namespace
}  // namespace atc
