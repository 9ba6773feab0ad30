#include <cassert>

#include "parsers/tensorflow/convert.h"
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {
namespace {

using Register = void (*)(ConverterRegistry&);

// Sorted; the order has no meaning.
constexpr Register kFamilies[] = {
    RegisterActivationConverters,
    RegisterArgConverters,
    RegisterAscendOperatorsConverters,
    RegisterCastConverters,
    RegisterComplexNumbersConverters,
    RegisterConcatSplitConverters,
    RegisterConstantConverters,
    RegisterControlFlowConverters,
    RegisterConvolutionConverters,
    RegisterDetectionConverters,
    RegisterElementwiseConverters,
    RegisterFusedConverters,
    RegisterGatherScatterConverters,
    RegisterImageConverters,
    RegisterLookupTableConverters,
    RegisterMatMulConverters,
    RegisterNormalizationConverters,
    RegisterPadConverters,
    RegisterPoolingConverters,
    RegisterQuantizationConverters,
    RegisterRandomConverters,
    RegisterRecurrentConverters,
    RegisterReductionConverters,
    RegisterScopeOperatorsConverters,
    RegisterSelectionConverters,
    RegisterShapeConverters,
    RegisterSliceConverters,
    RegisterSparseTextConverters,
    RegisterTensorListConverters,
    RegisterTrainingConverters,
    RegisterVariableUpdateConverters,
};

}  // namespace

const ConverterRegistry& ConverterRegistry::Get() {
  static const ConverterRegistry* registry = [] {
    auto* all = new ConverterRegistry;
    for (const Register add : kFamilies) add(*all);
    return all;
  }();
  return *registry;
}

void ConverterRegistry::Add(std::string_view op, Converter converter) {
  [[maybe_unused]] const bool added = converters_.emplace(std::string(op), std::move(converter)).second;
  assert(added && "a converter is registered twice");
}

void ConverterRegistry::AddPass(std::string_view op, Name ascend_type, size_t num_outputs) {
  Add(op, [ascend_type, num_outputs](NodeContext& ctx) { ctx.Pass(ascend_type, num_outputs); });
}

void ConverterRegistry::AddPassWithAttrs(std::string_view op, Name ascend_type, size_t num_outputs) {
  Add(op, [ascend_type, num_outputs](NodeContext& ctx) { ctx.PassWithAttrs(ascend_type, num_outputs); });
}

void ConverterRegistry::AddKeep(std::string_view op, size_t num_outputs) {
  Add(op, [num_outputs](NodeContext& ctx) { ctx.Keep(num_outputs); });
}

void ConverterRegistry::AddComplex(std::string_view op, Converter converter) {
  [[maybe_unused]] const bool added = of_complex_.emplace(std::string(op), std::move(converter)).second;
  assert(added && "a converter is registered twice");
}

const Converter* ConverterRegistry::Find(std::string_view op) const {
  const auto it = converters_.find(op);
  return it == converters_.end() ? nullptr : &it->second;
}

const Converter* ConverterRegistry::FindFor(const NodeContext& node) const {
  for (const char* attr : {"T", "SrcT", "DstT"}) {
    const DataType dtype = node.Type(attr);
    if (dtype != DT_COMPLEX64 && dtype != DT_COMPLEX128) continue;
    if (const auto it = of_complex_.find(node.op()); it != of_complex_.end()) return &it->second;
  }
  return Find(node.op());
}

}  // namespace atc::tf_parser
