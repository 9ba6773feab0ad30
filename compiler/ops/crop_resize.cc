// CropAndResize: boxes of images, resized; positions outside of the image give a constant.
#include <cmath>

#include "compiler/ir/infer_context.h"
#include "compiler/ir/kernel_context.h"
#include "compiler/ops/families.h"

namespace atc {
namespace {

void InferCrop(InferContext& ctx) {
  const Shape &x = ctx.InShape(0), &boxes = ctx.InShape(1);
  const auto size = ctx.KnownInts(3);
  const bool known = size && size->size() == 2;
  ctx.SetOut(0, DT_FLOAT, {boxes.HasRank() && boxes.rank() > 0 ? boxes[0] : kUnknownDim, known ? (*size)[0] : kUnknownDim,
                           known ? (*size)[1] : kUnknownDim, x.HasRank() && x.rank() == 4 ? x[3] : kUnknownDim},
             FORMAT_NHWC);
}

// Where row `i` of `count` lies between the normalised ends of a box.
float Position(float begin, float end, int64_t i, int64_t count, int64_t size) {
  const auto last = static_cast<float>(size - 1);
  if (count <= 1) return 0.5f * (begin + end) * last;
  return begin * last + static_cast<float>(i) * ((end - begin) * last / static_cast<float>(count - 1));
}

void CropKernel(KernelContext& ctx) {
  const Tensor &x = ctx.In(0), &boxes = ctx.In(1);
  const std::vector<int64_t> images = ToInts(ctx.In(2)), size = ToInts(ctx.In(3));
  const std::string method = ctx.Attr<std::string>("method");
  const float outside = ctx.Attr<float>("extrapolation_value");
  if (x.rank() != 4 || x.dtype() != DT_FLOAT || boxes.rank() != 2 || boxes.dim(1) != 4 || boxes.dtype() != DT_FLOAT ||
      static_cast<int64_t>(images.size()) != boxes.dim(0) || size.size() != 2 || size[0] < 1 || size[1] < 1) {
    ctx.Fail("x " + ToString(x.shape()) + ", boxes " + ToString(boxes.shape()) + ", box_index and crop_size do not fit");
  }
  if (method != "bilinear" && method != "nearest") ctx.Fail("method is '" + method + "', wanted bilinear or nearest");
  const int64_t height = x.dim(1), width = x.dim(2), depth = x.dim(3);
  Tensor& out = ctx.Out(0, DT_FLOAT, {boxes.dim(0), size[0], size[1], depth});
  float* y = out.MutableData<float>();
  for (int64_t b = 0; b < boxes.dim(0); ++b) {
    const float* box = boxes.Data<float>() + 4 * b;
    const int64_t image = images[static_cast<size_t>(b)];
    if (image < 0 || image >= x.dim(0)) ctx.Fail("box_index " + std::to_string(image) + " of " + std::to_string(x.dim(0)));
    const float* from = x.Data<float>() + image * height * width * depth;
    for (int64_t i = 0; i < size[0]; ++i) {
      const float row = Position(box[0], box[2], i, size[0], height);
      for (int64_t j = 0; j < size[1]; ++j, y += depth) {
        const float column = Position(box[1], box[3], j, size[1], width);
        const bool inside = row >= 0 && row <= static_cast<float>(height - 1) && column >= 0 &&
                            column <= static_cast<float>(width - 1);
        if (!inside) {
          std::fill_n(y, depth, outside);
          continue;
        }
        const auto at = [&](float r, float c) { return from + (static_cast<int64_t>(r) * width + static_cast<int64_t>(c)) * depth; };
        if (method == "nearest") {
          std::copy_n(at(std::round(row), std::round(column)), depth, y);
          continue;
        }
        const float top = std::floor(row), left = std::floor(column), dy = row - top, dx = column - left;
        const float bottom = std::ceil(row), right = std::ceil(column);
        for (int64_t d = 0; d < depth; ++d) {
          const float above = at(top, left)[d] + (at(top, right)[d] - at(top, left)[d]) * dx;
          const float below = at(bottom, left)[d] + (at(bottom, right)[d] - at(bottom, left)[d]) * dx;
          y[d] = above + (below - above) * dy;
        }
      }
    }
  }
}

}  // namespace

void RegisterCropResizeOps(OpRegistry& registry) {
  registry.Add(OpDef("CropAndResize").In("x").In("boxes").KeepDtype().In("box_index").In("crop_size").Out("y")
                   .Attr("extrapolation_value", 0.0f).Attr("method", "bilinear").On(Unit::kAiCpu).Infer(InferCrop)
                   .Kernel(CropKernel));
}

}  // namespace atc
