#include "compiler/ir/blocked_formats.h"

#include <catch2/catch.hpp>

#include "compiler/storage_view.h"

using namespace atc;

namespace {

struct Row {
  Format storage, plain;
  Shape origin;
  DataType dtype;
  int64_t groups;
  Shape stored;
};

}  // namespace

// By hand from the formats' definitions: C0 16 (32 of 8-bit types, 4 of C04), fractals of 16 rows.
TEST_CASE("storage formats have the shapes of their definitions") {
  const Row rows[] = {
      {FORMAT_NC1HWC0, FORMAT_NCHW, {8, 3, 224, 224}, DT_FLOAT16, 1, {8, 1, 224, 224, 16}},
      {FORMAT_NC1HWC0, FORMAT_NHWC, {8, 224, 224, 3}, DT_FLOAT16, 1, {8, 1, 224, 224, 16}},
      {FORMAT_NC1HWC0, FORMAT_NCHW, {1, 33, 2, 2}, DT_INT8, 1, {1, 2, 2, 2, 32}},
      {FORMAT_NC1HWC0, FORMAT_NCHW, {-1, 33, -1, 2}, DT_FLOAT, 1, {-1, 3, -1, 2, 16}},
      {FORMAT_NC1HWC0_C04, FORMAT_NCHW, {1, 3, 2, 2}, DT_FLOAT16, 1, {1, 1, 2, 2, 4}},
      {FORMAT_NDC1HWC0, FORMAT_NCDHW, {1, 33, 4, 5, 6}, DT_FLOAT16, 1, {1, 4, 3, 5, 6, 16}},
      {FORMAT_NDC1HWC0, FORMAT_NDHWC, {1, 4, 5, 6, 33}, DT_FLOAT16, 1, {1, 4, 3, 5, 6, 16}},
      {FORMAT_FRACTAL_Z, FORMAT_NCHW, {64, 3, 7, 7}, DT_FLOAT16, 1, {49, 4, 16, 16}},
      {FORMAT_FRACTAL_Z, FORMAT_HWCN, {7, 7, 3, 64}, DT_FLOAT16, 1, {49, 4, 16, 16}},
      {FORMAT_FRACTAL_Z, FORMAT_NCHW, {64, 33, 3, 3}, DT_INT8, 1, {18, 4, 16, 32}},
      // Depthwise: 16 groups fill a block of 16 x 16, so 32 lie in two rounds of 9 places.
      {FORMAT_FRACTAL_Z, FORMAT_NCHW, {32, 1, 3, 3}, DT_FLOAT16, 32, {18, 1, 16, 16}},
      // Four groups of 6 channels to 2: all side by side are 24 channels to 8.
      {FORMAT_FRACTAL_Z, FORMAT_NCHW, {8, 6, 1, 1}, DT_FLOAT16, 4, {2, 1, 16, 16}},
      {FORMAT_FRACTAL_Z_C04, FORMAT_NCHW, {64, 3, 7, 7}, DT_FLOAT16, 1, {13, 4, 16, 16}},
      {FORMAT_FRACTAL_Z_3D, FORMAT_NCDHW, {64, 3, 3, 7, 7}, DT_FLOAT16, 1, {147, 4, 16, 16}},
      {FORMAT_FRACTAL_NZ, FORMAT_ND, {33, 50}, DT_FLOAT16, 1, {4, 3, 16, 16}},
      {FORMAT_FRACTAL_NZ, FORMAT_ND, {2, 3, 33, 50}, DT_FLOAT16, 1, {2, 3, 4, 3, 16, 16}},
      {FORMAT_FRACTAL_NZ, FORMAT_ND, {2, -1, 50}, DT_FLOAT16, 1, {2, 4, -1, 16, 16}},
      {FORMAT_FRACTAL_NZ, FORMAT_ND, {16, 33}, DT_INT8, 1, {2, 1, 16, 32}},
  };
  for (const Row& row : rows) {
    INFO(FormatName(row.storage) << " of " << ToString(row.origin));
    CHECK(ToString(StoredShape(row.storage, row.plain, row.origin, row.dtype, row.groups)) == ToString(row.stored));
    // The views by which users' layouts are taken apart say the same.
    const bool apart = row.origin.IsKnown() && row.groups == 1 && row.storage != FORMAT_FRACTAL_Z_C04;
    if (apart) CHECK(StorageShape(row.storage, row.plain, row.origin, BlockElements(row.storage, row.dtype)) == row.stored);
  }
}

TEST_CASE("what a format cannot hold has no shape") {
  CHECK_FALSE(StoredShape(FORMAT_NC1HWC0, FORMAT_NCHW, {2, 3}, DT_FLOAT16).HasRank());
  CHECK_FALSE(StoredShape(FORMAT_FRACTAL_NZ, FORMAT_ND, {7}, DT_FLOAT16).HasRank());
  CHECK_FALSE(StoredShape(FORMAT_FRACTAL_Z, FORMAT_ND, {1, 2, 3, 4}, DT_FLOAT16).HasRank());
}
