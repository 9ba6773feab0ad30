#include "backend/kernels/vector_limit.h"

#include <hwy/targets.h>

#include <catch2/catch.hpp>

using atc::kernels::TargetsBeyond;

TEST_CASE("a limit of oneDNN is one of our own vectors") {
  CHECK(TargetsBeyond("") == 0);
  CHECK(TargetsBeyond("ALL") == 0);
  CHECK(TargetsBeyond("AVX512_CORE") == 0);
  CHECK(TargetsBeyond("AVX2") == (HWY_AVX3 | HWY_AVX3_DL));
  CHECK(TargetsBeyond("AVX2_VNNI") == (HWY_AVX3 | HWY_AVX3_DL));
  CHECK(TargetsBeyond("SSE41") == (HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL));
}
