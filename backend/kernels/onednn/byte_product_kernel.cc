#include "backend/kernels/onednn/byte_product_kernel.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "backend/kernels/for_team.h"
#include "backend/kernels/layout.h"
#include "backend/kernels/team.h"

namespace atc::kernels {
namespace {

class ByteProductKernel : public Kernel {
 public:
  ByteProductKernel(const KernelSpec& spec, ByteProductTask task)
      : task_(std::move(task)), x_(spec.inputs[task_.x_port]), y_(spec.outputs[0]), threads_(spec.threads) {
    const ByteProduct& product = *task_.product;
    if (task_.form == ByteProductTask::kQuantized || task_.form == ByteProductTask::kRounded) {
      const Quotient quotient = task_.form == ByteProductTask::kQuantized ? Quotient::kFloat : Quotient::kDouble;
      makes_bytes_ = task_.product->PrepareBytes(task_.scales, task_.rounding, quotient);
    }
    if (task_.scale_port >= 0) unscaled_ = task_.scales.scale;
    if (task_.images && !x_.channels_last) turn_x_ = ChannelsToLast(x_.shape, 1);
    if (task_.images && !y_.channels_last) turn_y_ = ChannelsToFirst(y_.shape, Width());
    int64_t most_rows = 0;
    for (const ByteProduct::Piece& piece : product.pieces()) most_rows = std::max(most_rows, piece.rows);
    const auto reserve = [](size_t* total, size_t bytes) {
      const size_t at = *total;
      *total += (bytes + 63) / 64 * 64;
      return at;
    };
    // What a piece needs, once for each lane, then what the whole needs.
    reserve(&lane_bytes_, product.lane_scratch_bytes());
    sums_at_ = reserve(&lane_bytes_, static_cast<size_t>(most_rows * product.channels()) * sizeof(int32_t));
    scratch_bytes_ = lane_bytes_ * static_cast<size_t>(product.lanes());
    const auto count = static_cast<size_t>(product.rows() * product.channels());
    begin_at_ = reserve(&scratch_bytes_, product.scratch_bytes());
    if (turn_x_) x_at_ = reserve(&scratch_bytes_, DataTypeBytes(x_.dtype, x_.shape.NumElements()));
    if (turn_y_) turned_at_ = reserve(&scratch_bytes_, count * sizeof(float));
    if (task_.tail) floats_at_ = reserve(&scratch_bytes_, count * sizeof(float));
  }

  size_t scratch_bytes() const override { return scratch_bytes_; }
  size_t prepared_bytes() const override { return task_.product->prepared_bytes(); }

  void Run(const void* const* inputs, void* const* outputs, std::byte* scratch) override {
    const void* x = inputs[task_.x_port];
    if (task_.scale_port >= 0) {
      const double by = *static_cast<const float*>(inputs[task_.scale_port]);
      for (size_t c = 0; c < unscaled_.size(); ++c) task_.scales.scale[c] = by * unscaled_[c];
    }
    if (turn_x_) {
      turn_x_->Run(x, scratch + x_at_, threads_);
      x = scratch + x_at_;
    }
    x = task_.product->Begin(x, ZeroOf(inputs), scratch + begin_at_);
    void* result = task_.tail ? scratch + floats_at_ : outputs[0];
    void* rows = turn_y_ ? scratch + turned_at_ : result;
    const ByteProduct& product = *task_.product;
    const std::vector<ByteProduct::Piece>& pieces = product.pieces();
    if (product.lanes() == 1 && (makes_bytes_ || pieces.size() > 1)) {
      RunLane(0, 1, x, rows, scratch);
    } else if (pieces.size() == 1) {
      RunWhole(pieces[0], x, rows, scratch);
    } else {
      const auto run = [&](int lane) { RunLane(lane, threads_, x, rows, scratch); };
      if (!RunTogether(threads_, std::cref(run)))
        RunLane(0, 1, x, rows, scratch);  // by reference: nothing is allocated
    }
    if (turn_y_) turn_y_->Run(scratch + turned_at_, result, threads_);
    if (!task_.table.empty()) Replace(static_cast<uint8_t*>(outputs[0]));
    if (task_.tail) task_.tail->Run(inputs, static_cast<const float*>(result), outputs[0], threads_);
  }

 private:
  int Width() const { return task_.form == ByteProductTask::kSums || task_.form == ByteProductTask::kFloats ? 4 : 1; }

