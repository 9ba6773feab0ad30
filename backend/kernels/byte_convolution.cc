// 8-bit convolutions over all channels, each place a row of a matrix product by vectors of our own.
#include <algorithm>
#include <cstring>

#include "backend/kernels/byte_product.h"
#include "backend/kernels/byte_rows.h"

namespace atc::kernels {
namespace {

// Rows of a piece, which stay in a first-level cache while the filters pass by.
constexpr int64_t kPieceBytes = 16 * 1024;
constexpr int64_t kLeastRows = 16, kMostRows = 128;
// Fewer products are not worth waking other threads.
constexpr int64_t kTeamProducts = 512 * 1024;
// Where sums cost little beside what becomes of them these vectors are faster than oneDNN's. With VNNI that is so of
// short rows that lie in x already, with results that fill vectors; without it oneDNN is slower by half.
constexpr int64_t kLongestOfFour = 128, kLongestOfTwo = 384, kLeastChannels = 32;

bool IsPointwise(const ConvSizes& sizes) {
  return std::all_of(sizes.axes.begin(), sizes.axes.end(), [](const WindowAxis& axis) {
    return axis.kernel == 1 && axis.pad_begin == 0 && axis.pad_end == 0;
  });
}

// [M, C, KH, KW] as [M, KH * KW * C].
Tensor ByPlace(const Tensor& w) {
  const int64_t filters = w.dim(0), channels = w.dim(1), places = w.dim(2) * w.dim(3);
  Tensor turned = Tensor::Allocate(w.dtype(), {filters, places * channels});
  const auto turn = [&](const auto* from, auto* to) {
    for (int64_t m = 0; m < filters; ++m) {
      for (int64_t p = 0; p < places; ++p) {
        for (int64_t c = 0; c < channels; ++c) *to++ = from[(m * channels + c) * places + p];
      }
    }
  };
  if (w.dtype() == DT_INT8)
    turn(w.Data<int8_t>(), turned.MutableData<int8_t>());
  else
    turn(w.Data<int16_t>(), turned.MutableData<int16_t>());
  return turned;
}

class ByteConvolution : public ByteProduct {
 public:
  ByteConvolution(const ConvSizes& sizes, ByteFilters filters, int threads)
      : sizes_(sizes), filters_(std::move(filters)) {
    channels_ = sizes.out_channels;
    rows_ = sizes.batch * Down().out * Across().out;
    row_bytes_ = filters_.groups * 4;
    gathers_ = !IsPointwise(sizes) || filters_.taps != row_bytes_;
    lanes_ = rows_ * channels_ * filters_.taps < kTeamProducts ? 1 : threads;
    const int64_t fitting = std::clamp(kPieceBytes / row_bytes_, kLeastRows, kMostRows);
    const int64_t piece = std::max<int64_t>(std::min(fitting, (rows_ + lanes_ - 1) / lanes_), 1);
    for (int64_t row = 0; row < rows_; row += piece) pieces_.push_back({row, std::min(piece, rows_ - row), 0, 0});
    // Where the rows lie, and the rows that are gathered.
    rows_at_ = static_cast<size_t>(piece) * sizeof(const void*);
    rows_at_ = (rows_at_ + 63) / 64 * 64;
    lane_scratch_bytes_ = rows_at_ + static_cast<size_t>((gathers_ ? piece * row_bytes_ : 0) + filters_.taps);
    lane_scratch_bytes_ = (lane_scratch_bytes_ + 63) / 64 * 64;
    prepared_bytes_ = filters_.weights.NumBytes();
  }

  void AddBias(std::vector<int32_t> bias) override { bias_ = std::move(bias); }
  bool PrepareBytes(const ChannelScales& scales, const Rounding& rounding, Quotient quotient) override {
    return filters_.SetRounding(scales, rounding, quotient);
  }
  int lanes() const override { return lanes_; }

  const void* Begin(const void* x, int32_t zero, std::byte*) override {
    if (zero != zero_ || !filters_.start.defined()) filters_.SetStart(bias_, zero);
    zero_ = zero;
    return x;
  }
  void Sum(const Piece& piece, int, const void* begun, int32_t* sums, std::byte* lane_scratch) override {
    SumByteRows(filters_, Place(piece, begun, lane_scratch), sums);
  }
  void MakeBytes(const Piece& piece, const void* begun, uint8_t* out, std::byte* lane_scratch) const override {
    QuantizeByteRows(filters_, Place(piece, begun, lane_scratch), out);
  }
  SumRows RowsOf(const Piece& piece, const int32_t* sums) const override {
    return {sums, piece.rows, nullptr, nullptr};
  }

