// Products of few rows with a constant matrix, and convolutions of few pixels, which are such products: they take as long
// as reading the matrix does, so that it lies in the order in which it is read.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "backend/kernels/convolution_parts.h"
#include "backend/kernels/for_team.h"
#include "backend/kernels/half_convert.h"
#include "backend/kernels/packed_product.h"
#include "backend/kernels/result_type.h"
#include "backend/kernels/shared_forms.h"
#include "compiler/ops/evaluator.h"

namespace atc::kernels {
namespace {

constexpr int64_t kMostRows = 8;
constexpr int64_t kLeastWeights = 4096;  // of products: below, a copy that tasks share is worth more
constexpr int64_t kLeastFilter = 64;     // of convolutions: below, a task is all call

struct Plan {
  HeavyParts heavy;
  std::unique_ptr<ElementwiseProgram> tail;
  int x, w, bias;  // ports; bias -1 where there is none
  int64_t rows, terms;
  std::shared_ptr<const PackedMatrix> weights;
  bool made_weights = false;  // for this kernel first
  // Where the terms of each row lie in x, row after row, -1: nowhere, zero. Empty where they lie as they are.
  std::vector<int32_t> gather;
  int64_t planes =
      0;  // results in rows of so many to each output, and this again for each image; 0: outputs of a row together
};

class SmallProductKernel : public Kernel {
 public:
  SmallProductKernel(const KernelSpec& spec, Plan plan)
      : plan_(std::move(plan)),
        threads_(spec.threads),
        x_dtype_(spec.inputs[static_cast<size_t>(plan_.x)].dtype),
        y_type_(spec.outputs[0]),
        x_count_(spec.inputs[static_cast<size_t>(plan_.x)].shape.NumElements()) {
    bias_.assign(static_cast<size_t>(padded()), 0.0f);
    if (plan_.bias < 0) return;
    const Tensor bias = Widen(*spec.inputs[static_cast<size_t>(plan_.bias)].constant);
    std::copy_n(bias.Data<float>(), outputs(), bias_.begin());
  }

  size_t scratch_bytes() const override {
    return static_cast<size_t>(Wide() + Gathered() + Sums() + Result()) * sizeof(float);
  }
  size_t prepared_bytes() const override { return plan_.made_weights ? plan_.weights->bytes() : 0; }
  bool RoundsOutputs() const override { return true; }
  bool Reads(size_t port) const override {
    return static_cast<int>(port) != plan_.w && static_cast<int>(port) != plan_.bias;
  }

  void Run(const void* const* inputs, void* const* out, std::byte* scratch) override {
    auto* floats = reinterpret_cast<float*>(scratch);
    const auto* x = static_cast<const float*>(inputs[plan_.x]);
    if (x_dtype_ != DT_FLOAT) {
      WidenTo(floats, inputs[plan_.x], x_dtype_, static_cast<size_t>(x_count_));
      x = floats;
    }
    floats += Wide();
    if (!plan_.gather.empty()) {
      for (size_t i = 0; i < plan_.gather.size(); ++i) floats[i] = plan_.gather[i] < 0 ? 0.0f : x[plan_.gather[i]];
      x = floats;
    }
    floats += Gathered();
    float* result = y_type_.is_float() ? static_cast<float*>(out[0]) : floats + Sums();
    float* sums = Sums() > 0 ? floats : result;
    const auto parts = static_cast<int>(std::min<int64_t>(threads_, plan_.weights->blocks()));
    ForTeam(parts, parts, [&](int64_t part) {
      const auto [begin, end] = plan_.weights->Share(part, parts);
      plan_.weights->MultiplyPart(begin, end, plan_.rows, x, plan_.terms, bias_.data() + begin, 0, sums + begin,
                                  padded());
      if (Sums() > 0) Place(sums, begin, std::min(end, outputs()), result);
    });
    if (plan_.tail) {
      plan_.tail->Run(inputs, result, out[0], threads_);
    } else {
      y_type_.Give(out[0], result, 0, plan_.rows * outputs());
    }
  }

 private:
  int64_t outputs() const { return plan_.weights->outputs(); }
  int64_t padded() const { return plan_.weights->padded(); }
  static int64_t Rounded(int64_t count) { return (count + 15) / 16 * 16; }
  int64_t Wide() const { return x_dtype_ == DT_FLOAT ? 0 : Rounded(x_count_); }
  int64_t Gathered() const { return Rounded(static_cast<int64_t>(plan_.gather.size())); }
  int64_t Sums() const { return plan_.planes == 0 && padded() == outputs() ? 0 : plan_.rows * padded(); }
  int64_t Result() const { return y_type_.is_float() ? 0 : Rounded(plan_.rows * outputs()); }

  void Place(const float* sums, int64_t begin, int64_t end, float* result) const {
    for (int64_t row = 0; row < plan_.rows; ++row) {
      const float* from = sums + row * padded();
      if (plan_.planes == 0) {
        std::copy(from + begin, from + end, result + row * outputs() + begin);
        continue;
      }
      float* to = result + row / plan_.planes * plan_.planes * outputs() + row % plan_.planes;
      for (int64_t o = begin; o < end; ++o) to[o * plan_.planes] = from[o];
    }
  }

