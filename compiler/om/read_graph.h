// The om's messages as a graph.
#pragma once

#include <memory>
#include <string>

#include "compiler/ir/graph.h"
#include "compiler/om/external_weights.h"

namespace openatc::ge {
class ModelDef;
}

namespace atc {

// All graphs of the message, nested as their owners say, constants as windows of `weights` or of files beside the om. Value::offset of a Const is
// its offset in the weights. Throws BadMessage for anything that is not as ToProto writes it, and Error E10501 for an
// operator without a definition.
std::unique_ptr<Graph> GraphFromProto(const openatc::ge::ModelDef& model, const Buffer& weights, ExternalFiles& files);

}  // namespace atc
