#include "compiler/ir/blocked_formats.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace atc {
namespace {

constexpr int64_t kRows = 16;  // N0 of the fractals

int64_t BlocksOf(int64_t dim, int64_t block) { return dim < 0 ? kUnknownDim : (dim + block - 1) / block; }

int64_t Product(std::initializer_list<int64_t> dims) {
  if (std::any_of(dims.begin(), dims.end(), [](int64_t dim) { return dim < 0; })) return kUnknownDim;
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
}

// A tensor by the letters of its axes.
struct Axes {
  int64_t n = 1, d = 1, c = 1, h = 1, w = 1;
};

bool ReadAxes(Format plain, const Shape& origin, Axes* axes) {
  const std::string letters(FormatName(plain));
  if (!origin.HasRank() || letters.size() != origin.rank()) return false;
  for (size_t i = 0; i < letters.size(); ++i) {
    switch (letters[i]) {
      case 'N': axes->n = origin[i]; break;
      case 'D': axes->d = origin[i]; break;
      case 'C': axes->c = origin[i]; break;
      case 'H': axes->h = origin[i]; break;
      case 'W': axes->w = origin[i]; break;
      default: return false;
    }
  }
  return true;
}

Shape Fractal(const Axes& axes, int64_t c0, int64_t groups) {
  int64_t n = axes.n;
  int64_t c = axes.c;
  int64_t rounds = 1;
  if (groups > 1 && n >= groups && c > 0) {
    n /= groups;
    const int64_t together = std::min(std::lcm(c0 / std::gcd(c, c0), kRows / std::gcd(n, kRows)), groups);
    rounds = BlocksOf(groups, together);
    n *= together;
    c *= together;
  }
  return {Product({rounds, BlocksOf(c, c0), axes.d, axes.h, axes.w}), BlocksOf(n, kRows), kRows, c0};
}

Shape Zigzag(const Shape& origin, int64_t c0) {
  if (!origin.HasRank() || origin.rank() < 2) return Shape({kUnknownRank});
  std::vector<int64_t> dims(origin.dims().begin(), origin.dims().end() - 2);
  for (const int64_t dim : {BlocksOf(origin[origin.rank() - 1], c0), BlocksOf(origin[origin.rank() - 2], kRows), kRows, c0}) {
    dims.push_back(dim);
  }
  return Shape(dims);
}

}  // namespace

bool IsPrivate(Format format) {
  constexpr Format kPrivate[] = {FORMAT_NC1HWC0,    FORMAT_NC1HWC0_C04,   FORMAT_NDC1HWC0,  FORMAT_FRACTAL_Z,
                                 FORMAT_FRACTAL_NZ, FORMAT_FRACTAL_Z_C04, FORMAT_FRACTAL_Z_3D};
  return std::find(std::begin(kPrivate), std::end(kPrivate), format) != std::end(kPrivate);
}

int64_t BlockElements(Format storage, DataType dtype) {
  if (storage == FORMAT_NC1HWC0_C04) return 4;
  return DataTypeBits(dtype) == 8 ? 32 : 16;
}

Shape StoredShape(Format storage, Format plain, const Shape& origin, DataType dtype, int64_t groups) {
  const int64_t c0 = BlockElements(storage, dtype);
  if (storage == FORMAT_FRACTAL_NZ) return Zigzag(origin, c0);
  Axes axes;
  if (!ReadAxes(plain, origin, &axes)) return Shape({kUnknownRank});
  if (IsBlocked(storage)) return {axes.n, BlocksOf(axes.c, c0), axes.h, axes.w, c0};
  if (storage == FORMAT_NDC1HWC0) return {axes.n, axes.d, BlocksOf(axes.c, c0), axes.h, axes.w, c0};
  if (storage == FORMAT_FRACTAL_Z || storage == FORMAT_FRACTAL_Z_3D) return Fractal(axes, c0, groups);
  if (storage == FORMAT_FRACTAL_Z_C04) return {BlocksOf(Product({4, axes.h, axes.w}), c0), BlocksOf(axes.n, kRows), kRows, c0};
  return Shape({kUnknownRank});
}

}  // namespace atc
