// onnx::NonMaxSuppression, onnx::RoiAlign and onnx::MaxRoiPool.
#include <cmath>
#include <numeric>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/operand_shape.h"

namespace atc {
namespace {

void InferNms(InferContext& ctx) {
  const Shape &boxes = ctx.InShape(0), &scores = ctx.InShape(1);
  const int64_t batch = boxes.HasRank() && boxes.rank() == 3 ? boxes[0] : kUnknownDim;
  const int64_t count = scores.HasRank() && scores.rank() == 3 ? scores[2] : kUnknownDim;
  RequireOperandShape(ctx, 0, {kUnknownDim, count, 4});
  RequireOperandShape(ctx, 1, {batch, kUnknownDim, kUnknownDim});
  ctx.SetOut(0, DT_INT64, {kUnknownDim, 3});
}

struct Box {
  float y1, x1, y2, x2;
  float area() const { return (y2 - y1) * (x2 - x1); }
};

// Corners in any order, or centre and size.
Box ReadBox(const float* b, bool centre) {
  if (centre) return {b[1] - b[3] / 2, b[0] - b[2] / 2, b[1] + b[3] / 2, b[0] + b[2] / 2};
  return {std::min(b[0], b[2]), std::min(b[1], b[3]), std::max(b[0], b[2]), std::max(b[1], b[3])};
}

// Whether intersection over union is above the threshold; boxes without area overlap nothing.
bool Overlap(const Box& a, const Box& b, float threshold) {
  const float height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  const float width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  if (height <= 0 || width <= 0 || a.area() <= 0 || b.area() <= 0) return false;
  const float common = height * width;
  return common / (a.area() + b.area() - common) > threshold;
}

float ScalarOr(const KernelContext& ctx, size_t i, float fallback) {
  if (!ctx.HasInput(i) || ctx.In(i).NumElements() == 0) return fallback;
  return static_cast<float>(ToDoubles(ctx.In(i))[0]);
}

void NmsKernel(KernelContext& ctx) {
  const Tensor &boxes = ctx.In(0), &scores = ctx.In(1);
  const Shape &bs = boxes.shape(), &ss = scores.shape();
  if (bs.rank() != 3 || bs[2] != 4 || ss.rank() != 3 || bs[0] != ss[0] || bs[1] != ss[2]) {
    ctx.Fail("boxes " + ToString(bs) + " and scores " + ToString(ss) +
             " must be [batch, boxes, 4] and [batch, classes, boxes]");
  }
  if (boxes.dtype() != DT_FLOAT || scores.dtype() != DT_FLOAT) FailOnType(ctx, boxes.dtype());
  const int64_t limit = ctx.HasInput(2) && ctx.In(2).NumElements() > 0 ? ToInts(ctx.In(2))[0] : 0;
  const float iou = ScalarOr(ctx, 3, 0);
  const float least = ScalarOr(ctx, 4, -std::numeric_limits<float>::infinity());
  const bool centre = ctx.Attr<int64_t>("center_point_box") != 0;
  std::vector<int64_t> selected;
  for (int64_t n = 0; n < ss[0] && limit > 0; ++n) {
    std::vector<Box> all;
    for (int64_t i = 0; i < bs[1]; ++i) all.push_back(ReadBox(boxes.Data<float>() + (n * bs[1] + i) * 4, centre));
    for (int64_t c = 0; c < ss[1]; ++c) {
      const float* score = scores.Data<float>() + (n * ss[1] + c) * bs[1];
      std::vector<int64_t> order;
      for (int64_t i = 0; i < bs[1]; ++i) {
        if (!ctx.HasInput(4) || score[i] > least) order.push_back(i);
      }
      std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return score[a] > score[b]; });
      std::vector<int64_t> kept;
      for (const int64_t i : order) {
        if (static_cast<int64_t>(kept.size()) >= limit) break;
        const bool covered =
            std::any_of(kept.begin(), kept.end(), [&](int64_t k) { return Overlap(all[i], all[k], iou); });
        if (covered) continue;
        kept.push_back(i);
        selected.insert(selected.end(), {n, c, i});
      }
    }
  }
  Tensor& y = ctx.Out(0, DT_INT64, {static_cast<int64_t>(selected.size()) / 3, 3});
  std::copy(selected.begin(), selected.end(), y.MutableData<int64_t>());
}

