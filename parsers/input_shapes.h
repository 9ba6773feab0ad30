// --input_shape against the inputs of a model.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/options.h"

namespace atc {

struct ModelInput {
  std::string name;
  TensorDesc desc;
};

// Replaces dims by those of options.input_shapes and notes ranges. True when a dim that the model fixes was changed.
// `is_known` tells whether the model has a node or tensor of a name, input or not.
// Errors: E10016 a name that the model lacks, E10017 one that is no tensor input, E10001 too many or too few shapes given
// by position, E10049 another rank than the model's, E10050 a range that leaves out the size that the model fixes.
bool ApplyInputShapes(const CompileOptions& options, const std::function<bool(const std::string&)>& is_known,
                      std::vector<ModelInput>* inputs);

}  // namespace atc
