// Kernels behind ports of other float types than those that they were made for.
#pragma once

#include <memory>
#include <vector>

#include "backend/kernels/kernel.h"

namespace atc::kernels {

// What becomes of one port between the task and the kernel behind.
struct Adaptation {
  enum Kind : uint8_t {
    kAsIs,
    kWiden,   // from half to float: an input before the kernel runs, an output after
    kNarrow,  // from float to half, likewise
    kRound,   // an output of float, rounded where it lies
  } kind = kAsIs;
  DataType half = DT_UNDEFINED;
  size_t count = 0;  // elements
};

// `inner` with its ports adapted. `constants`, by input, take the place of what a run gives, where they are not nullptr;
// empty: none do.
std::unique_ptr<Kernel> Adapt(std::unique_ptr<Kernel> inner, const std::vector<Adaptation>& inputs,
                              const std::vector<Adaptation>& outputs, std::vector<std::unique_ptr<Tensor>> constants,
                              int threads);

// A kernel for a task of which some ports hold rounded floats (Port::rounded): the fast one for these ports, else for all
// ports as floats, else the one for half types, reference kernels included.
std::unique_ptr<Kernel> MakeRounded(const KernelSpec& spec);

}  // namespace atc::kernels
