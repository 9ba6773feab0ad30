// Convolutions of one tap over channels-last data: products of pixels with a constant matrix. A product of our own is as
// fast as one that is generated for the shape, and is there at once, where generated code takes longer to be made than
// many such convolutions to run.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "backend/kernels/convolution_parts.h"
#include "backend/kernels/for_team.h"
#include "backend/kernels/half_convert.h"
#include "backend/kernels/packed_product.h"
#include "backend/kernels/result_type.h"
#include "backend/kernels/shared_forms.h"
#include "backend/kernels/vector_limit.h"
#include "compiler/ops/evaluator.h"

namespace atc::kernels {
namespace {

int64_t Rounded(int64_t count) { return (count + 15) / 16 * 16; }  // floats: stretches of scratch begin at cache lines

// More than an addition and a clip is a second walk over the results, where generated code has them in registers. It does
// not show behind long sums; with few results it matters less than the time that the code takes to be made.
bool WorthATail(const ConvolutionParts& found) {
  constexpr int64_t kLongSums = 256, kFewResults = 64 * 1024;
  return found.sizes.in_channels / found.sizes.groups >= kLongSums || found.out.NumElements() <= kFewResults;
}

// Groups are products of their own, whose outputs take whole vectors, and whose sums have to be worth what begins and ends
// them; short ones are so only against code for narrow vectors.
bool WorthGroups(const ConvSizes& sizes) {
  constexpr int64_t kVector = 8, kShortSums = 16;
  const int64_t terms = sizes.in_channels / sizes.groups, outputs = sizes.out_channels / sizes.groups;
  if (sizes.groups == 1) return true;
  return (outputs + kVector - 1) / kVector * kVector * 2 <= outputs * 3 && (terms >= kShortSums || !HasWideVectors());
}

class PointwiseKernel : public Kernel {
 public:
  PointwiseKernel(const KernelSpec& spec, ConvolutionParts found, const ShortTail& ends,
                  std::unique_ptr<ElementwiseProgram> tail)
      : found_(std::move(found)),
        ends_(ends),
        tail_(std::move(tail)),
        threads_(spec.threads),
        x_dtype_(spec.inputs[static_cast<size_t>(found_.x)].dtype),
        y_type_(spec.outputs[0]) {
    const ConvSizes& sizes = found_.sizes;
    rows_ = sizes.batch * sizes.axes[0].out * sizes.axes[1].out;
    strided_ = sizes.axes[0].stride != 1 || sizes.axes[1].stride != 1;
    const Tensor& constant = *spec.inputs[static_cast<size_t>(found_.w)].constant;
    const std::string form = "one tap, groups " + std::to_string(sizes.groups);
    weights_ = *FormsOf(*spec.prepared).Get<std::vector<PackedMatrix>>(constant, form, &made_weights_, [&] {
      const Tensor w = Widen(constant);
      std::vector<PackedMatrix> weights;
      for (int64_t g = 0; g < sizes.groups; ++g) {
        weights.emplace_back(MatrixPlace{w.Data<float>() + g * outputs() * terms(), terms(), 1}, outputs(), terms());
      }
      return weights;
    });
    bias_.assign(static_cast<size_t>(sizes.groups * padded()), 0.0f);
    if (found_.bias >= 0) {
      const Tensor bias = Widen(*spec.inputs[static_cast<size_t>(found_.bias)].constant);
      for (int64_t g = 0; g < sizes.groups; ++g) {
        std::copy_n(bias.Data<float>() + g * outputs(), outputs(), bias_.begin() + g * padded());
      }
    }
    ShareOut();
  }

  size_t scratch_bytes() const override {
    return static_cast<size_t>(Wide() + Result() + threads_ * member_) * sizeof(float);
  }
  size_t prepared_bytes() const override { return made_weights_ ? weights_.size() * weights_[0].bytes() : 0; }
  bool RoundsOutputs() const override { return true; }
  bool Reads(size_t port) const override {
    return static_cast<int>(port) != found_.w && static_cast<int>(port) != found_.bias;
  }

  void Run(const void* const* inputs, void* const* out, std::byte* scratch) override {
    auto* floats = reinterpret_cast<float*>(scratch);
    Places at{inputs, static_cast<const float*>(inputs[found_.x]), static_cast<float*>(out[0]), out[0]};
    if (ends_.add >= 0) at.add = static_cast<const float*>(inputs[ends_.add]);
    if (x_dtype_ != DT_FLOAT) {
      ParallelWidenTo(floats, inputs[found_.x], x_dtype_, static_cast<size_t>(found_.in.NumElements()), threads_);
      at.x = floats;
    }
    if (!y_type_.is_float()) at.y = floats + Wide();
    floats += Wide() + Result();
    const int64_t members = by_outputs_ ? threads_ : std::min<int64_t>(threads_, Tiles());
    ForTeam(threads_, members, [&](int64_t member) {
      const int64_t begin = by_outputs_ ? 0 : Tiles() * member / members * kTileRows;
      const int64_t end = by_outputs_ ? rows_ : std::min(rows_, Tiles() * (member + 1) / members * kTileRows);
      for (int64_t first = begin; first < end; first += block_rows_) {
        RunBlock(first, std::min(block_rows_, end - first), by_outputs_ ? member : 0, at, floats + member * member_);
      }
    });
  }

 private:
  struct Places {
    const void* const* inputs;
    const float* x;
    float* y;                    // the product as floats
    void* output;                // what follows it
    const float* add = nullptr;  // to the product; it lies as y does
  };

