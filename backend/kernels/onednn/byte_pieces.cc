#include "backend/kernels/onednn/byte_pieces.h"

#include <algorithm>
#include <cstddef>

namespace atc::kernels {
namespace {

// What a piece aims at, and what is not worth cutting for one thread: a second-level cache also has the operands.
constexpr int64_t kPieceBytes = 128 * 1024;
constexpr int64_t kWholeBytes = 384 * 1024;
// Fewer products are not worth waking other threads.
constexpr int64_t kTeamProducts = 512 * 1024;

bool IsPointwise(const WindowAxis& axis) {
  return axis.kernel == 1 && axis.stride == 1 && axis.pad_begin == 0 && axis.pad_end == 0;
}

// Rows [begin, end) of the output as an axis of their own; `first` is the row of the input at which it begins.
WindowAxis Slice(const WindowAxis& axis, int64_t begin, int64_t end, int64_t* first) {
  const int64_t top = begin * axis.stride - axis.pad_begin;
  const int64_t bottom = (end - 1) * axis.stride + axis.extent() - axis.pad_begin;
  WindowAxis part = axis;
  *first = std::clamp<int64_t>(top, 0, axis.in);
  part.in = std::clamp<int64_t>(bottom, 0, axis.in) - *first;
  part.out = end - begin;
  part.pad_begin = std::max<int64_t>(-top, 0);
  part.pad_end = std::max<int64_t>(bottom - axis.in, 0);
  return part;
}

int64_t PieceCount(int64_t sum_bytes, int64_t products, int64_t weight_bytes, int threads) {
  const int64_t wanted = (sum_bytes + kPieceBytes - 1) / kPieceBytes;
  if (threads <= 1) return sum_bytes <= kWholeBytes ? 1 : wanted;
  // Of a small result with many weights a team shares the channels instead.
  if (products < kTeamProducts || (sum_bytes <= kWholeBytes && weight_bytes > sum_bytes)) return 1;
  return (wanted + threads - 1) / threads * threads;
}

}  // namespace

ByteCut CutSums(const ConvSizes& sizes, int64_t weight_bytes, int threads) {
  ByteCut cut{sizes, {}};
  const WindowAxis &rows = sizes.axes[0], &columns = sizes.axes[1];
  const int64_t results = sizes.batch * sizes.out_channels * rows.out * columns.out;
  const int64_t products = results * (sizes.in_channels / sizes.groups) * rows.kernel * columns.kernel;
  const int64_t count = PieceCount(results * static_cast<int64_t>(sizeof(int32_t)), products, weight_bytes, threads);
  const BytePiece whole{rows, 0, 0, 0};
  if (count == 1) {
    cut.pieces = {whole};
    return cut;
  }
  if (IsPointwise(rows) && IsPointwise(columns)) {
    WindowAxis &all = cut.sizes.axes[0], &one = cut.sizes.axes[1];
    all.in = all.out = sizes.batch * rows.out * columns.out;
    one.in = one.out = 1;
    cut.sizes.batch = 1;
  }
  const WindowAxis& axis = cut.sizes.axes[0];
  const int64_t per_image = std::clamp<int64_t>((count + cut.sizes.batch - 1) / cut.sizes.batch, 1, axis.out);
  const int64_t step = (axis.out + per_image - 1) / per_image;
  for (int64_t image = 0; image < cut.sizes.batch; ++image) {
    for (int64_t begin = 0; begin < axis.out; begin += step) {
      BytePiece piece{{}, image, 0, begin};
      piece.rows = Slice(axis, begin, std::min(begin + step, axis.out), &piece.x_row);
      if (piece.rows.in <= 0) return {sizes, {whole}};  // it would lie in padding alone
      cut.pieces.push_back(piece);
    }
  }
  if (cut.pieces.size() == 1) return {sizes, {whole}};
  return cut;
}

}  // namespace atc::kernels
