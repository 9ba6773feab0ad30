// Shapes on the command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cmd/omrun/signature.h"

namespace atc::omrun {

// Gives every argument an input: the named ones first, the others fill up in order. Throws RunError.
std::vector<std::optional<std::string>> Distribute(const std::vector<std::string>& arguments,
                                                   const std::vector<TensorInfo>& inputs, const char* flag);

// Of each input the dims that --shape gives: "x=1,3,224,224", "1,3", or several inputs in one argument as other runners
// write them, "x:1,3;y:4" and "x:1x3,y:4". Throws RunError where they are no dims or do not fit the model.
std::vector<std::optional<Dims>> ParseShapes(const std::vector<std::string>& arguments,
                                             const std::vector<TensorInfo>& inputs);

struct ShapeCombination {
  std::string name;  // "1_3_200_224", of several inputs joined by "__"
  std::vector<std::optional<Dims>> dims;  // by input
};

// All combinations of "x:1,3,200~202,224-448;y:1~2": a~b is every number from a to b, a-b-c are these. The last dim goes
// fastest. Throws RunError, also for more than 10,000 of them.
std::vector<ShapeCombination> ParseShapeRange(const std::string& text, const std::vector<TensorInfo>& inputs);

}  // namespace atc::omrun