int64_t RowsOf(const Shape& rois) { return rois.HasRank() && rois.rank() > 0 ? rois[0] : kUnknownDim; }

// Whether the sizes of RoiAlign's attributes can be.
template <typename Context>
void CheckRoiSizes(const Context& ctx) {
  const int64_t ratio = ctx.template Attr<int64_t>("sampling_ratio");
  if (ctx.template Attr<int64_t>("output_height") < 1 || ctx.template Attr<int64_t>("output_width") < 1 || ratio < 0 ||
      ratio > INT16_MAX) {
    ctx.Fail("output_height and output_width must be at least 1 and sampling_ratio at least 0");
  }
}

void InferRoiAlign(InferContext& ctx) {
  CheckRoiSizes(ctx);
  RequireRank(ctx, 0, 4, 4);
  RequireOperandShape(ctx, 1, {kUnknownDim, 4});
  RequireElements(ctx, 2, RowsOf(ctx.InShape(1)));
  if (ctx.InShape(0).HasRank()) RequireIndices(ctx, 2, ctx.InShape(0)[0], false);
  const int64_t channels = ctx.InShape(0).HasRank() && ctx.InShape(0).rank() == 4 ? ctx.InShape(0)[1] : kUnknownDim;
  ctx.SetOut(0, ctx.InType(0),
             {RowsOf(ctx.InShape(1)), channels, ctx.Attr<int64_t>("output_height"), ctx.Attr<int64_t>("output_width")},
             FORMAT_NCHW);
}

// The four pixels around a point and their weights; nothing beyond one pixel outside of the image.
struct Sample {
  int64_t at[4];
  double weight[4];
};

Sample BilinearSample(double y, double x, int64_t height, int64_t width) {
  Sample s{{0, 0, 0, 0}, {0, 0, 0, 0}};
  if (y < -1 || y > static_cast<double>(height) || x < -1 || x > static_cast<double>(width)) return s;
  y = std::clamp(y, 0.0, static_cast<double>(height - 1));
  x = std::clamp(x, 0.0, static_cast<double>(width - 1));
  const auto y0 = static_cast<int64_t>(y), x0 = static_cast<int64_t>(x);
  const int64_t y1 = std::min(y0 + 1, height - 1), x1 = std::min(x0 + 1, width - 1);
  const double ly = y - static_cast<double>(y0), lx = x - static_cast<double>(x0);
  return {{y0 * width + x0, y0 * width + x1, y1 * width + x0, y1 * width + x1},
          {(1 - ly) * (1 - lx), (1 - ly) * lx, ly * (1 - lx), ly * lx}};
}

