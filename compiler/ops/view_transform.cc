// Other views of images: ImageProjectiveTransformV2 looks at each output pixel's place in the input under a projective
// map, ExtractGlimpseV2 cuts windows out at given places; and DecodeBboxV2, which places boxes about anchors.
#include <cmath>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/tensorflow_families.h"
#include "compiler/ops/integer.h"
#include "compiler/ops/math.h"
#include "compiler/ops/philox.h"

namespace atc {
namespace {

void InferView(InferContext& ctx, size_t size_input) {
  const Shape& x = ctx.InShape(0);
  if (x.HasRank() && x.rank() != 4) ctx.Fail("images " + ToString(x) + " must have rank 4");
  const auto size = ctx.KnownInts(size_input);
  if (size && size->size() != 2) ctx.Fail("the size has " + std::to_string(size->size()) + " entries, wanted 2");
  ctx.SetOut(0, ctx.InType(0), {x.HasRank() ? x[0] : kUnknownDim, size ? (*size)[0] : kUnknownDim,
                                size ? (*size)[1] : kUnknownDim, x.HasRank() ? x[3] : kUnknownDim}, FORMAT_NHWC);
}

// Rows and columns of the result.
std::pair<int64_t, int64_t> SizeOf(const KernelContext& ctx, size_t input) {
  const std::vector<int64_t> size = ToInts(ctx.In(input));
  if (size.size() != 2 || size[0] < 1 || size[1] < 1 || size[0] > 1 << 24 || size[1] > 1 << 24) {
    ctx.Fail("the size must be two positive numbers");
  }
  if (ctx.InShape(0).rank() != 4) ctx.Fail("images " + ToString(ctx.InShape(0)) + " must have rank 4");
  return {size[0], size[1]};
}

// ---- projective transform ----

// A place beyond the ends of an axis of `length`, as the mode maps it back; what stays outside is filled.
float Mapped(float at, int64_t length, const std::string& mode) {
  const auto size = static_cast<float>(length);
  float place = at;
  if (mode == "REFLECT") {  // d c b a | a b c d | d c b a
    if (place < 0) {
      if (length <= 1) {
        place = 0;
      } else {
        const float period = 2 * size;
        if (place < -period) place = period * std::trunc(-place / period) + place;
        place = place < -size ? place + period : -place - 1;
      }
    } else if (place > size - 1) {
      if (length <= 1) {
        place = 0;
      } else {
        const float period = 2 * size;
        place -= period * std::trunc(place / period);
        if (place >= size) place = period - place - 1;
      }
    }
    return std::clamp(place, 0.0f, size - 1);
  }
  if (mode == "WRAP") {  // a b c d | a b c d | a b c d
    // TensorFlow counts the periods by the distance of the first and the last place.
    if (place < 0) {
      place = length <= 1 ? 0 : place + size * (std::trunc(-place / (size - 1)) + 1);
    } else if (place > size - 1) {
      place = length <= 1 ? 0 : place - size * std::trunc(place / (size - 1));
    }
    return std::clamp(place, 0.0f, size - 1);
  }
  if (mode == "NEAREST") return std::clamp(place, 0.0f, size - 1);
  return place;
}

void InferTransform(InferContext& ctx) { InferView(ctx, 2); }

// transforms [N or 1, 8]: (x, y) of the output comes from ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k),
// k = c0 x + c1 y + 1.
void TransformKernel(KernelContext& ctx) {
  const auto [rows, columns] = SizeOf(ctx, 2);
  const Tensor &x = ctx.In(0), &maps = ctx.In(1);
  const std::string interpolation = ctx.Attr<std::string>("interpolation"), mode = ctx.Attr<std::string>("fill_mode");
  const int64_t batch = x.dim(0), height = x.dim(1), width = x.dim(2), depth = x.dim(3);
  if (maps.dtype() != DT_FLOAT || maps.rank() != 2 || maps.dim(1) != 8 || (maps.dim(0) != 1 && maps.dim(0) != batch)) {
    ctx.Fail("transforms must be float [1 or " + std::to_string(batch) + ", 8], they are " + ToString(maps.shape()));
  }
  if (interpolation != "NEAREST" && interpolation != "BILINEAR") ctx.Fail("interpolation is '" + interpolation + "'");
  if (mode != "CONSTANT" && mode != "REFLECT" && mode != "WRAP" && mode != "NEAREST") {
    ctx.Fail("fill_mode is '" + mode + "'");
  }
  const double fill = ctx.HasInput(3) ? ToDoubles(ctx.In(3)).at(0) : 0.0;
  Dispatch(Types<float, double, uint8_t, int32_t, int64_t>{}, ctx, x.dtype(), [&, rows = rows, columns = columns]<typename T>() {
    const T filled = integer::FromDouble<T>(fill);
    T* y = ctx.Out(0, x.dtype(), {batch, rows, columns, depth}).template MutableData<T>();
    for (int64_t n = 0; n < batch; ++n) {
      const float* m = maps.Data<float>() + (maps.dim(0) == 1 ? 0 : n * 8);
      const T* image = x.Data<T>() + n * height * width * depth;
      const auto at = [&](float row, float column, int64_t d) -> T {
        const bool inside = row >= 0 && column >= 0 && row < static_cast<float>(height) && column < static_cast<float>(width);
        if (!inside) return filled;
        return image[(static_cast<int64_t>(row) * width + static_cast<int64_t>(column)) * depth + d];
      };
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j, y += depth) {
          const auto row = static_cast<float>(i), column = static_cast<float>(j);
          const float k = m[6] * column + m[7] * row + 1.0f;
          if (k == 0) {
            std::fill_n(y, depth, filled);
            continue;
          }
          const float from_column = Mapped((m[0] * column + m[1] * row + m[2]) / k, width, mode);
          const float from_row = Mapped((m[3] * column + m[4] * row + m[5]) / k, height, mode);
          for (int64_t d = 0; d < depth; ++d) {
            if (interpolation == "NEAREST") {
              y[d] = at(std::round(from_row), std::round(from_column), d);
              continue;
            }
            const float top = std::floor(from_row), left = std::floor(from_column), bottom = top + 1, right = left + 1;
            // In float, whatever the type, as TensorFlow interpolates.
            const auto value = [&](float row_at, float column_at) { return static_cast<float>(at(row_at, column_at, d)); };
            const float above = (right - from_column) * value(top, left) + (from_column - left) * value(top, right);
            const float below = (right - from_column) * value(bottom, left) + (from_column - left) * value(bottom, right);
            y[d] = integer::FromDouble<T>((bottom - from_row) * above + (from_row - top) * below);
          }
        }
      }
    }
  });
}

