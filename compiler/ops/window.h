// Geometry of sliding windows, shared by convolution and pooling: padding modes, output sizes, and which inputs a window
// covers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/ir/shape.h"

namespace atc {

// One spatial axis of a window that slides over a tensor. Sizes in elements; `in` and `out` are -1 while unknown.
struct WindowAxis {
  int64_t in = kUnknownDim;
  int64_t out = kUnknownDim;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_begin = 0;
  int64_t pad_end = 0;

  int64_t extent() const { return (kernel - 1) * dilation + 1; }
};

// What the attributes of an operator say about its window; every list has one entry a spatial axis.
struct WindowSpec {
  std::vector<int64_t> kernel;  // -1: unknown
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;
  std::vector<int64_t> pads_begin;
  std::vector<int64_t> pads_end;
  std::string auto_pad = "NOTSET";  // ONNX's words, or AscendIR's: CALCULATED, SAME
  bool ceil_mode = false;
};

// The last `spatial` entries of a list that may also name the batch and channel axes; a single entry stands for all
// axes, an empty list means ones. Empty result: the length fits none of these.
// `channels_last`: these are the first and the last entry.
std::vector<int64_t> SpatialPart(const std::vector<int64_t>& list, size_t spatial, bool channels_last = false);

// Splits pads into begins and ends. AscendIR interleaves them axis by axis, ONNX lists all begins, then all ends. An
// empty list means zeros, a single entry stands for all. False when the length does not fit.
bool SplitPads(const std::vector<int64_t>& pads, size_t spatial, bool interleaved, WindowSpec* spec);

// Resolves padding and output sizes for spatial input sizes `in` (-1 where unknown). Returns what is wrong with the
// attributes or sizes, naming values found and wanted; empty when all is well.
//   explicit: out = floor-or-ceil((in + pads - extent) / stride) + 1; with ceil a window that would begin beyond input
//             and leading padding is dropped.
//   VALID:    no padding; out = ceil((in - extent + 1) / stride).
//   SAME_*:   out = ceil(in / stride); what padding this needs is split in two halves, the odd one at the end (UPPER)
//             or the beginning (LOWER).
std::string ResolveWindow(const WindowSpec& spec, const std::vector<int64_t>& in, std::vector<WindowAxis>* axes);

// A stretch of inputs that a window covers: `count` elements from `offset` on, `step` apart, in one plane.
struct WindowRun {
  int64_t offset;
  int64_t count;
  int64_t step;
  int64_t kernel_offset;  // of the first one, in the kernel's own row-major order
};

// The kernel taps [first, second) of an axis that lie inside [low, high) when the window begins at `start`.
inline std::pair<int64_t, int64_t> TapsInside(const WindowAxis& axis, int64_t start, int64_t low, int64_t high) {
  const auto taps_before = [&](int64_t end) {
    return std::clamp<int64_t>((end - start + axis.dilation - 1) / axis.dilation, 0, axis.kernel);
  };
  const int64_t first = start >= low ? 0 : taps_before(low);
  return {first, std::max(first, start >= high ? 0 : taps_before(high))};
}

// Calls fn(out_index, runs, padded_area) for each output position of one plane in row-major order: the covered inputs
// in row-major order, and the number of kernel taps that lie on input or padding.
template <typename Fn>
void ForEachWindow(const std::vector<WindowAxis>& axes, Fn fn) {
  const size_t rank = axes.size();
  int64_t outputs = 1;
  for (const WindowAxis& axis : axes) outputs *= axis.out;
  std::vector<int64_t> at(rank, 0), start(rank);
  std::vector<std::pair<int64_t, int64_t>> taps(rank);
  std::vector<WindowRun> runs;
  for (int64_t out_index = 0; out_index < outputs; ++out_index) {
    int64_t padded_area = 1, num_runs = 1;
    for (size_t d = 0; d < rank; ++d) {
      start[d] = at[d] * axes[d].stride - axes[d].pad_begin;
      const auto padded = TapsInside(axes[d], start[d], -axes[d].pad_begin, axes[d].in + axes[d].pad_end);
      padded_area *= padded.second - padded.first;
      taps[d] = TapsInside(axes[d], start[d], 0, axes[d].in);
      const int64_t count = taps[d].second - taps[d].first;
      num_runs *= d + 1 < rank ? count : std::min<int64_t>(count, 1);
    }
    runs.resize(static_cast<size_t>(num_runs));
    for (int64_t r = 0; r < num_runs; ++r) {
      WindowRun run{0, taps[rank - 1].second - taps[rank - 1].first, axes[rank - 1].dilation, 0};
      int64_t rest = r, in_scale = 1, kernel_scale = 1;
      for (size_t d = rank; d-- > 0;) {  // the last axis is the run itself, the others count through r
        int64_t tap = taps[d].first;
        if (d + 1 < rank) {
          tap += rest % (taps[d].second - taps[d].first);
          rest /= taps[d].second - taps[d].first;
        }
        run.offset += (start[d] + tap * axes[d].dilation) * in_scale;
        run.kernel_offset += tap * kernel_scale;
        in_scale *= axes[d].in;
        kernel_scale *= axes[d].kernel;
      }
      runs[static_cast<size_t>(r)] = run;
    }
    fn(out_index, runs, padded_area);
    for (size_t d = rank; d-- > 0;) {
      if (++at[d] < axes[d].out) break;
      at[d] = 0;
    }
  }
}

// For one kernel tap (an index on every axis) and the output positions [begin, begin + count) of one plane: calls
// row(j, length, offset, first, step) for each stretch of them along the last axis. Output position begin + j + i looks
// at input offset + at with at = first + i * step, which counts only when 0 <= at < axes.back().in; offset is -1 where
// an outer axis is in the padding.
template <typename Row>
void ForEachTapRow(const std::vector<WindowAxis>& axes, const std::vector<int64_t>& tap, int64_t begin, int64_t count,
                   Row row) {
  const size_t last = axes.size() - 1;
  const WindowAxis& inner = axes[last];
  for (int64_t done = 0; done < count;) {
    int64_t rest = (begin + done) / inner.out;
    const int64_t column = (begin + done) % inner.out;
    const int64_t length = std::min(inner.out - column, count - done);
    int64_t offset = 0, scale = inner.in;
    bool inside = true;
    for (size_t d = last; d-- > 0;) {
      const int64_t at = rest % axes[d].out * axes[d].stride + tap[d] * axes[d].dilation - axes[d].pad_begin;
      rest /= axes[d].out;
      inside &= at >= 0 && at < axes[d].in;
      offset += at * scale;
      scale *= axes[d].in;
    }
    const int64_t first = column * inner.stride + tap[last] * inner.dilation - inner.pad_begin;
    row(done, length, inside ? offset : -1, first, inner.stride);
    done += length;
  }
}

// Steps `tap` to the next one in row-major order; false after the last, when it is back at zeros.
inline bool NextTap(const std::vector<WindowAxis>& axes, std::vector<int64_t>& tap) {
  for (size_t d = axes.size(); d-- > 0;) {
    if (++tap[d] < axes[d].kernel) return true;
    tap[d] = 0;
  }
  return false;
}

}  // namespace atc
