#include "compiler/ir/form.h"

#include <algorithm>

namespace atc {
namespace {

bool IsBlockable(DataType dtype) {
  return dtype == DT_FLOAT || dtype == DT_FLOAT16 || dtype == DT_BF16 || dtype == DT_INT8 || dtype == DT_UINT8;
}

}  // namespace

Form FormOf(const TensorDesc& desc) {
  if (!IsPrivate(desc.format)) return kPlainForm;
  return desc.format == FORMAT_FRACTAL_NZ ? kFractal : Form{desc.format, desc.origin_format};
}

int64_t ChannelsOf(const TensorDesc& desc, Format plain) {
  const size_t axis = FormatName(plain).find('C');
  return axis < desc.origin_shape.rank() ? desc.origin_shape[axis] : kUnknownDim;
}

bool Fits(const TensorDesc& desc, Form form) {
  if (form.IsPlain()) return true;
  const Shape& shape = desc.origin_shape;
  if (!IsBlockable(desc.dtype) || !shape.HasRank()) return false;
  if (std::find(shape.dims().begin(), shape.dims().end(), 0) != shape.dims().end()) return false;
  if (form.storage == FORMAT_FRACTAL_NZ)
    return shape.rank() >= 2 && shape[shape.rank() - 1] > 0 && DataTypeBits(desc.dtype) > 8;
  return shape.rank() == FormatName(form.plain).size() && ChannelsOf(desc, form.plain) > 0;
}

bool SameBlocks(DataType a, DataType b) {
  return a == b ||
         (IsBlockable(a) && IsBlockable(b) && BlockElements(FORMAT_NC1HWC0, a) == BlockElements(FORMAT_NC1HWC0, b));
}

void SetForm(TensorDesc& desc, Form form) {
  if (form.IsPlain()) {
    desc.shape = desc.origin_shape;
    desc.format = desc.origin_format;
    return;
  }
  if (form.plain != FORMAT_ND) desc.origin_format = form.plain;
  desc.format = form.storage;
  desc.shape = StoredShape(form.storage, desc.origin_format, desc.origin_shape, desc.dtype);
}

}  // namespace atc
