// Storage formats with channels in blocks.
#pragma once

#include "compiler/ir/format.h"

namespace atc {

// Blocks of four channels, for first convolutions of few channels; GE's number.
inline constexpr Format FORMAT_NC1HWC0_C04 = static_cast<Format>(12);

// Whether the slot of a tensor of four dims holds blocks of channels; this device keeps channels-last in it.
inline constexpr bool IsBlocked(Format format) { return format == FORMAT_NC1HWC0 || format == FORMAT_NC1HWC0_C04; }

}  // namespace atc
