// Images at other sizes and at given places.
#include <cmath>

#include "backend/aclnn/recipes.h"
#include "backend/aclnn/type_rules.h"

namespace atc::aclnn {
namespace {

using Ints = std::vector<int64_t>;

Value Image(Builder& b, std::string_view name) {
  const Value x = b.Wide(name);
  if (b.Rank(x) != 4 || ClassOf(b.TypeOf(x)) != TypeClass::kFloat) {
    b.Refuse("argument " + std::string(name) + " must be a float of 4 dims, not of shape " + ToString(b.ShapeOf(x)));
  }
  return x;
}

struct Mode {
  const char* mode;
  const char* coordinates;
  const char* nearest = "floor";
};

// Factors are used where they are given and lead to the size; else the sizes tell them.
void ToSize(Builder& b, const Mode& mode, double scale_h, double scale_w) {
  const Value x = Image(b, "self");
  const Ints size = b.Ints("outputSize");
  if (size.size() != 2 || size[0] < 1 || size[1] < 1) b.Refuse("argument outputSize holds 2 numbers above 0");
  const Shape& shape = b.ShapeOf(x);
  const auto leads = [](int64_t from, double scale, int64_t to) {
    return scale > 0 && static_cast<int64_t>(std::floor(static_cast<double>(from) * scale)) == to;
  };
  const bool scaled = leads(shape[2], scale_h, size[0]) && leads(shape[3], scale_w, size[1]) &&
                      std::string_view(mode.coordinates) != "align_corners";
  const Value scales = scaled ? b.Const(atc::Tensor::From<float>(DT_FLOAT, {4}, {1, 1, static_cast<float>(scale_h), static_cast<float>(scale_w)})) : Value{};
  const Value sizes = scaled ? Value{} : b.ConstInts({shape[0], shape[1], size[0], size[1]});
  b.Out(b.Op("onnx::Resize", {x, {}, scales, sizes}, {{"mode", mode.mode}, {"coordinate_transformation_mode", mode.coordinates}, {"nearest_mode", mode.nearest}, {"cubic_coeff_a", -0.75f}}));
}

void UpsampleNearest2d(Builder& b) { ToSize(b, {"nearest", "asymmetric"}, 0, 0); }

// The detail is "linear" or "cubic".
void UpsampleSmooth(Builder& b) {
  ToSize(b, {b.detail(), b.Flag("alignCorners") ? "align_corners" : "half_pixel"}, b.Real("scalesH"), b.Real("scalesW"));
}

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

void GridSampler2D(Builder& b) {
  constexpr const char* kModes[] = {"linear", "nearest", "cubic"};
  constexpr const char* kPaddings[] = {"zeros", "border", "reflection"};
  const int64_t mode = b.Int("interpolationMode");
  const int64_t padding = b.Int("paddingMode");
  if (mode < 0 || mode > 2 || padding < 0 || padding > 2) b.Refuse("arguments interpolationMode and paddingMode are 0, 1 or 2");
  Value x = Image(b, "input");
  Value grid = Image(b, "grid");
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
      {"GridSampler2D", GridSampler2D},
      {"Resize", Resize},
      {"RoiAlign", RoiAlign},
      {"UpsampleBicubic2d", UpsampleSmooth, "cubic"},
      {"UpsampleBilinear2d", UpsampleSmooth, "linear"},
      {"UpsampleNearest2d", UpsampleNearest2d},
  };
}

}  // namespace atc::aclnn
