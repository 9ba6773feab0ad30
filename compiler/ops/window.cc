#include "compiler/ops/window.h"

namespace atc {
namespace {

constexpr int64_t kLimit = INT32_MAX;  // of every attribute, so that sums and products below cannot overflow

std::string OutOfRange(const char* what, int64_t value, int64_t least) {
  return std::string(what) + " " + std::to_string(value) + " is outside [" + std::to_string(least) + ", " +
         std::to_string(kLimit) + "]";
}

int64_t CeilDiv(int64_t a, int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }

std::string ResolveAxis(const WindowSpec& spec, WindowAxis& axis) {
  const bool same = spec.auto_pad.starts_with("SAME");
  const bool valid = spec.auto_pad == "VALID";
  if (same || valid) axis.pad_begin = axis.pad_end = 0;
  if (axis.in < 0) return "";
  if (same) {
    axis.out = CeilDiv(axis.in, axis.stride);
    if (axis.kernel < 0) return "";
    const int64_t total = std::max<int64_t>(0, (axis.out - 1) * axis.stride + axis.extent() - axis.in);
    const bool lower = spec.auto_pad == "SAME_LOWER";
    axis.pad_begin = lower ? (total + 1) / 2 : total / 2;
    axis.pad_end = total - axis.pad_begin;
    return "";
  }
  if (axis.kernel < 0) return "";
  const int64_t room = axis.in + axis.pad_begin + axis.pad_end - axis.extent();
  if (room < 0) {
    if (axis.in == 0) {
      axis.out = 0;
      return "";
    }
    return "a window of " + std::to_string(axis.extent()) + " elements does not fit into a dim of " +
           std::to_string(axis.in) + " with padding " + std::to_string(axis.pad_begin) + " and " +
           std::to_string(axis.pad_end);
  }
  const bool ceil = spec.ceil_mode && !valid;
  axis.out = (ceil ? CeilDiv(room, axis.stride) : room / axis.stride) + 1;
  if (ceil && (axis.out - 1) * axis.stride >= axis.in + axis.pad_begin) --axis.out;
  return "";
}

}  // namespace

std::vector<int64_t> SpatialPart(const std::vector<int64_t>& list, size_t spatial, bool channels_last) {
  if (list.empty()) return std::vector<int64_t>(spatial, 1);
  if (list.size() == spatial) return list;
  if (list.size() == spatial + 2 && channels_last) return {list.begin() + 1, list.end() - 1};
  if (list.size() == spatial + 2) return {list.begin() + 2, list.end()};
  if (list.size() == 1) return std::vector<int64_t>(spatial, list[0]);
  return {};
}

bool SplitPads(const std::vector<int64_t>& pads, size_t spatial, bool interleaved, WindowSpec* spec) {
  spec->pads_begin.assign(spatial, pads.size() == 1 ? pads[0] : 0);
  spec->pads_end = spec->pads_begin;
  if (pads.size() <= 1) return true;
  if (pads.size() != 2 * spatial) return false;
  for (size_t d = 0; d < spatial; ++d) {
    spec->pads_begin[d] = pads[interleaved ? 2 * d : d];
    spec->pads_end[d] = pads[interleaved ? 2 * d + 1 : spatial + d];
  }
  return true;
}

std::string ResolveWindow(const WindowSpec& spec, const std::vector<int64_t>& in, std::vector<WindowAxis>* axes) {
  const size_t spatial = in.size();
  static constexpr std::string_view kModes[] = {"NOTSET", "CALCULATED", "", "SAME_UPPER", "SAME", "SAME_LOWER", "VALID"};
  if (std::find(std::begin(kModes), std::end(kModes), spec.auto_pad) == std::end(kModes)) {
    return "auto_pad is '" + spec.auto_pad + "', wanted NOTSET, SAME_UPPER, SAME_LOWER or VALID";
  }
  for (const auto* list : {&spec.kernel, &spec.strides, &spec.dilations, &spec.pads_begin, &spec.pads_end}) {
    if (list->size() != spatial) {
      return "window attributes do not fit " + std::to_string(spatial) + " spatial axes: a list has " +
             std::to_string(list->size()) + " entries for them";
    }
  }
  axes->clear();
  for (size_t d = 0; d < spatial; ++d) {
    WindowAxis axis{in[d],           kUnknownDim,           spec.kernel[d],     spec.strides[d],
                    spec.dilations[d], spec.pads_begin[d], spec.pads_end[d]};
    if (axis.stride < 1 || axis.stride > kLimit) return OutOfRange("stride", axis.stride, 1);
    if (axis.dilation < 1 || axis.dilation > kLimit) return OutOfRange("dilation", axis.dilation, 1);
    if (axis.kernel == 0 || axis.kernel < -1 || axis.kernel > kLimit) {
      return OutOfRange("kernel size", axis.kernel, 1);
    }
    for (const int64_t pad : {axis.pad_begin, axis.pad_end}) {
      if (pad < 0 || pad > kLimit) return OutOfRange("pad", pad, 0);
    }
    if (axis.in > (int64_t{1} << 48)) return OutOfRange("dim", axis.in, 0);
    const std::string fault = ResolveAxis(spec, axis);
    if (!fault.empty()) return fault;
    axes->push_back(axis);
  }
  return "";
}

}  // namespace atc
