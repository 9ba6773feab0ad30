// Activation functions of recurrent cells, by the names that ONNX gives them.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace atc {

struct GateActivation {
  double (*function)(double x, double alpha, double beta);
  double alpha;
  double beta;
  double operator()(double x) const { return function(x, alpha, beta); }
};

// Functions for `names` (any case), in order. Their parameters are taken from `alphas` and `betas`, one after the other
// by those functions that have them; ONNX's defaults where the lists end. Nothing when a name is unknown, which `unknown`
// then holds.
std::optional<std::vector<GateActivation>> FindGateActivations(const std::vector<std::string>& names,
                                                               const std::vector<float>& alphas,
                                                               const std::vector<float>& betas, std::string* unknown);

}  // namespace atc
