// Colours of images whose last axis is red, green, blue: hue, saturation and value, and what is adjusted in them.
#include <algorithm>
#include <cmath>

#include "compiler/ops/dispatch.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/families.h"

namespace atc {
namespace {

struct Pixel {
  double a = 0, b = 0, c = 0;  // red, green, blue; or hue in turns, saturation, value
};

Pixel ToHsv(const Pixel& rgb) {
  const double value = std::max({rgb.a, rgb.b, rgb.c}), range = value - std::min({rgb.a, rgb.b, rgb.c});
  Pixel hsv{0, value > 0 ? range / value : 0, value};
  if (range <= 0) return hsv;
  if (value == rgb.a) hsv.a = (rgb.b - rgb.c) / range;
  else if (value == rgb.b) hsv.a = (rgb.c - rgb.a) / range + 2;
  else hsv.a = (rgb.a - rgb.b) / range + 4;
  hsv.a /= 6;
  if (hsv.a < 0) hsv.a += 1;
  return hsv;
}

// How much of a colour a hue has: red is lowest, green and blue are highest, at `centre` sixths of the circle.
double Ramp(double hue, double centre) {
  const double distance = std::fabs(hue * 6 - centre);
  return std::clamp(centre == 3 ? distance - 1 : 2 - distance, 0.0, 1.0);
}

Pixel ToRgb(const Pixel& hsv) {
  const auto shade = [&](double ramp) { return (1 - hsv.b + hsv.b * ramp) * hsv.c; };
  return {shade(Ramp(hsv.a, 3)), shade(Ramp(hsv.a, 2)), shade(Ramp(hsv.a, 4))};
}

Pixel WithHue(const Pixel& rgb, double delta) {
  Pixel hsv = ToHsv(rgb);
  hsv.a += delta;
  hsv.a -= std::floor(hsv.a);
  return ToRgb(hsv);
}

Pixel WithSaturation(const Pixel& rgb, double scale) {
  Pixel hsv = ToHsv(rgb);
  hsv.b = std::clamp(hsv.b * scale, 0.0, 1.0);
  return ToRgb(hsv);
}

void CheckChannels(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  if (x.rank() == 0 || x.dim(x.rank() - 1) != 3) ctx.Fail("images " + ToString(x.shape()) + " must end in 3 channels");
}

double OneNumber(KernelContext& ctx, size_t i, const char* what) {
  if (ctx.In(i).NumElements() != 1) ctx.Fail(std::string(what) + " must be one number, it has shape " + ToString(ctx.InShape(i)));
  return ToDoubles(ctx.In(i))[0];
}

template <typename Fn>
void MapPixels(KernelContext& ctx, Fn fn) {
  CheckChannels(ctx);
  Tensor& out = ctx.Out(0, ctx.InType(0), ctx.InShape(0));
  Dispatch(FloatTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    const T* x = ctx.In(0).Data<T>();
    T* y = out.MutableData<T>();
    for (int64_t i = 0; i < out.NumElements(); i += 3) {
      const Pixel pixel = fn(Pixel{static_cast<double>(x[i]), static_cast<double>(x[i + 1]), static_cast<double>(x[i + 2])});
      y[i] = static_cast<T>(pixel.a);
      y[i + 1] = static_cast<T>(pixel.b);
      y[i + 2] = static_cast<T>(pixel.c);
    }
  });
}

void ToHsvKernel(KernelContext& ctx) { MapPixels(ctx, ToHsv); }
void ToRgbKernel(KernelContext& ctx) { MapPixels(ctx, ToRgb); }

void HueKernel(KernelContext& ctx) {
  const double delta = OneNumber(ctx, 1, "delta");
  MapPixels(ctx, [&](const Pixel& pixel) { return WithHue(pixel, delta); });
}

void SaturationKernel(KernelContext& ctx) {
  const double scale = OneNumber(ctx, 1, "scale");
  MapPixels(ctx, [&](const Pixel& pixel) { return WithSaturation(pixel, scale); });
}

// (x - mean) * factor + mean, with the mean of each channel of each image; images are the last three dims.
void ContrastKernel(KernelContext& ctx) {
  const Shape& shape = ctx.InShape(0);
  if (shape.rank() < 3) ctx.Fail("images " + ToString(shape) + " must have a rank of at least 3");
  const double factor = OneNumber(ctx, 1, "contrast_factor");
  const int64_t channels = shape[shape.rank() - 1], plane = shape[shape.rank() - 2] * shape[shape.rank() - 3];
  Tensor& out = ctx.Out(0, ctx.InType(0), shape);
  Dispatch(FloatTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    for (int64_t start = 0; start < out.NumElements(); start += plane * channels) {
      for (int64_t c = 0; c < channels; ++c) {
        const T* x = ctx.In(0).Data<T>() + start + c;
        double mean = 0;
        for (int64_t i = 0; i < plane; ++i) mean += static_cast<double>(x[i * channels]);
        mean /= static_cast<double>(plane);
        T* y = out.MutableData<T>() + start + c;
        for (int64_t i = 0; i < plane; ++i) y[i * channels] = static_cast<T>((static_cast<double>(x[i * channels]) - mean) * factor + mean);
      }
    }
  });
}

}  // namespace

void RegisterColorOps(OpRegistry& registry) {
  const auto images = [](const char* type) { return OpDef(type).In("images").Traits(kWidenHalf).Infer(InferSameAsInput); };
  registry.Add(images("AdjustSaturation").In("scale").KeepDtype().Out("y").Kernel(SaturationKernel));
  registry.Add(images("tf::AdjustContrastv2").In("contrast_factor").KeepDtype().Out("output").Kernel(ContrastKernel));
  registry.Add(images("tf::AdjustHue").In("delta").KeepDtype().Out("output").Kernel(HueKernel));
  registry.Add(images("tf::HSVToRGB").Out("output").Kernel(ToRgbKernel));
  registry.Add(images("tf::RGBToHSV").Out("output").Kernel(ToHsvKernel));
}

}  // namespace atc