  // Of a group, and of a pixel.
  int64_t terms() const { return found_.sizes.in_channels / found_.sizes.groups; }
  int64_t outputs() const { return found_.sizes.out_channels / found_.sizes.groups; }
  int64_t padded() const { return PackedMatrix::Padded(outputs()); }
  int64_t all_terms() const { return found_.sizes.in_channels; }
  int64_t all_outputs() const { return found_.sizes.out_channels; }
  int64_t Wide() const { return x_dtype_ == DT_FLOAT ? 0 : Rounded(found_.in.NumElements()); }
  int64_t Result() const { return y_type_.is_float() ? 0 : Rounded(found_.out.NumElements()); }

  static constexpr int64_t kTileRows = 6;  // that the product takes at once
  int64_t Tiles() const { return (rows_ + kTileRows - 1) / kTileRows; }

  // The members of the team share the rows out, which they take in blocks whose pixels and results stay in the second-level
  // cache. Where the matrix is larger than the pixels, and than what a core has at hand anyway, they share its outputs out:
  // each reads its part from memory, and for as many rows at once as the cache has room for.
  void ShareOut() {
    constexpr int64_t kCacheFloats = 64 * 1024, kLeast = 4 * kTileRows, kMost = 32 * kTileRows;
    by_outputs_ = weights_.size() == 1 && outputs() > rows_ && weights_[0].blocks() >= threads_ &&
                  outputs() * terms() > kCacheFloats;
    const int64_t room = by_outputs_ ? 2 * kCacheFloats : kCacheFloats;
    const int64_t row = all_terms() + (by_outputs_ ? padded() / threads_ : all_outputs());
    block_rows_ = std::clamp(room / row / kTileRows * kTileRows, kLeast, kMost);
    member_ = strided_ ? Rounded(block_rows_ * all_terms()) : 0;
  }

  void RunBlock(int64_t first, int64_t rows, int64_t part, const Places& at, float* scratch) const {
    const auto [begin, end] = weights_[0].Share(part, by_outputs_ ? threads_ : 1);
    const float* x = at.x + first * all_terms();
    if (strided_) {
      Gather(first, rows, at.x, scratch);
      x = scratch;
    }
    const int64_t count = std::min(end, outputs()) - begin;
    for (size_t g = 0; g < weights_.size(); ++g) {
      const auto group = static_cast<int64_t>(g);
      const int64_t place = first * all_outputs() + group * outputs() + begin;
      const ProductEnd ends{at.add == nullptr ? nullptr : at.add + place, ends_.clip, count};
      weights_[g].MultiplyPart(begin, end, rows, x + group * terms(), all_terms(),
                               bias_.data() + group * padded() + begin, 0, at.y + place, all_outputs(), ends);
    }
    if (tail_ == nullptr && y_type_.plain()) return;
    // While the results are in the cache.
    if (!by_outputs_) return Finish(at, first * all_outputs(), rows * all_outputs());
    for (int64_t r = 0; r < rows; ++r) Finish(at, (first + r) * all_outputs() + begin, count);
  }

  void Gather(int64_t first, int64_t rows, const float* x, float* to) const {
    const WindowAxis &h = found_.sizes.axes[0], &v = found_.sizes.axes[1];
    for (int64_t row = first; row < first + rows; ++row, to += all_terms()) {
      const int64_t image = row / (h.out * v.out), i = row / v.out % h.out * h.stride, j = row % v.out * v.stride;
      std::memcpy(to, x + ((image * h.in + i) * v.in + j) * all_terms(),
                  static_cast<size_t>(all_terms()) * sizeof(float));
    }
  }

  void Finish(const Places& at, int64_t begin, int64_t count) const {
    if (tail_) return tail_->RunRange(at.inputs, at.y, at.output, begin, count);
    y_type_.Give(at.output, at.y, begin, count);
  }

  ConvolutionParts found_;
  ShortTail ends_;
  std::unique_ptr<ElementwiseProgram> tail_;  // nullptr where that is all
  int threads_;
  DataType x_dtype_;
  ResultType y_type_;
  int64_t rows_ = 0;  // pixels of the result
  bool strided_ = false;
  std::vector<PackedMatrix> weights_;  // by group
  bool made_weights_ = false;          // for this kernel first
  std::vector<float> bias_;
  bool by_outputs_ = false;
  int64_t block_rows_ = 1;
  int64_t member_ = 0;  // floats of scratch for each member of the team
};

}  // namespace

std::unique_ptr<Kernel> MakePointwise(const KernelSpec& spec) {
  std::optional<ConvolutionParts> found = FindConvolution(spec);
  if (!found || !found->channels_last || !WorthGroups(found->sizes) || found->sizes.axes.size() != 2) return nullptr;
  for (const WindowAxis& axis : found->sizes.axes) {
    if (axis.kernel != 1 || axis.pad_begin != 0 || (axis.out - 1) * axis.stride >= axis.in) return nullptr;
  }
  std::unique_ptr<ElementwiseProgram> tail;
  const std::optional<ShortTail> ends = FindShortTail(spec, *found->heavy.heavy);
  if (!ends) {
    if (!WorthATail(*found)) return nullptr;
    tail = ElementwiseProgram::Make(spec, found->heavy.heavy);
    if (tail == nullptr) return nullptr;
  }
  return std::make_unique<PointwiseKernel>(spec, std::move(*found), ends.value_or(ShortTail()), std::move(tail));
}

}  // namespace atc::kernels