 private:
  const WindowAxis& Down() const { return sizes_.axes[0]; }
  const WindowAxis& Across() const { return sizes_.axes[1]; }

  ByteRows Place(const Piece& piece, const void* begun, std::byte* scratch) const {
    const auto* x = static_cast<const uint8_t*>(begun);
    auto* rows = reinterpret_cast<const void**>(scratch);
    std::byte* to = scratch + rows_at_;
    auto* bytes = reinterpret_cast<uint8_t*>(to + (gathers_ ? piece.rows * row_bytes_ : 0));  // of one row
    for (int64_t i = 0; i < piece.rows; ++i) {
      const int64_t number = piece.row + i, line = number / Across().out;
      const int64_t column = number % Across().out, image = line / Down().out;
      const uint8_t* from = x + image * Down().in * Across().in * sizes_.in_channels;
      if (!gathers_) {
        const int64_t place = line % Down().out * Down().stride * Across().in + column * Across().stride;
        rows[i] = from + place * sizes_.in_channels;
        continue;
      }
      rows[i] = to;
      if (filters_.together == 4) {
        Gather(from, line % Down().out, column, reinterpret_cast<uint8_t*>(to));
      } else {
        Gather(from, line % Down().out, column, bytes);
        WidenBytes(reinterpret_cast<int16_t*>(to), bytes, filters_.taps, filters_.flip);
      }
      to += row_bytes_;
    }
    return {rows, piece.rows};
  }

  // The bytes of a window; what is beyond the image is zero points.
  void Gather(const uint8_t* image, int64_t row, int64_t column, uint8_t* to) const {
    const WindowAxis &down = Down(), &across = Across();
    const int64_t channels = sizes_.in_channels;
    const int64_t left = column * across.stride - across.pad_begin;
    const bool together = across.dilation == 1 && left >= 0 && left + across.kernel <= across.in;
    for (int64_t r = 0; r < down.kernel; ++r) {
      const int64_t at = row * down.stride - down.pad_begin + r * down.dilation;
      const bool inside = at >= 0 && at < down.in;
      const uint8_t* line = image + at * across.in * channels;
      if (together || !inside) {
        const auto count = static_cast<size_t>(across.kernel * channels);
        if (inside)
          std::memcpy(to, line + left * channels, count);
        else
          std::memset(to, zero_, count);
        to += count;
        continue;
      }
      for (int64_t v = 0; v < across.kernel; ++v, to += channels) {
        const int64_t place = left + v * across.dilation;
        if (place >= 0 && place < across.in)
          std::memcpy(to, line + place * channels, static_cast<size_t>(channels));
        else
          std::memset(to, zero_, static_cast<size_t>(channels));
      }
    }
  }

  ConvSizes sizes_;
  ByteFilters filters_;
  int64_t row_bytes_ = 0;
  bool gathers_ = false;
  size_t rows_at_ = 0;  // of a lane's scratch
  int lanes_ = 1;
  std::vector<int32_t> bias_;
  int32_t zero_ = 0;
};

}  // namespace

std::unique_ptr<ByteProduct> MakeByteRows(const ConvSizes& sizes, DataType x_type, const Tensor& w, int threads) {
  if (sizes.axes.size() != 2 || sizes.groups != 1) return nullptr;
  if (w.NumElements() > w.dim(0) * kLongestOfTwo) return nullptr;
  ByteFilters filters;
  filters.Lay(ByPlace(w), x_type == DT_INT8);
  if (filters.blocks.empty()) return nullptr;
  const bool lies_in_x = IsPointwise(sizes) && filters.taps % filters.together == 0;
  const bool short_rows = filters.taps <= kLongestOfFour && filters.channels >= kLeastChannels;
  if (filters.together == 4 && !(lies_in_x && short_rows)) return nullptr;
  return std::make_unique<ByteConvolution>(sizes, std::move(filters), threads);
}

std::unique_ptr<ByteProduct> MakeByteConvolution(const ConvSizes& sizes, DataType x_type, const Tensor& w,
                                                 int threads) {
  for (const auto make : {MakeByteDepthwise, MakeByteRows, MakeOneDnnByteConvolution}) {
    if (std::unique_ptr<ByteProduct> made = make(sizes, x_type, w, threads)) return made;
  }
  return nullptr;
}

}  // namespace atc::kernels
