// The storage format of a tensor together with the order of the dims that it stands for.
#pragma once

#include "compiler/ir/blocked_formats.h"
#include "compiler/ir/graph.h"

namespace atc {

// A storage format and the order of the dims that it stands for: NC1HWC0 of NCHW and of NHWC are two. The default is the
// origin layout itself, whatever its order.
struct Form {
  Format storage = FORMAT_ND;
  Format plain = FORMAT_ND;

  bool IsPlain() const { return storage == FORMAT_ND; }
  auto operator<=>(const Form&) const = default;
};

inline constexpr Form kPlainForm{};
inline constexpr Form kFractal{FORMAT_FRACTAL_NZ, FORMAT_ND};

// The form of a tensor with this desc.
Form FormOf(const TensorDesc& desc);
// How many channels a tensor has whose dims are in the order of `plain`; -1 where that is open.
int64_t ChannelsOf(const TensorDesc& desc, Format plain);
// Whether a tensor can be held so: floats or 8-bit integers, the rank of the format, its blocked dims known.
bool Fits(const TensorDesc& desc, Form form);
// Whether blocks hold as many elements of one type as of the other, so that what turns one into the other, element by
// element, leaves them where they are.
bool SameBlocks(DataType a, DataType b);
// Sets format and shape of the storage view, and for formats of channels what the dims are.
void SetForm(TensorDesc& desc, Form form);

}  // namespace atc
