// An elementwise task whose only varying operand has 8 bits, as a table of its 256 results.
#pragma once

#include "backend/kernels/kernel.h"

namespace atc::kernels {

// The table holds what the reference kernel gives. nullptr where the task is none of these.
std::unique_ptr<Kernel> MakeByteTable(const KernelSpec& spec);

}  // namespace atc::kernels