// ---- glimpses ----

void InferGlimpse(InferContext& ctx) { InferView(ctx, 1); }

// Noise between the least and the largest value of the image, or with its mean and deviation; a function of the place.
class Noise {
 public:
  Noise(const std::string& kind, const float* image, int64_t count) : kind_(kind) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < count; ++i) {
      low_ = i == 0 ? image[i] : std::min(low_, image[i]);
      high_ = i == 0 ? image[i] : std::max(high_, image[i]);
      sum += image[i];
    }
    mean_ = count == 0 ? 0 : sum / static_cast<double>(count);
    for (int64_t i = 0; i < count; ++i) squares += (image[i] - mean_) * (image[i] - mean_);
    deviation_ = count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count));
  }
  float At(int64_t place) const {
    if (kind_ == "zero") return 0;
    const Philox::Block x = Philox(0x6c9, 0, 0).At(static_cast<uint64_t>(place));
    const double a = x[0] * 0x1p-32, b = x[1] * 0x1p-32;
    if (kind_ == "uniform") return static_cast<float>(low_ + a * (high_ - low_));
    return static_cast<float>(mean_ + deviation_ * std::sqrt(-2 * math::Log(1 - a)) * math::Cos(6.283185307179586 * b));
  }

 private:
  std::string kind_;
  float low_ = 0, high_ = 0;
  double mean_ = 0, deviation_ = 0;
};

// Where a window begins along an axis. The first version takes offsets from the centre as halves, and all offsets as those
// of the window's centre; the second does both where offsets are normalised and centred alone.
int64_t Begin(const KernelContext& ctx, float offset, int64_t length, int64_t window) {
  const bool normalized = ctx.Attr<bool>("normalized"), centered = ctx.Attr<bool>("centered");
  const bool by_centre = ctx.node().type() == "tf::ExtractGlimpse" || (normalized && centered);
  const auto size = static_cast<float>(length);
  float begin = normalized ? offset * size : offset;
  if (centered) begin = (by_centre ? begin / 2 : begin) + size / 2;
  if (by_centre) begin -= static_cast<float>(window) / 2;
  return static_cast<int64_t>(std::clamp(begin, -1e9f, 1e9f));
}

