#include "compiler/ops/resize_axis.h"

#include <algorithm>
#include <cmath>

namespace atc {
namespace {

bool IsOneOf(const std::string& word, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* w) { return word == w; });
}

// Where output position `o` lies on the input axis (ONNX, Resize: coordinate_transformation_mode).
double InputPosition(const ResizeRule& rule, const ResizeAxis& axis, int64_t o) {
  const double x = static_cast<double>(o), last = static_cast<double>(axis.in - 1);
  const std::string& mode = rule.coordinates;
  if (mode == "asymmetric") return x / axis.scale;
  if (mode == "tf_half_pixel_for_nn") return (x + 0.5) / axis.scale;
  if (mode == "pytorch_half_pixel") return axis.out > 1 ? (x + 0.5) / axis.scale - 0.5 : 0;
  if (mode == "align_corners") return axis.length == 1 ? 0 : x * last / (axis.length - 1);
  if (mode == "tf_crop_and_resize") {
    if (axis.out <= 1) return 0.5 * (axis.roi_begin + axis.roi_end) * last;
    return axis.roi_begin * last + x * (axis.roi_end - axis.roi_begin) * last / static_cast<double>(axis.out - 1);
  }
  double shift = 0;
  if (mode == "half_pixel_symmetric") {
    // What rounding the size down cut off is cut off both ends alike.
    const double centre = static_cast<double>(axis.in) / 2;
    shift = centre * (1 - static_cast<double>(axis.out) / (axis.scale * static_cast<double>(axis.in)));
  }
  return shift + (x + 0.5) / axis.scale - 0.5;
}

bool Outside(const ResizeRule& rule, const ResizeAxis& axis, double position) {
  return rule.coordinates == "tf_crop_and_resize" && !(position >= 0 && position <= static_cast<double>(axis.in - 1));
}

// Where output position `o` lies when the arithmetic is that of floats, as TensorFlow has it.
double FloatPosition(const ResizeRule& rule, const ResizeAxis& axis, int64_t o) {
  const auto in = static_cast<float>(axis.in), out = static_cast<float>(axis.out), x = static_cast<float>(o);
  if (rule.coordinates == "align_corners") return static_cast<double>(axis.out > 1 ? x * ((in - 1) / (out - 1)) : x * (in / out));
  if (rule.coordinates == "asymmetric") return static_cast<double>(x * (in / out));
  return static_cast<double>((x + 0.5f) * (in / out) - 0.5f);
}

// What output position `o` covers of each input element, as parts of the whole. Beyond the end the last one stands.
ResizeTaps Covered(const ResizeRule& rule, const ResizeAxis& axis, int64_t o) {
  ResizeRule plain = rule;
  plain.coordinates = rule.coordinates == "align_corners" ? "align_corners" : "asymmetric";
  const double step = FloatPosition(plain, axis, 1), begin = step * static_cast<double>(o), end = begin + step;
  ResizeTaps taps;
  for (int64_t i = static_cast<int64_t>(std::floor(begin)); static_cast<double>(i) < end; ++i) {
    const double part = std::min(static_cast<double>(i + 1), end) - std::max(static_cast<double>(i), begin);
    taps.index.push_back(std::clamp<int64_t>(i, 0, axis.in - 1));
    taps.weight.push_back(part / step);
  }
  return taps;
}

// Keys' cubic convolution kernel with parameter a.
double Cubic(double t, double a) {
  t = std::abs(t);
  if (t <= 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
  if (t < 2) return a * (((t - 5) * t + 8) * t - 4);
  return 0;
}

}  // namespace

