// Graphs made of several backend cases: operators of all kinds with inputs that make sense, among nodes that passes look
// for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/tensor.h"

namespace atc::backend_cases {

// A case as parsed, with its first data set.
struct LoadedCase {
  std::string name;
  std::unique_ptr<Graph> graph;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;  // as the reference evaluation has them
};

// Throws Error, or std::exception, where the case cannot be parsed, has no data, or cannot be evaluated.
LoadedCase LoadCase(const std::string& name, const std::string& model);

struct CaseMix {
  std::unique_ptr<Graph> graph;  // without shapes, as a parser leaves it
  std::vector<Tensor> inputs;
  struct Output {
    std::string made_of;  // the case
    double quantum = 0;   // by so much a tie of a quantisation may move it
  };
  std::vector<Output> outputs;
};

// Each case stands once, twice with the same inputs (for the sake of what finds equal nodes), or in both branches of an If.
// Its inputs are constants or come through nodes that change nothing and go away; its outputs go on through elementwise
// chains, norms, movement, sums with other outputs of their shape; 8-bit cases are made of float ones by quantising their
// ends. `open`: shapes of inputs are unknown to the compiler.
CaseMix MixCases(const std::vector<LoadedCase>& cases, uint32_t seed, bool open);

// Empty, or what is not the same. Integers, bools and strings are equal; real numbers within 1e-5, 1e-3 of the value, 1e-5 of
// the largest, and the quantum.
std::string MixDifference(const CaseMix::Output& output, const Tensor& expected, const Tensor& found);

}  // namespace atc::backend_cases
