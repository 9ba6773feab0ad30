// Activations x * gate(x) that exporters spell out, in whatever order their factors and summands come.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "compiler/passes/subgraph_match.h"

namespace atc {

// By the powers of x and of the gate, the factor.
using Polynomial = std::map<std::pair<int, int>, double>;

// What a polynomial in x is made of alone.
Polynomial OfX(std::initializer_list<std::pair<int, double>> factors);

// How far a constant of this type may be off what is meant: exporters write seven digits at most, half types hold fewer.
double Slack(DataType dtype);
bool Agree(const Polynomial& found, const Polynomial& wanted, double slack);

struct GateForm {
  Polynomial activation;  // what the activation is in x and the gate
  float parameter = 0;
};

// Tells of a gate (a node of the pass's types) whether it is the one of `x`. `argument` is what it is of, as a
// polynomial in x; nothing where it is none.
using GateFn = std::optional<GateForm> (*)(SubgraphMatch& match, const Node& gate, ValueId x,
                                           const std::optional<Polynomial>& argument);

// Makes every product of a gate of `gate_types` with its x one operator `type`, of the float attribute `attr` (nullptr:
// none); a constant factor that is left over stays a Mul.
bool FuseGates(Graph& graph, PassContext& context, std::span<const std::string_view> gate_types, GateFn form,
               const char* type, const char* attr = nullptr);

}  // namespace atc
