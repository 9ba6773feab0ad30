// Convolutions of one tap over channels-last data: products of pixels with a constant matrix. A product of our own is as
// fast as one that is generated for the shape, and is there at once, where generated code takes longer to be made than
// many such convolutions to run.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "backend/kernels/convolution_parts.h"
#include "backend/kernels/half_convert.h"
#include "backend/kernels/packed_product.h"
#include "backend/kernels/result_type.h"
#include "compiler/ops/evaluator.h"

namespace atc::kernels {
namespace {

int64_t Rounded(int64_t count) { return (count + 15) / 16 * 16; }  // floats: stretches of scratch begin at cache lines

// What follows the product is a second walk over the results, where generated code has them in registers. It does not show
// behind long sums; with few results it matters less than the time that the code takes to be made.
bool WorthATail(const ConvolutionParts& found) {
  constexpr int64_t kLongSums = 256, kFewResults = 64 * 1024;
  return found.sizes.in_channels >= kLongSums || found.out.NumElements() <= kFewResults;
}

class PointwiseKernel : public Kernel {
 public:
  PointwiseKernel(const KernelSpec& spec, ConvolutionParts found, Clip clip, std::unique_ptr<ElementwiseProgram> tail)
      : found_(std::move(found)), clip_(clip), tail_(std::move(tail)), threads_(spec.threads),
        x_dtype_(spec.inputs[static_cast<size_t>(found_.x)].dtype), y_type_(spec.outputs[0]) {
    const ConvSizes& sizes = found_.sizes;
    rows_ = sizes.batch * sizes.axes[0].out * sizes.axes[1].out;
    strided_ = sizes.axes[0].stride != 1 || sizes.axes[1].stride != 1;
    const Tensor w = Widen(*spec.inputs[static_cast<size_t>(found_.w)].constant);
    weights_ = std::make_unique<PackedMatrix>(MatrixPlace{w.Data<float>(), terms(), 1}, outputs(), terms());
    bias_.assign(static_cast<size_t>(padded()), 0.0f);
    if (found_.bias >= 0) {
      const Tensor bias = Widen(*spec.inputs[static_cast<size_t>(found_.bias)].constant);
      std::copy_n(bias.Data<float>(), outputs(), bias_.begin());
    }
    ShareOut();
  }

  size_t scratch_bytes() const override {
    return static_cast<size_t>(Wide() + Result() + threads_ * member_) * sizeof(float);
  }
  size_t prepared_bytes() const override { return weights_->bytes(); }
  bool RoundsOutputs() const override { return true; }
  bool Reads(size_t port) const override {
    return static_cast<int>(port) != found_.w && static_cast<int>(port) != found_.bias;
  }

  void Run(const void* const* inputs, void* const* out, std::byte* scratch) override {
    auto* floats = reinterpret_cast<float*>(scratch);
    Places at{inputs, static_cast<const float*>(inputs[found_.x]), static_cast<float*>(out[0]), out[0]};
    if (x_dtype_ != DT_FLOAT) {
      ParallelWidenTo(floats, inputs[found_.x], x_dtype_, static_cast<size_t>(found_.in.NumElements()), threads_);
      at.x = floats;
    }
    if (!y_type_.is_float()) at.y = floats + Wide();
    floats += Wide() + Result();
    const int64_t items = blocks_ * parts_;
#pragma omp parallel for num_threads(threads_) schedule(static) if (threads_ > 1 && items > 1)
    for (int64_t member = 0; member < threads_; ++member) {
      for (int64_t item = items * member / threads_; item < items * (member + 1) / threads_; ++item) {
        RunBlock(item / parts_, item % parts_, at, floats + member * member_);
      }
    }
  }

 private:
  struct Places {
    const void* const* inputs;
    const float* x;
    float* y;      // the product as floats
    void* output;  // what follows it
  };

  int64_t terms() const { return found_.sizes.in_channels; }
  int64_t outputs() const { return found_.sizes.out_channels; }
  int64_t padded() const { return weights_->padded(); }
  int64_t Wide() const { return x_dtype_ == DT_FLOAT ? 0 : Rounded(found_.in.NumElements()); }
  int64_t Result() const { return y_type_.is_float() ? 0 : Rounded(found_.out.NumElements()); }

