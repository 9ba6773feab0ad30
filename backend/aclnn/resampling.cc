// Images at other sizes and at given places.
#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "backend/aclnn/recipes.h"
#include "backend/aclnn/type_rules.h"

namespace atc::aclnn {
namespace {

using Ints = std::vector<int64_t>;

// Batch, channels and so many dims of places. Bytes of images too where nothing is computed with them.
Value Spatial(Builder& b, std::string_view name, size_t spatial, bool bytes = false) {
  const Value x = b.Wide(name);
  const bool fits = ClassOf(b.TypeOf(x)) == TypeClass::kFloat || (bytes && b.TypeOf(x) == DT_UINT8);
  if (b.Rank(x) != 2 + spatial || !fits) {
    b.Refuse("argument " + std::string(name) + " must be a float of " + std::to_string(2 + spatial) + " dims, not of shape " + ToString(b.ShapeOf(x)));
  }
  return x;
}

Value Image(Builder& b, std::string_view name) { return Spatial(b, name, 2); }

struct Mode {
  const char* mode;
  const char* coordinates;
  const char* nearest = "floor";
};

// Factors are used where they are given and lead to the size; else the sizes tell them.
void ToSize(Builder& b, const Mode& mode, const std::vector<double>& factors) {
  const size_t spatial = factors.size();
  const Value x = Spatial(b, "self", spatial, std::string_view(mode.mode) == "nearest");
  const Ints size = b.Ints("outputSize");
  if (size.size() != spatial || std::any_of(size.begin(), size.end(), [](int64_t n) { return n < 1; })) {
    b.Refuse("argument outputSize holds " + std::to_string(spatial) + " number(s) above 0");
  }
  const Shape& shape = b.ShapeOf(x);
  bool scaled = std::string_view(mode.coordinates) != "align_corners";
  Ints sizes = {shape[0], shape[1]};
  std::vector<float> scales = {1, 1};
  for (size_t i = 0; i < spatial; ++i) {
    sizes.push_back(size[i]);
    scales.push_back(static_cast<float>(factors[i]));
    scaled &= factors[i] > 0 && static_cast<int64_t>(std::floor(static_cast<double>(shape[2 + i]) * factors[i])) == size[i];
  }
  const auto count = static_cast<int64_t>(scales.size());
  const Value by = scaled ? b.Const(atc::Tensor::From<float>(DT_FLOAT, {count}, scales)) : Value{};
  const Value to = scaled ? Value{} : b.ConstInts(sizes);
  b.Out(b.Op("onnx::Resize", {x, {}, by, to}, {{"mode", mode.mode}, {"coordinate_transformation_mode", mode.coordinates}, {"nearest_mode", mode.nearest}, {"cubic_coeff_a", -0.75f}}));
}

// The names of the arguments of factors, by what functions have.
using Names = std::initializer_list<const char*>;

std::vector<double> Factors(Builder& b, Names names) {
  std::vector<double> factors;
  for (const char* name : names) factors.push_back(b.Real(name));
  return factors;
}

constexpr Mode kNearest = {"nearest", "asymmetric"};
constexpr Mode kExact = {"nearest", "half_pixel", "round_prefer_ceil"};  // the pixel whose square holds the centre

void UpsampleNearest1d(Builder& b) { ToSize(b, kNearest, {0}); }
void UpsampleNearest1dV2(Builder& b) { ToSize(b, kNearest, Factors(b, {"scaleL"})); }
void UpsampleNearest2d(Builder& b) { ToSize(b, kNearest, {0, 0}); }
void UpsampleNearest2dV2(Builder& b) { ToSize(b, kNearest, Factors(b, {"scalesH", "scalesW"})); }
void UpsampleNearest3d(Builder& b) { ToSize(b, kNearest, Factors(b, {"scalesD", "scalesH", "scalesW"})); }
void UpsampleExact1d(Builder& b) { ToSize(b, kExact, Factors(b, {"scales"})); }
void UpsampleExact2d(Builder& b) { ToSize(b, kExact, Factors(b, {"scalesH", "scalesW"})); }
void UpsampleExact3d(Builder& b) { ToSize(b, kExact, Factors(b, {"scalesD", "scalesH", "scalesW"})); }

// The detail is "linear" or "cubic".
void Smooth(Builder& b, Names factors) {
  ToSize(b, {b.detail(), b.Flag("alignCorners") ? "align_corners" : "half_pixel"}, Factors(b, factors));
}
void UpsampleSmooth1d(Builder& b) { Smooth(b, {"scale"}); }
void UpsampleSmooth2d(Builder& b) { Smooth(b, {"scalesH", "scalesW"}); }
void UpsampleSmooth3d(Builder& b) { Smooth(b, {"scalesD", "scalesH", "scalesW"}); }

// Factors of all four dims.
void Resize(Builder& b) {
  const Value x = Image(b, "self");
  const std::vector<float> scales = b.Floats("scales");
  const std::string mode = b.Text("mode");
  if (mode != "nearest" && mode != "bilinear") b.Refuse("argument mode is \"nearest\" or \"bilinear\", not \"" + mode + "\"");
  if (scales.size() != 4) b.Refuse("argument scales holds 4 factors");
  b.Out(b.Op("onnx::Resize", {x, {}, b.Const(atc::Tensor::From<float>(DT_FLOAT, {4}, scales))},
             {{"mode", mode == "nearest" ? "nearest" : "linear"}, {"coordinate_transformation_mode", "asymmetric"}, {"nearest_mode", "floor"}}));
}

// The detail: over how many dims.
void GridSampler(Builder& b) {
  constexpr const char* kModes[] = {"linear", "nearest", "cubic"};
  constexpr const char* kPaddings[] = {"zeros", "border", "reflection"};
  const int64_t mode = b.Int("interpolationMode");
  const int64_t padding = b.Int("paddingMode");
  if (mode < 0 || mode > 2 || padding < 0 || padding > 2) b.Refuse("arguments interpolationMode and paddingMode are 0, 1 or 2");
  const size_t spatial = *b.detail() - '0';
  if (spatial == 3 && mode == 2) b.Refuse("argument interpolationMode is 0 or 1; volumes have no cubic one");
  Value x = Spatial(b, "input", spatial);
  Value grid = Spatial(b, "grid", spatial);
  b.Common(x, grid);
  b.Out(b.Op("onnx::GridSample", {x, grid}, {{"mode", kModes[mode]}, {"padding_mode", kPaddings[padding]}, {"align_corners", b.Flag("alignCorners") ? 1 : 0}, {"opset", 20}}));
}

void RoiAlign(Builder& b) {
  const std::string mode = b.Text("mode");
  if (mode != "avg" && mode != "max") b.Refuse("argument mode is \"avg\" or \"max\", not \"" + mode + "\"");
  const Value x = Image(b, "self");
  b.Out(b.Op("onnx::RoiAlign", {x, b.Cast(b.Wide("rois"), b.TypeOf(x)), b.Cast(b.In("batchIndices"), DT_INT64)},
             {{"mode", mode.c_str()}, {"output_height", b.Int("outputHeight")}, {"output_width", b.Int("outputWidth")}, {"sampling_ratio", b.Int("samplingRatio")},
              {"spatial_scale", static_cast<float>(b.Real("spatialScale"))}, {"coordinate_transformation_mode", "output_half_pixel"}, {"opset", 16}}));
}

}  // namespace

std::vector<Recipe> ResamplingRecipes() {
  return {
      {"GridSampler2D", GridSampler, "2"},
      {"GridSampler3D", GridSampler, "3"},
      {"Resize", Resize},
      {"RoiAlign", RoiAlign},
      {"UpsampleBicubic2d", UpsampleSmooth2d, "cubic"},
      {"UpsampleBilinear2d", UpsampleSmooth2d, "linear"},
      {"UpsampleLinear1d", UpsampleSmooth1d, "linear"},
      {"UpsampleNearest1d", UpsampleNearest1d},
      {"UpsampleNearest1dV2", UpsampleNearest1dV2},
      {"UpsampleNearest2d", UpsampleNearest2d},
      {"UpsampleNearest2dV2", UpsampleNearest2dV2},
      {"UpsampleNearest3d", UpsampleNearest3d},
      {"UpsampleNearestExact1d", UpsampleExact1d},
      {"UpsampleNearestExact2d", UpsampleExact2d},
      {"UpsampleNearestExact3d", UpsampleExact3d},
      {"UpsampleTrilinear3d", UpsampleSmooth3d, "linear"},
  };
}

}  // namespace atc::aclnn
