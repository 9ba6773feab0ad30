// An elementwise task whose only varying operand has 8 bits, as a table of its 256 results.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backend/kernels/kernel.h"

namespace atc::kernels {

// The table holds what the reference kernel gives. nullptr where the task is none of these.
std::unique_ptr<Kernel> MakeByteTable(const KernelSpec& spec);

// What follows the 8-bit value `bytes` of the task's fused graph up to its end, each reading the one before and else
// constants of one number: of 256, what becomes of each byte; empty where nothing follows. nullopt for anything else.
std::optional<std::vector<uint8_t>> FindByteTable(const KernelSpec& spec, ValueId bytes);

}  // namespace atc::kernels
