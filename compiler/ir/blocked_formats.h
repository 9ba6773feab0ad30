// Storage formats in which a device keeps tensors: channels, or the last two dims, in blocks.
#pragma once

#include "compiler/ir/format.h"
#include "compiler/ir/shape.h"
#include "compiler/ir/data_type.h"

namespace atc {

// GE's numbers of formats that only storage has.
inline constexpr Format FORMAT_NC1HWC0_C04 = static_cast<Format>(12);  // blocks of four channels
inline constexpr Format FORMAT_FRACTAL_Z_C04 = static_cast<Format>(13);

// Whether the slot of a tensor of four dims holds blocks of channels; this device keeps channels-last in it.
inline constexpr bool IsBlocked(Format format) { return format == FORMAT_NC1HWC0 || format == FORMAT_NC1HWC0_C04; }

// Whether the storage view differs from every origin view: more dims, and blocks that may be filled up.
bool IsPrivate(Format format);

// Elements of the innermost dim of such a format: 4 in the C04 formats of data, 32 of 8-bit types, else 16.
int64_t BlockElements(Format storage, DataType dtype);

// The shape in which `storage` holds a tensor of the shape `origin` in the format `plain`; open dims stay open:
//   NC1HWC0, NC1HWC0_C04  [N, C1, H, W, C0]
//   NDC1HWC0              [N, D, C1, H, W, C0]
//   FRACTAL_Z             [G C1 H W, N1, 16, C0]; with groups, as many as fill the blocks lie side by side, G times
//   FRACTAL_Z_3D          [G D C1 H W, N1, 16, C0]
//   FRACTAL_Z_C04         [4 H W / C0, N1, 16, C0]
//   FRACTAL_NZ            [..., last / C0, last but one / 16, 16, C0], for any rank from 2 on
// quotients rounded up, X1 the number of blocks of X. Without rank where one cannot hold the other.
// Source: the formats' definitions in the guide of CANN (operator development, "Format") and the shape transfer that GE
// publishes (metadef, transformer, TransferShapeUtils).
Shape StoredShape(Format storage, Format plain, const Shape& origin, DataType dtype, int64_t groups = 1);

}  // namespace atc