void RoiAlignKernel(KernelContext& ctx) {
  const Tensor &x = ctx.In(0), &rois = ctx.In(1);
  if (x.rank() != 4 || rois.rank() != 2 || rois.dim(1) != 4 || ctx.In(2).NumElements() != rois.dim(0)) {
    ctx.Fail("X " + ToString(x.shape()) + ", rois " + ToString(rois.shape()) + " and batch_indices " +
             ToString(ctx.InShape(2)) + " must be [N, C, H, W], [rois, 4] and [rois]");
  }
  const std::vector<double> corners = ToDoubles(rois);
  const std::vector<int64_t> batch = ToInts(ctx.In(2));
  const int64_t out_h = ctx.Attr<int64_t>("output_height"), out_w = ctx.Attr<int64_t>("output_width");
  const int64_t ratio = ctx.Attr<int64_t>("sampling_ratio");
  const double scale = ctx.Attr<float>("spatial_scale");
  const bool half = ctx.Attr<int64_t>("opset") >= 16 &&
                    ctx.Attr<std::string>("coordinate_transformation_mode") != "output_half_pixel";
  const bool largest = ctx.Attr<std::string>("mode") == "max";
  CheckRoiSizes(ctx);
  const int64_t channels = x.dim(1), height = x.dim(2), width = x.dim(3), plane = height * width;
  Tensor& y = ctx.Out(0, x.dtype(), {rois.dim(0), channels, out_h, out_w});
  Dispatch(FloatTypes{}, ctx, x.dtype(), [&]<typename T>() {
    for (int64_t r = 0; r < rois.dim(0); ++r) {
      if (batch[r] < 0 || batch[r] >= x.dim(0)) {
        ctx.Fail("batch index " + std::to_string(batch[r]) + " is outside the batch of " + std::to_string(x.dim(0)));
      }
      const double shift = half ? 0.5 : 0;
      const double x1 = corners[r * 4] * scale - shift, y1 = corners[r * 4 + 1] * scale - shift;
      double roi_w = corners[r * 4 + 2] * scale - shift - x1, roi_h = corners[r * 4 + 3] * scale - shift - y1;
      if (!half) {  // the older rule: at least one pixel
        roi_w = std::max(roi_w, 1.0);
        roi_h = std::max(roi_h, 1.0);
      }
      if (!(std::abs(roi_w) < 1e6 && std::abs(roi_h) < 1e6)) ctx.Fail("a region is more than a million pixels wide");
      const double bin_h = roi_h / static_cast<double>(out_h), bin_w = roi_w / static_cast<double>(out_w);
      const int64_t grid_h = ratio > 0 ? ratio : static_cast<int64_t>(std::ceil(bin_h));
      const int64_t grid_w = ratio > 0 ? ratio : static_cast<int64_t>(std::ceil(bin_w));
      if (grid_h * grid_w > (1 << 22)) ctx.Fail("a bin of a region has more than 4194304 sampling points");
      const double count = static_cast<double>(std::max<int64_t>(grid_h * grid_w, 1));
      for (int64_t bin = 0; bin < out_h * out_w; ++bin) {
        const auto ph = static_cast<double>(bin / out_w), pw = static_cast<double>(bin % out_w);
        std::vector<Sample> samples;
        for (int64_t i = 0; i < grid_h; ++i) {
          for (int64_t j = 0; j < grid_w; ++j) {
            samples.push_back(BilinearSample(
                y1 + ph * bin_h + (static_cast<double>(i) + 0.5) * bin_h / static_cast<double>(grid_h),
                x1 + pw * bin_w + (static_cast<double>(j) + 0.5) * bin_w / static_cast<double>(grid_w), height, width));
          }
        }
        for (int64_t c = 0; c < channels; ++c) {
          const T* from = x.Data<T>() + (batch[r] * channels + c) * plane;
          double sum = 0, best = 0;
          for (size_t s = 0; s < samples.size(); ++s) {
            for (int k = 0; k < 4; ++k) {
              const double part = samples[s].weight[k] * static_cast<double>(from[samples[s].at[k]]);
              sum += part;
              // The standard takes the largest weighted pixel, not the largest interpolated value.
              if ((s == 0 && k == 0) || part > best) best = part;
            }
          }
          y.MutableData<T>()[(r * channels + c) * out_h * out_w + bin] = static_cast<T>(largest ? best : sum / count);
        }
      }
    }
  });
}

void InferMaxRoiPool(InferContext& ctx) {
  const auto pooled = ctx.Attr<std::vector<int64_t>>("pooled_shape");
  if (pooled.size() != 2 || pooled[0] < 1 || pooled[1] < 1) ctx.Fail("pooled_shape must be two positive numbers");
  RequireRank(ctx, 0, 4, 4);
  RequireOperandShape(ctx, 1, {kUnknownDim, 5});
  const int64_t channels = ctx.InShape(0).HasRank() && ctx.InShape(0).rank() == 4 ? ctx.InShape(0)[1] : kUnknownDim;
  ctx.SetOut(0, ctx.InType(0), {RowsOf(ctx.InShape(1)), channels, pooled[0], pooled[1]}, FORMAT_NCHW);
}