void GlimpseKernel(KernelContext& ctx) {
  const auto [rows, columns] = SizeOf(ctx, 1);
  const Tensor &x = ctx.In(0), &offsets = ctx.In(2);
  const int64_t batch = x.dim(0), height = x.dim(1), width = x.dim(2), depth = x.dim(3);
  if (x.dtype() != DT_FLOAT || offsets.dtype() != DT_FLOAT || offsets.shape() != Shape{batch, 2}) {
    ctx.Fail("input must be float, and offsets float [" + std::to_string(batch) + ", 2]; they are " +
             ToString(offsets.shape()));
  }
  std::string kind = ctx.Attr<std::string>("noise");
  if (kind != "uniform" && kind != "gaussian" && kind != "zero") ctx.Fail("noise is '" + kind + "'");
  float* y = ctx.Out(0, DT_FLOAT, {batch, rows, columns, depth}).MutableData<float>();
  for (int64_t n = 0; n < batch; ++n) {
    const float* image = x.Data<float>() + n * height * width * depth;
    const Noise noise(kind, image, height * width * depth);
    const int64_t top = Begin(ctx, offsets.Data<float>()[2 * n], height, rows);
    const int64_t left = Begin(ctx, offsets.Data<float>()[2 * n + 1], width, columns);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j, y += depth) {
        const int64_t r = top + i, c = left + j;
        const bool inside = r >= 0 && r < height && c >= 0 && c < width;
        for (int64_t d = 0; d < depth; ++d) {
          y[d] = inside ? image[(r * width + c) * depth + d] : noise.At(((n * rows + i) * columns + j) * depth + d);
        }
      }
    }
  }
}

// ---- boxes ----

void InferDecode(InferContext& ctx) { ctx.SetOut(0, ctx.InType(0), ctx.InShape(0)); }

// Codes ty, tx, th, tw (over the scales) about anchors ymin, xmin, ymax, xmax, [boxes, 4] both; reversed_box: [4, boxes].
// th and tw are kept below decode_clip where it is above 0.
void DecodeKernel(KernelContext& ctx) {
  const Tensor &codes = ctx.In(0), &anchors = ctx.In(1);
  const auto scales = ctx.Attr<std::vector<float>>("scales");
  const bool reversed = ctx.Attr<bool>("reversed_box");
  const float clip = ctx.Attr<float>("decode_clip");
  if (codes.dtype() != DT_FLOAT || anchors.dtype() != DT_FLOAT || codes.shape() != anchors.shape() || scales.size() != 4 ||
      codes.rank() != 2 || codes.dim(reversed ? 0 : 1) != 4) {
    ctx.Fail("boxes " + ToString(codes.shape()) + " and anchors " + ToString(anchors.shape()) + " must be float " +
             (reversed ? "[4, n]" : "[n, 4]") + " with 4 scales");
  }
  const int64_t count = codes.dim(reversed ? 1 : 0), along = reversed ? count : 1, next = reversed ? 1 : 4;
  float* y = ctx.Out(0, DT_FLOAT, codes.shape()).MutableData<float>();
  for (int64_t n = 0; n < count; ++n) {
    const float* code = codes.Data<float>() + n * next;
    const float* anchor = anchors.Data<float>() + n * next;
    for (int64_t d = 0; d < 2; ++d) {
      const float low = anchor[d * along], size = anchor[(d + 2) * along] - low;
      const float shift = code[d * along] / scales[static_cast<size_t>(d)];
      float grow = code[(d + 2) * along] / scales[static_cast<size_t>(d + 2)];
      if (clip > 0) grow = std::min(grow, clip);
      const float centre = shift * size + (low + size / 2.0f);
      const float half = static_cast<float>(math::Exp(grow)) * size / 2.0f;
      y[n * next + d * along] = centre - half;
      y[n * next + (d + 2) * along] = centre + half;
    }
  }
}

}  // namespace

void RegisterViewTransformOps(OpRegistry& registry) {
  const auto glimpse = [](const char* type) {
    return OpDef(type).In("input").In("size").In("offsets").Out("glimpse").Attr("centered", true).Attr("normalized", true)
        .Attr("uniform_noise", true).Attr("noise", "uniform").On(Unit::kAiCpu).Infer(InferGlimpse).Kernel(GlimpseKernel);
  };
  registry.Add(OpDef("DecodeBboxV2").In("boxes").In("anchors").Out("y").Attr("scales", std::vector<float>{1, 1, 1, 1})
                   .Attr("decode_clip", 0.0f).Attr("reversed_box", false).Traits(kWidenHalf).Infer(InferDecode)
                   .Kernel(DecodeKernel));
  registry.Add(glimpse("ExtractGlimpseV2"));
  registry.Add(glimpse("tf::ExtractGlimpse"));
  registry.Add(OpDef("ImageProjectiveTransformV2").In("images").In("transforms").KeepDtype().In("output_shape")
                   .OptIn("fill_value").Out("transformed_images").RequiredAttr("interpolation")
                   .Attr("fill_mode", "CONSTANT").Traits(kWidenHalf).On(Unit::kAiCpu).Infer(InferTransform)
                   .Kernel(TransformKernel));
}

}  // namespace atc
