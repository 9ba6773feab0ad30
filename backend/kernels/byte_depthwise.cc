// 8-bit convolutions of which each filter reads one channel, by vectors of our own.
#include <algorithm>
#include <cstring>

#include "backend/kernels/byte_product.h"
#include "backend/kernels/depthwise_rows.h"

namespace atc::kernels {
namespace {

// Sums of a piece that stay in a first-level cache until they are rounded.
constexpr int64_t kPieceBytes = 16 * 1024;
// Fewer products are not worth waking other threads.
constexpr int64_t kTeamProducts = 256 * 1024;

class ByteDepthwise : public ByteProduct {
 public:
  ByteDepthwise(const ConvSizes& sizes, ByteFilters filters, int threads)
      : sizes_(sizes), filters_(std::move(filters)) {
    const int64_t down = Rows().out, across = Columns().out;
    channels_ = sizes.out_channels;
    rows_ = sizes.batch * down * across;
    lanes_ = rows_ * channels_ * filters_.taps < kTeamProducts ? 1 : threads;
    const int64_t fitting = kPieceBytes / (across * channels_ * static_cast<int64_t>(sizeof(int32_t)));
    const int64_t shared = (sizes.batch * down + lanes_ - 1) / lanes_;
    const int64_t lines = std::clamp<int64_t>(std::min(fitting, shared), 1, down);
    for (int64_t image = 0; image < sizes.batch; ++image) {
      for (int64_t line = 0; line < down; line += lines) {
        pieces_.push_back({(image * down + line) * across, std::min(lines, down - line) * across, 0, 0});
      }
    }
    zeros_.resize(static_cast<size_t>(Columns().in * channels_));
    prepared_bytes_ = filters_.weights.NumBytes();
  }

  void AddBias(std::vector<int32_t> bias) override { bias_ = std::move(bias); }
  bool PrepareBytes(const ChannelScales& scales, const Rounding& rounding, Quotient quotient) override {
    return filters_.SetRounding(scales, rounding, quotient);
  }
  int lanes() const override { return lanes_; }

  const void* Begin(const void* x, int32_t zero, std::byte*) override {
    if (zero != zero_ || !filters_.start.defined()) {
      filters_.SetStart(bias_, zero);
      std::memset(zeros_.data(), zero, zeros_.size());
    }
    zero_ = zero;
    return x;
  }

  void Sum(const Piece& piece, int, const void* begun, int32_t* sums, std::byte*) override {
    ForRows(piece, begun, [&](const DepthwiseRow& row, int64_t at) { SumDepthwise(filters_, row, sums + at); });
  }
  void MakeBytes(const Piece& piece, const void* begun, uint8_t* out, std::byte*) const override {
    ForRows(piece, begun, [&](const DepthwiseRow& row, int64_t at) { QuantizeDepthwise(filters_, row, out + at); });
  }
  SumRows RowsOf(const Piece& piece, const int32_t* sums) const override {
    return {sums, piece.rows, nullptr, nullptr};
  }

 private:
  const WindowAxis& Rows() const { return sizes_.axes[0]; }
  const WindowAxis& Columns() const { return sizes_.axes[1]; }

  // Calls run(row, its first number in the piece) for each row of results.
  template <typename Run>
  void ForRows(const Piece& piece, const void* begun, Run run) const {
    const WindowAxis& rows = Rows();
    const int64_t line = Columns().in * channels_;
    const uint8_t* lines[kMostDepthwiseTaps];
    for (int64_t at = 0; at < piece.rows; at += Columns().out) {
      const int64_t number = (piece.row + at) / Columns().out, image = number / rows.out;
      const auto* x = static_cast<const uint8_t*>(begun) + image * rows.in * line;
      for (int64_t r = 0; r < rows.kernel; ++r) {
        const int64_t from = number % rows.out * rows.stride - rows.pad_begin + r * rows.dilation;
        lines[r] = from >= 0 && from < rows.in ? x + from * line : zeros_.data();
      }
      run({lines, zeros_.data(), &Columns()}, at * channels_);
    }
  }

  ConvSizes sizes_;
  ByteFilters filters_;
  int lanes_ = 1;
  std::vector<int32_t> bias_;
  int32_t zero_ = 0;
  std::vector<uint8_t> zeros_;  // a line of zero points
};

}  // namespace

std::unique_ptr<ByteProduct> MakeByteDepthwise(const ConvSizes& sizes, DataType x_type, const Tensor& w, int threads) {
  if (sizes.axes.size() != 2 || sizes.groups != sizes.in_channels || sizes.out_channels != sizes.in_channels)
    return nullptr;
  if (w.NumElements() > w.dim(0) * kMostDepthwiseTaps) return nullptr;
  ByteFilters filters;
  filters.Lay(w, x_type == DT_INT8);
  if (filters.blocks.empty()) return nullptr;
  return std::make_unique<ByteDepthwise>(sizes, std::move(filters), threads);
}

}  // namespace atc::kernels
