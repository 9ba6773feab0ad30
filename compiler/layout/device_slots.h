// What need not be moved between storage formats on this device.
#pragma once

#include "compiler/ir/graph.h"

namespace atc {

// An attribute (bool) of nodes whose result is their input under another view on this device: they emit no task. On an NPU
// they move the data.
inline constexpr const char* kDeviceAlias = "_device_alias";

// For a graph whose formats are chosen and whose TransData are where they stay. This device holds data of NC1HWC0 with
// channels last, so what an NPU must take out of blocks to join, cut or combine it in the origin layout, and then
// blocks again, can stay as it lies here: the outputs in such a region of known shapes are marked with
// kChannelsLastSlots (device_slot.h). TransData and Transpose whose two sides then lie alike are marked with
// kDeviceAlias and a Reason "task".
void ChooseDeviceSlots(Graph& graph);

}  // namespace atc
