// The om's messages as a graph.
#pragma once

#include <memory>
#include <string>

#include "compiler/ir/graph.h"

namespace openatc::ge {
class ModelDef;
}

namespace atc {

// All graphs of the message, nested as their owners say, constants as windows of `weights`. Value::offset of a Const is
// its offset in the weights. Throws BadMessage for anything that is not as ToProto writes it, and Error E10501 for an
// operator without a definition.
std::unique_ptr<Graph> GraphFromProto(const openatc::ge::ModelDef& model, const Buffer& weights);

}  // namespace atc