  Plan plan_;
  int threads_;
  DataType x_dtype_;
  ResultType y_type_;
  int64_t x_count_;
  std::vector<float> bias_;
};

// Element (output, term) lies at output * of_output + term * of_term.
void Pack(const KernelSpec& spec, const Tensor& constant, int64_t outputs, int64_t of_output, int64_t of_term,
          Plan& plan) {
  const std::string form = "rows of " + std::to_string(of_output) + ", terms of " + std::to_string(of_term);
  plan.weights = FormsOf(*spec.prepared).Get<PackedMatrix>(constant, form, &plan.made_weights, [&] {
    const Tensor wide = Widen(constant);
    return PackedMatrix(MatrixPlace{wide.Data<float>(), of_output, of_term}, outputs, plan.terms);
  });
}

bool IsFloatPort(const KernelSpec& spec, int port) {
  const Port& found = spec.inputs[static_cast<size_t>(port)];
  return !found.channels_last && (found.dtype == DT_FLOAT || IsHalf(found.dtype));
}

// The product of all rows of x with one matrix.
bool PlanProduct(const KernelSpec& spec, Plan& plan) {
  const bool batched = spec.node.type() == "BatchMatMulV2";
  if ((!batched && !(spec.node.type() == "MatMulV2")) || spec.outputs[0].channels_last) return false;
  plan.heavy = SplitHeavy(spec);
  const std::vector<int>& ports = plan.heavy.ports;
  if (!plan.heavy.fits || ports.size() > 3 || ports[0] < 0 || ports[1] < 0) return false;
  plan.x = ports[0];
  plan.w = ports[1];
  plan.bias = ports.size() > 2 ? ports[2] : -1;
  for (const int port : {plan.x, plan.w, plan.bias}) {
    if (port >= 0 && !IsFloatPort(spec, port)) return false;
  }
  const Port &x = spec.inputs[static_cast<size_t>(plan.x)], &w = spec.inputs[static_cast<size_t>(plan.w)];
  const Node& heavy = *plan.heavy.heavy;
  const bool turned = heavy.Attr<bool>(batched ? "adj_x2" : "transpose_x2");
  if (heavy.Attr<bool>(batched ? "adj_x1" : "transpose_x1") || w.constant == nullptr || w.shape.rank() != 2 ||
      x.shape.rank() < 2)
    return false;
  plan.terms = x.shape[x.shape.rank() - 1];
  const int64_t outputs = w.shape[turned ? 0 : 1];
  if (x.shape.NumElements() == 0 || outputs == 0 || w.shape[turned ? 1 : 0] != plan.terms) return false;
  plan.rows = x.shape.NumElements() / plan.terms;
  if (plan.rows > kMostRows || plan.terms * outputs < kLeastWeights ||
      spec.outputs[0].shape.NumElements() != plan.rows * outputs)
    return false;
  if (plan.bias >= 0) {
    const Port& bias = spec.inputs[static_cast<size_t>(plan.bias)];
    if (bias.constant == nullptr || bias.shape.NumElements() != outputs) return false;
  }
  Pack(spec, *w.constant, outputs, turned ? plan.terms : 1, turned ? 1 : outputs, plan);
  return true;
}

// A convolution of few pixels: one row a pixel.
bool PlanConvolution(const KernelSpec& spec, Plan& plan) {
  std::optional<ConvolutionParts> found = FindConvolution(spec);
  if (!found || found->sizes.groups != 1 || found->sizes.axes.size() != 2) return false;
  const ConvSizes& sizes = found->sizes;
  const WindowAxis &h = sizes.axes[0], &v = sizes.axes[1];
  const int64_t taps = h.kernel * v.kernel, in = sizes.in_channels;
  plan.rows = sizes.batch * h.out * v.out;
  plan.terms = in * taps;
  if (plan.rows > kMostRows || plan.terms * sizes.out_channels < kLeastFilter || found->in.NumElements() > INT32_MAX)
    return false;
  // Terms in the order of the filter: channel, row, column.
  plan.gather.reserve(static_cast<size_t>(plan.rows * plan.terms));
  for (int64_t row = 0; row < plan.rows; ++row) {
    const int64_t image = row / (h.out * v.out), y = row / v.out % h.out, x = row % v.out;
    for (int64_t term = 0; term < plan.terms; ++term) {
      const int64_t c = term / taps;
      const int64_t i = y * h.stride - h.pad_begin + term / v.kernel % h.kernel * h.dilation;
      const int64_t j = x * v.stride - v.pad_begin + term % v.kernel * v.dilation;
      const bool inside = i >= 0 && i < h.in && j >= 0 && j < v.in;
      const int64_t at =
          found->channels_last ? ((image * h.in + i) * v.in + j) * in + c : ((image * in + c) * h.in + i) * v.in + j;
      plan.gather.push_back(inside ? static_cast<int32_t>(at) : -1);
    }
  }
  plan.planes = found->channels_last ? 0 : h.out * v.out;
  if (plan.planes == 1) plan.planes = 0;
  plan.x = found->x;
  plan.w = found->w;
  plan.bias = found->bias;
  Pack(spec, *spec.inputs[static_cast<size_t>(plan.w)].constant, sizes.out_channels, plan.terms, 1, plan);
  plan.heavy = std::move(found->heavy);
  return true;
}

}  // namespace

std::unique_ptr<Kernel> MakeSmallProduct(const KernelSpec& spec) {
  if (spec.outputs.size() != 1 || (spec.outputs[0].dtype != DT_FLOAT && !IsHalf(spec.outputs[0].dtype))) return nullptr;
  Plan plan;
  if (!PlanProduct(spec, plan) && !PlanConvolution(spec, plan)) return nullptr;
  if (spec.node.fused) {
    plan.tail = ElementwiseProgram::Make(spec, plan.heavy.heavy);
    if (plan.tail == nullptr) return nullptr;
  }
  return std::make_unique<SmallProductKernel>(spec, std::move(plan));
}

}  // namespace atc::kernels
