// How one axis is resized: from output positions to input positions and weights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

struct ResizeRule {
  std::string mode;          // nearest, linear, cubic; area: the mean of what an output element covers
  std::string coordinates;   // coordinate_transformation_mode
  std::string nearest_mode;
  double cubic_a = -0.75;
  double extrapolation_value = 0;
  bool exclude_outside = false;
  bool antialias = false;
  // Not 0: positions are floats and weights come from a table with so many steps between two elements (TensorFlow: 1024).
  int64_t cubic_steps = 0;
  std::string fault;  // an attribute value that is none; empty when all is well
};

ResizeRule ReadResizeRule(const Node& node);

struct ResizeAxis {
  int64_t in = 0, out = 0;
  double scale = 1;   // output over input
  double length = 0;  // of the output before rounding down: in * scale, or the size that was asked for
  double roi_begin = 0, roi_end = 1;  // tf_crop_and_resize: the crop, in units of in - 1
};

// Whether the axis keeps every element as it is.
bool IsIdentity(const ResizeRule& rule, const ResizeAxis& axis);

// The input element for each output position; -1 where the crop leaves the input.
std::vector<int64_t> NearestIndices(const ResizeRule& rule, const ResizeAxis& axis);

// Input elements and their weights for one output position; nothing where the crop leaves the input.
struct ResizeTaps {
  std::vector<int64_t> index;
  std::vector<double> weight;
};
std::vector<ResizeTaps> InterpolationTaps(const ResizeRule& rule, const ResizeAxis& axis);

}  // namespace atc
