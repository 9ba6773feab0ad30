#include "compiler/ops/gate_activation.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "compiler/ops/math.h"

namespace atc {
namespace {

struct Entry {
  const char* name;  // lower case
  double (*function)(double, double, double);
  bool has_alpha, has_beta;
  double alpha, beta;  // defaults
};

constexpr Entry kEntries[] = {
    {"affine", [](double x, double a, double b) { return a * x + b; }, true, true, 1, 0},
    {"elu", [](double x, double a, double) { return x >= 0 ? x : a * math::Expm1(x); }, true, false, 1, 0},
    {"hardsigmoid", [](double x, double a, double b) { return std::clamp(a * x + b, 0.0, 1.0); }, true, true, 0.2, 0.5},
    {"leakyrelu", [](double x, double a, double) { return x >= 0 ? x : a * x; }, true, false, 0.01, 0},
    {"relu", [](double x, double, double) { return std::max(x, 0.0); }, false, false, 0, 0},
    {"scaledtanh", [](double x, double a, double b) { return a * math::Tanh(b * x); }, true, true, 1, 1},
    {"sigmoid", [](double x, double, double) { return 1 / (1 + math::Exp(-x)); }, false, false, 0, 0},
    {"softplus", [](double x, double, double) { return std::max(x, 0.0) + math::Log1p(math::Exp(-std::abs(x))); },
     false, false, 0, 0},
    {"softsign", [](double x, double, double) { return x / (1 + std::abs(x)); }, false, false, 0, 0},
    {"tanh", [](double x, double, double) { return math::Tanh(x); }, false, false, 0, 0},
    {"thresholdedrelu", [](double x, double a, double) { return x > a ? x : 0.0; }, true, false, 1, 0},
};

}  // namespace

std::optional<std::vector<GateActivation>> FindGateActivations(const std::vector<std::string>& names,
                                                               const std::vector<float>& alphas,
                                                               const std::vector<float>& betas, std::string* unknown) {
  std::vector<GateActivation> result;
  size_t next_alpha = 0, next_beta = 0;
  for (const std::string& name : names) {
    std::string lower = name;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const auto entry = std::find_if(std::begin(kEntries), std::end(kEntries),
                                    [&](const Entry& candidate) { return lower == candidate.name; });
    if (entry == std::end(kEntries)) {
      *unknown = name;
      return std::nullopt;
    }
    GateActivation activation{entry->function, entry->alpha, entry->beta};
    if (entry->has_alpha && next_alpha < alphas.size()) activation.alpha = static_cast<double>(alphas[next_alpha++]);
    if (entry->has_beta && next_beta < betas.size()) activation.beta = static_cast<double>(betas[next_beta++]);
    result.push_back(activation);
  }
  return result;
}

}  // namespace atc