// Rois are rows of batch index, x1, y1, x2, y2, rounded to whole pixels, both ends included; an empty bin gives 0.
void MaxRoiPoolKernel(KernelContext& ctx) {
  const Tensor &x = ctx.In(0), &rois = ctx.In(1);
  const auto pooled = ctx.Attr<std::vector<int64_t>>("pooled_shape");
  if (x.rank() != 4 || rois.rank() != 2 || rois.dim(1) != 5 || pooled.size() != 2 || pooled[0] < 1 || pooled[1] < 1) {
    ctx.Fail("X " + ToString(x.shape()) + " and rois " + ToString(rois.shape()) +
             " must be [N, C, H, W] and [rois, 5], pooled_shape two positive numbers");
  }
  const double scale = ctx.Attr<float>("spatial_scale");
  const std::vector<double> rows = ToDoubles(rois);
  const int64_t channels = x.dim(1), height = x.dim(2), width = x.dim(3);
  Tensor& y = ctx.Out(0, x.dtype(), {rois.dim(0), channels, pooled[0], pooled[1]});
  // Bounds of bin `i` of `count` over a region of `size` pixels from `start` on, within [0, limit).
  const auto bin = [](int64_t i, int64_t count, int64_t start, int64_t size, int64_t limit) {
    const double step = static_cast<double>(size) / static_cast<double>(count);
    const auto low = static_cast<int64_t>(std::floor(static_cast<double>(i) * step)) + start;
    const auto high = static_cast<int64_t>(std::ceil(static_cast<double>(i + 1) * step)) + start;
    return std::pair<int64_t, int64_t>{std::clamp<int64_t>(low, 0, limit), std::clamp<int64_t>(high, 0, limit)};
  };
  Dispatch(FloatTypes{}, ctx, x.dtype(), [&]<typename T>() {
    T* to = y.MutableData<T>();
    for (int64_t r = 0; r < rois.dim(0); ++r) {
      for (int k = 0; k < 5; ++k) {
        if (!std::isfinite(rows[r * 5 + k]))
          ctx.Fail("region " + std::to_string(r) + " has a coordinate that is no number");
      }
      const auto n = static_cast<int64_t>(std::clamp(rows[r * 5], -1.0, 1e9));
      if (n < 0 || n >= x.dim(0)) ctx.Fail("batch index " + std::to_string(n) + " is outside the batch");
      int64_t edge[4];
      for (int k = 0; k < 4; ++k)
        edge[k] = static_cast<int64_t>(std::clamp(std::round(rows[r * 5 + 1 + k] * scale), -1e9, 1e9));
      const int64_t roi_w = std::max<int64_t>(edge[2] - edge[0] + 1, 1);
      const int64_t roi_h = std::max<int64_t>(edge[3] - edge[1] + 1, 1);
      for (int64_t c = 0; c < channels; ++c) {
        const T* from = x.Data<T>() + (n * channels + c) * height * width;
        for (int64_t ph = 0; ph < pooled[0]; ++ph) {
          const auto [h0, h1] = bin(ph, pooled[0], edge[1], roi_h, height);
          for (int64_t pw = 0; pw < pooled[1]; ++pw) {
            const auto [w0, w1] = bin(pw, pooled[1], edge[0], roi_w, width);
            T best = h0 < h1 && w0 < w1 ? -std::numeric_limits<T>::infinity() : T{0};
            for (int64_t h = h0; h < h1; ++h) {
              for (int64_t w = w0; w < w1; ++w) best = std::max(best, from[h * width + w]);
            }
            *to++ = best;
          }
        }
      }
    }
  });
}

}  // namespace

void RegisterDetectionOps(OpRegistry& registry) {
  registry.Add(OpDef("onnx::MaxRoiPool")
                   .In("X")
                   .In("rois")
                   .KeepDtype()
                   .Out("Y")
                   .Attr("pooled_shape", std::vector<int64_t>{})
                   .Attr("spatial_scale", 1.0f)
                   .Attr("opset", 1)
                   .Traits(kWidenHalf)
                   .Infer(InferMaxRoiPool)
                   .Kernel(MaxRoiPoolKernel));
  registry.Add(OpDef("onnx::NonMaxSuppression")
                   .In("boxes")
                   .In("scores")
                   .OptIn("max_output_boxes_per_class")
                   .OptIn("iou_threshold")
                   .OptIn("score_threshold")
                   .Out("selected_indices")
                   .Attr("center_point_box", 0)
                   .Attr("opset", 10)
                   .On(Unit::kAiCpu)
                   .Infer(InferNms)
                   .Kernel(NmsKernel));
  registry.Add(OpDef("onnx::RoiAlign")
                   .In("X")
                   .In("rois")
                   .KeepDtype()
                   .In("batch_indices")
                   .Out("Y")
                   .Attr("coordinate_transformation_mode", "half_pixel")
                   .Attr("mode", "avg")
                   .Attr("output_height", 1)
                   .Attr("output_width", 1)
                   .Attr("sampling_ratio", 0)
                   .Attr("spatial_scale", 1.0f)
                   .Attr("opset", 10)
                   .Traits(kWidenHalf)
                   .Infer(InferRoiAlign)
                   .Kernel(RoiAlignKernel));
}

}  // namespace atc
