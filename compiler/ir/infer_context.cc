#include "compiler/ir/infer_context.h"

#include <algorithm>

#include "compiler/ir/error.h"

namespace atc {

bool PartialInts::IsKnown() const {
  return std::all_of(elements.begin(), elements.end(), [](const auto& e) { return e.has_value(); });
}

InferContext::InferContext(const Node& node, std::vector<TensorDesc> inputs, std::vector<Known> known)
    : node_(node),
      inputs_(std::move(inputs)),
      known_(std::move(known)),
      outputs_(node.outputs.size()),
      ints_(node.outputs.size()) {}

std::optional<PartialInts> InferContext::Ints(size_t i) const {
  if (i >= known_.size()) return std::nullopt;
  if (const Tensor* constant = known_[i].constant) {
    if (!IsInteger(constant->dtype()) && constant->dtype() != DT_BOOL) return std::nullopt;
    PartialInts ints{constant->shape(), {}};
    for (const int64_t value : ToInts(*constant)) ints.elements.emplace_back(value);
    return ints;
  }
  if (known_[i].partial) return *known_[i].partial;
  // Not even one element is known, but their number may be.
  const Shape& shape = inputs_[i].origin_shape;
  if (!IsInteger(inputs_[i].dtype) || !shape.IsKnown() || shape.NumElements() > 64) return std::nullopt;
  return PartialInts{shape, std::vector<std::optional<int64_t>>(shape.NumElements())};
}

std::optional<std::vector<int64_t>> InferContext::KnownInts(size_t i) const {
  const std::optional<PartialInts> ints = Ints(i);
  if (!ints || !ints->IsKnown()) return std::nullopt;
  std::vector<int64_t> values;
  for (const auto& element : ints->elements) values.push_back(*element);
  return values;
}

void InferContext::SetOut(size_t i, DataType dtype, Shape shape) {
  if (i < outputs_.size()) outputs_[i] = TensorDesc(dtype, std::move(shape));
}

void InferContext::SetOut(size_t i, DataType dtype, Shape shape, Format format) {
  if (i < outputs_.size()) outputs_[i] = TensorDesc(dtype, std::move(shape), format);
}

void InferContext::SetOutLike(size_t i, const TensorDesc& desc) {
  if (i < outputs_.size()) outputs_[i] = desc;
}

void InferContext::SetInts(size_t i, PartialInts ints) {
  if (i < ints_.size()) ints_[i] = std::move(ints);
}

void InferContext::Fail(const std::string& message) const {
  Error error("E14001",
              {{"value", "The shape or an attribute"},
               {"opname", node_.name},
               {"optype", node_.type().str()},
               {"reason", message}},
              "Check that the shapes given to the inputs fit the model, then this node in the model itself.");
  error.At("node '" + node_.name + "' (" + node_.type().str() + ")");
  throw error;
}

}  // namespace atc