  // Blocks of rows whose pixels and results stay in the second-level cache. Where the matrix is larger than the pixels, and
  // than what a core has at hand anyway, the members of the team share its outputs out.
  void ShareOut() {
    constexpr int64_t kCacheFloats = 64 * 1024, kLeast = 24, kMost = 192, kTileRows = 6;
    const int64_t wide = (padded() + PackedMatrix::kBlock - 1) / PackedMatrix::kBlock;
    const bool by_outputs = outputs() > rows_ && wide >= threads_ && outputs() * terms() > kCacheFloats;
    parts_ = by_outputs ? threads_ : 1;
    const int64_t size = std::clamp(kCacheFloats / (terms() + padded() / parts_) / kTileRows * kTileRows, kLeast, kMost);
    blocks_ = (rows_ + size - 1) / size;
    if (!by_outputs) blocks_ = std::min((blocks_ + threads_ - 1) / threads_ * threads_, rows_);
    block_rows_ = (rows_ + blocks_ - 1) / blocks_;
    if (!by_outputs && block_rows_ > kTileRows) block_rows_ = (block_rows_ + kTileRows - 1) / kTileRows * kTileRows;
    member_ = strided_ ? Rounded(block_rows_ * terms()) : 0;
  }

  void RunBlock(int64_t block, int64_t part, const Places& at, float* scratch) const {
    const int64_t first = block * block_rows_, rows = std::min(block_rows_, rows_ - first);
    if (rows <= 0) return;
    const int64_t wide = (padded() + PackedMatrix::kBlock - 1) / PackedMatrix::kBlock;
    const int64_t begin = wide * part / parts_ * PackedMatrix::kBlock;
    const int64_t end = std::min(padded(), wide * (part + 1) / parts_ * PackedMatrix::kBlock);
    const float* x = at.x + first * terms();
    if (strided_) {
      Gather(first, rows, at.x, scratch);
      x = scratch;
    }
    float* y = at.y + first * outputs() + begin;
    const int64_t count = std::min(end, outputs()) - begin;
    weights_->MultiplyPart(begin, end, rows, x, terms(), bias_.data() + begin, 0, y, outputs(), clip_, count);
    if (tail_ == nullptr && y_type_.plain()) return;
    // While the results are in the cache.
    if (parts_ == 1) return Finish(at, first * outputs(), rows * outputs());
    for (int64_t r = 0; r < rows; ++r) Finish(at, (first + r) * outputs() + begin, count);
  }

  void Gather(int64_t first, int64_t rows, const float* x, float* to) const {
    const WindowAxis &h = found_.sizes.axes[0], &v = found_.sizes.axes[1];
    for (int64_t row = first; row < first + rows; ++row, to += terms()) {
      const int64_t image = row / (h.out * v.out), i = row / v.out % h.out * h.stride, j = row % v.out * v.stride;
      std::memcpy(to, x + ((image * h.in + i) * v.in + j) * terms(), static_cast<size_t>(terms()) * sizeof(float));
    }
  }

  void Finish(const Places& at, int64_t begin, int64_t count) const {
    if (tail_) return tail_->RunRange(at.inputs, at.y, at.output, begin, count);
    y_type_.Give(at.output, at.y, begin, count);
  }

  ConvolutionParts found_;
  Clip clip_;
  std::unique_ptr<ElementwiseProgram> tail_;  // nullptr where the clip is all
  int threads_;
  DataType x_dtype_;
  ResultType y_type_;
  int64_t rows_ = 0;  // pixels of the result
  bool strided_ = false;
  std::unique_ptr<PackedMatrix> weights_;
  std::vector<float> bias_;
  int64_t blocks_ = 1, parts_ = 1, block_rows_ = 1;
  int64_t member_ = 0;  // floats of scratch for each member of the team
};

}  // namespace

std::unique_ptr<Kernel> MakePointwise(const KernelSpec& spec) {
  std::optional<ConvolutionParts> found = FindConvolution(spec);
  if (!found || !found->channels_last || found->sizes.groups != 1 || found->sizes.axes.size() != 2) return nullptr;
  for (const WindowAxis& axis : found->sizes.axes) {
    if (axis.kernel != 1 || axis.pad_begin != 0 || (axis.out - 1) * axis.stride >= axis.in) return nullptr;
  }
  std::unique_ptr<ElementwiseProgram> tail;
  const std::optional<Clip> clip = FindClip(spec, *found->heavy.heavy);
  if (!clip) {
    if (!WorthATail(*found)) return nullptr;
    tail = ElementwiseProgram::Make(spec, found->heavy.heavy);
    if (tail == nullptr) return nullptr;
  }
  return std::make_unique<PointwiseKernel>(spec, std::move(*found), clip.value_or(Clip()), std::move(tail));
}

}  // namespace atc::kernels
