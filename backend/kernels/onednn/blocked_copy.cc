#include "backend/kernels/onednn/blocked_copy.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "backend/kernels/strided_copy.h"

namespace atc::kernels {
namespace {

struct Layout {
  struct Axis {
    int64_t dim, padded, stride;  // of whole blocks where there are such
    int64_t block = 1, inner = 0;  // elements of a block along this axis, and their distance
  };
  std::vector<Axis> axes;
  dnnl::memory::data_type type = dnnl::memory::data_type::undef;
  int width = 0;  // bytes of an element
  bool pads = false;
};

// Versions 2 and 3 give the same in different ways.
struct Fields {
  std::vector<int64_t> dims, padded, strides, blocks, block_axes;
  int64_t offset = 0;
  dnnl::memory::data_type type = dnnl::memory::data_type::undef;
  bool blocked = false;
};

Fields FieldsOf(const dnnl::memory::desc& desc) {
  Fields f;
#if DNNL_VERSION_MAJOR >= 3
  f.blocked = desc.get_format_kind() == dnnl::memory::format_kind::blocked;
  if (!f.blocked) return f;
  f.dims = desc.get_dims(), f.padded = desc.get_padded_dims(), f.strides = desc.get_strides();
  f.blocks = desc.get_inner_blks(), f.block_axes = desc.get_inner_idxs();
  f.offset = desc.get_submemory_offset();
  f.type = desc.get_data_type();
#else
  const dnnl_memory_desc_t& d = desc.data;
  f.blocked = d.format_kind == dnnl_blocked && d.extra.flags == dnnl_memory_extra_flag_none;
  if (!f.blocked) return f;
  const dnnl_blocking_desc_t& blocking = d.format_desc.blocking;
  f.dims.assign(d.dims, d.dims + d.ndims);
  f.padded.assign(d.padded_dims, d.padded_dims + d.ndims);
  f.strides.assign(blocking.strides, blocking.strides + d.ndims);
  f.blocks.assign(blocking.inner_blks, blocking.inner_blks + blocking.inner_nblks);
  f.block_axes.assign(blocking.inner_idxs, blocking.inner_idxs + blocking.inner_nblks);
  f.offset = d.offset0;
  f.type = desc.data_type();
#endif
  return f;
}

std::optional<Layout> LayoutOf(const dnnl::memory::desc& desc) {
  const Fields f = FieldsOf(desc);
  if (!f.blocked || f.offset != 0) return std::nullopt;
  Layout layout;
  layout.type = f.type;
  layout.width = static_cast<int>(dnnl::memory::data_type_size(f.type));
  auto bytes = static_cast<size_t>(layout.width);
  for (size_t i = 0; i < f.dims.size(); ++i) {
    if (f.dims[i] <= 0) return std::nullopt;
    layout.axes.push_back({f.dims[i], f.padded[i], f.strides[i]});
    layout.pads = layout.pads || f.padded[i] != f.dims[i];
    bytes *= static_cast<size_t>(f.padded[i]);
  }
  int64_t inner = 1;
  for (size_t i = f.blocks.size(); i-- > 0; inner *= f.blocks[i]) {
    Layout::Axis& axis = layout.axes[static_cast<size_t>(f.block_axes[i])];
    if (axis.block != 1) return std::nullopt;
    axis.block = f.blocks[i];
    axis.inner = inner;
  }
  // What is longer has sums of the weights behind them.
  if (desc.get_size() != bytes) return std::nullopt;
  return layout;
}

// Adds the axes from `at` on to the box, whole blocks and what is left of one apart, and copies each such box.
void CopyBoxes(const Layout& from, const Layout& to, size_t at, const StridedCopy::Box& box, const std::byte* data,
               std::byte* out) {
  if (at == to.axes.size()) return StridedCopy(box, to.width).Run(data, out, 1);
  const Layout::Axis& axis = to.axes[at];
  const int64_t step = from.axes[at].stride, whole = axis.dim / axis.block, left = axis.dim % axis.block;
  const auto with = [&](int64_t blocks, int64_t elements, int64_t first) {
    StridedCopy::Box next = box;
    next.from_offset += first * axis.block * step;
    next.to_offset += first * axis.stride;
    next.dims.insert(next.dims.end(), {blocks, elements});
    next.from.insert(next.from.end(), {axis.block * step, step});
    next.to.insert(next.to.end(), {axis.stride, axis.inner});
    CopyBoxes(from, to, at + 1, next, data, out);
  };
  if (whole > 0) with(whole, axis.block, 0);
  if (left > 0) with(1, left, whole);
}

}  // namespace

bool CopyToBlocks(const dnnl::memory::desc& from, const std::byte* data, const dnnl::memory::desc& to, std::byte* out) {
  const std::optional<Layout> source = LayoutOf(from), target = LayoutOf(to);
  if (!source || !target || source->type != target->type || source->axes.size() != target->axes.size()) return false;
  for (size_t i = 0; i < source->axes.size(); ++i) {
    if (source->axes[i].block != 1 || source->axes[i].dim != target->axes[i].dim) return false;
  }
  if (target->pads) std::memset(out, 0, to.get_size());
  CopyBoxes(*source, *target, 0, {}, data, out);
  return true;
}

}  // namespace atc::kernels