  void Replace(uint8_t* bytes) const {
    const int64_t count = y_.shape.NumElements();
    const int parts = count > 64 * 1024 ? threads_ : 1;
    const uint8_t* table = task_.table.data();
    ForTeam(parts, parts, [&](int part) {
      for (int64_t i = count * part / parts; i < count * (part + 1) / parts; ++i) bytes[i] = table[bytes[i]];
    });
  }

  int32_t ZeroOf(const void* const* inputs) const {
    if (task_.zero_port < 0) return 0;
    const void* zero = inputs[task_.zero_port];
    return x_.dtype == DT_UINT8 ? *static_cast<const uint8_t*>(zero) : *static_cast<const int8_t*>(zero);
  }

  // The pieces of one lane of `lanes`.
  void RunLane(int lane, int lanes, const void* x, void* rows, std::byte* scratch) {
    std::byte* own = scratch + static_cast<size_t>(lane) * lane_bytes_;
    auto* sums = reinterpret_cast<int32_t*>(own + sums_at_);
    const std::vector<ByteProduct::Piece>& pieces = task_.product->pieces();
    for (size_t i = pieces.size() * lane / lanes; i < pieces.size() * (lane + 1) / lanes; ++i) {
      if (makes_bytes_) {
        auto* out = static_cast<uint8_t*>(rows) + pieces[i].row * task_.product->channels();
        task_.product->MakeBytes(pieces[i], x, out, own);
        continue;
      }
      task_.product->Sum(pieces[i], lane, x, sums, own);
      Write(rows, pieces[i].row, task_.product->RowsOf(pieces[i], sums));
    }
  }

  void RunWhole(const ByteProduct::Piece& piece, const void* x, void* out, std::byte* scratch) {
    auto* sums = reinterpret_cast<int32_t*>(scratch + sums_at_);
    task_.product->Sum(piece, 0, x, sums, scratch);
    const SumRows all = task_.product->RowsOf(piece, sums);
    const int64_t channels = task_.product->channels();
    const int parts = all.rows * channels > 16384 ? threads_ : 1;
    ForTeam(parts, parts, [&](int part) {
      const int64_t begin = all.rows * part / parts, end = all.rows * (part + 1) / parts;
      Write(out, begin,
            {all.sums + begin * channels, end - begin, all.corrections, all.kinds ? all.kinds + begin : nullptr});
    });
  }

  // What becomes of `rows`, of which the first is number `row` of the result.
  void Write(void* out, int64_t row, const SumRows& rows) const {
    const int64_t channels = task_.product->channels(), at = row * channels;
    switch (task_.form) {
      case ByteProductTask::kSums:
        for (int64_t r = 0; r < rows.rows; ++r) {
          const int32_t* from = rows.sums + r * channels;
          const int32_t* correction = rows.CorrectionOf(r, channels);
          auto* to = static_cast<uint32_t*>(out) + at + r * channels;
          for (int64_t c = 0; c < channels; ++c) {
            to[c] = static_cast<uint32_t>(from[c]) + (correction ? static_cast<uint32_t>(correction[c]) : 0u);
          }
        }
        break;
      case ByteProductTask::kFloats: ScaleRows(static_cast<float*>(out) + at, rows, task_.scales); break;
      case ByteProductTask::kQuantized:
        QuantizeRows(static_cast<uint8_t*>(out) + at, rows, task_.scales, task_.rounding);
        break;
      case ByteProductTask::kRounded:
        RoundRows(static_cast<uint8_t*>(out) + at, rows, task_.scales, task_.rounding);
        break;
    }
  }

  ByteProductTask task_;
  Port x_;
  Port y_;
  int threads_;
  bool makes_bytes_ = false;
  std::vector<double> unscaled_;  // scales of the weights alone, where that of x comes with each run
  std::optional<StridedCopy> turn_x_, turn_y_;
  size_t lane_bytes_ = 0;
  size_t sums_at_ = 0;  // of a lane's scratch
  size_t begin_at_ = 0;
  size_t x_at_ = 0;
  size_t turned_at_ = 0;
  size_t floats_at_ = 0;
  size_t scratch_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Kernel> MakeByteProductKernel(const KernelSpec& spec, ByteProductTask task) {
  return std::make_unique<ByteProductKernel>(spec, std::move(task));
}

}  // namespace atc::kernels