ResizeRule ReadResizeRule(const Node& node) {
  ResizeRule rule;
  rule.mode = node.Attr<std::string>("mode");
  rule.coordinates = node.Attr<std::string>("coordinate_transformation_mode");
  rule.nearest_mode = node.Attr<std::string>("nearest_mode");
  rule.cubic_a = static_cast<double>(node.Attr<float>("cubic_coeff_a"));
  rule.extrapolation_value = static_cast<double>(node.Attr<float>("extrapolation_value"));
  rule.exclude_outside = node.Attr<int64_t>("exclude_outside") != 0;
  rule.antialias = node.def->FindAttr("antialias") != nullptr && node.Attr<int64_t>("antialias") != 0;
  if (!IsOneOf(rule.mode, {"nearest", "linear", "cubic"})) {
    rule.fault = "mode is '" + rule.mode + "', wanted nearest, linear or cubic";
  } else if (!IsOneOf(rule.coordinates, {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                                         "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"})) {
    rule.fault = "coordinate_transformation_mode is '" + rule.coordinates + "', which is none";
  } else if (!IsOneOf(rule.nearest_mode, {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "by_scale"})) {
    rule.fault = "nearest_mode is '" + rule.nearest_mode + "', which is none";
  }
  return rule;
}

bool IsIdentity(const ResizeRule& rule, const ResizeAxis& axis) {
  return axis.in == axis.out && axis.scale == 1 && rule.coordinates != "tf_crop_and_resize" &&
         rule.coordinates != "tf_half_pixel_for_nn";
}

std::vector<int64_t> NearestIndices(const ResizeRule& rule, const ResizeAxis& axis) {
  std::vector<int64_t> indices;
  for (int64_t o = 0; o < axis.out; ++o) {
    if (IsIdentity(rule, axis)) {
      indices.push_back(o);
      continue;
    }
    const double x = InputPosition(rule, axis, o);
    if (Outside(rule, axis, x)) {
      indices.push_back(-1);
      continue;
    }
    // "by_scale" is the rule of opset 10, which has no name in ONNX.
    const std::string mode = rule.nearest_mode != "by_scale" ? rule.nearest_mode : axis.scale < 1 ? "ceil" : "floor";
    const double nearest = mode == "floor"               ? std::floor(x)
                           : mode == "ceil"              ? std::ceil(x)
                           : mode == "round_prefer_ceil" ? std::floor(x + 0.5)
                                                         : std::ceil(x - 0.5);
    indices.push_back(static_cast<int64_t>(std::clamp(nearest, 0.0, static_cast<double>(axis.in - 1))));
  }
  return indices;
}

std::vector<ResizeTaps> InterpolationTaps(const ResizeRule& rule, const ResizeAxis& axis) {
  const bool cubic = rule.mode == "cubic";
  // Down-scaling with antialias widens the kernel by the factor; otherwise 2 or 4 taps.
  const double squeeze = rule.antialias ? std::min(axis.scale, 1.0) : 1.0;
  const double reach = cubic ? 2 : 1;
  const auto first = static_cast<int64_t>(std::floor(-reach / squeeze)) + 1;
  const int64_t count = 2 - 2 * first;  // symmetric: up to 1 - first
  std::vector<ResizeTaps> all(static_cast<size_t>(axis.out));
  for (int64_t o = 0; o < axis.out; ++o) {
    if (rule.mode == "area") {
      all[static_cast<size_t>(o)] = Covered(rule, axis, o);
      continue;
    }
    const double x = rule.cubic_steps > 0 ? FloatPosition(rule, axis, o) : InputPosition(rule, axis, o);
    if (Outside(rule, axis, x)) continue;
    ResizeTaps& taps = all[static_cast<size_t>(o)];
    const double base = std::floor(x);
    double ratio = x - base;
    if (rule.cubic_steps > 0) {
      ratio = std::nearbyint(ratio * static_cast<double>(rule.cubic_steps)) / static_cast<double>(rule.cubic_steps);
    }
    double sum = 0;
    for (int64_t i = first; i < first + count; ++i) {
      const double t = (static_cast<double>(i) - ratio) * squeeze;
      double weight = cubic ? Cubic(t, rule.cubic_a) : std::max(0.0, 1 - std::abs(t));
      const int64_t at = static_cast<int64_t>(base) + i;
      if (rule.exclude_outside && (at < 0 || at >= axis.in)) weight = 0;
      sum += weight;
      if (weight == 0) continue;
      taps.index.push_back(std::clamp<int64_t>(at, 0, axis.in - 1));
      taps.weight.push_back(weight);
    }
    if (rule.antialias || rule.exclude_outside) {
      for (double& weight : taps.weight) weight /= sum;
    }
  }
  return all;
}

}  // namespace atc
