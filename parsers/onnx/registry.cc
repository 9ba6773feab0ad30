#include "parsers/onnx/convert.h"
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {
namespace {

using Register = void (*)(ConverterRegistry&);

// Sorted; the order has no meaning.
constexpr Register kFamilies[] = {
    RegisterActivationConverters,
    RegisterArgConverters,
    RegisterAttentionConverters,
    RegisterCastConverters,
    RegisterCompareConverters,
    RegisterConcatSplitConverters,
    RegisterConstantConverters,
    RegisterContribConverters,
    RegisterContribEmbeddingConverters,
    RegisterContribQuantizationConverters,
    RegisterControlFlowConverters,
    RegisterConvolutionConverters,
    RegisterDetectionConverters,
    RegisterElementwiseBinaryConverters,
    RegisterElementwiseUnaryConverters,
    RegisterExpandConverters,
    RegisterGatherScatterConverters,
    RegisterGradientConverters,
    RegisterMatMulConverters,
    RegisterMlConverters,
    RegisterNormalizationConverters,
    RegisterPadConverters,
    RegisterPoolingConverters,
    RegisterQuantizationConverters,
    RegisterRandomConverters,
    RegisterRecurrentConverters,
    RegisterReductionConverters,
    RegisterResizeConverters,
    RegisterSelectionConverters,
    RegisterSequenceConverters,
    RegisterShapeConverters,
    RegisterSignalConverters,
    RegisterSliceConverters,
    RegisterSoftmaxConverters,
    RegisterStringsConverters,
    RegisterStructureConverters,
    RegisterTrainingConverters,
    RegisterTransposeConverters,
};

std::string_view FullDomain(std::string_view domain) { return domain.empty() ? "ai.onnx" : domain; }

}  // namespace

const ConverterRegistry& ConverterRegistry::Get() {
  static const ConverterRegistry* registry = [] {
    auto* all = new ConverterRegistry;
    for (const Register add : kFamilies) add(*all);
    return all;
  }();
  return *registry;
}

void ConverterRegistry::Add(std::string_view op_type, int since, Converter converter, std::string_view domain) {
  auto& versions = converters_[{std::string(FullDomain(domain)), std::string(op_type)}];
  [[maybe_unused]] const bool added = versions.emplace(since, std::move(converter)).second;
  assert(added && "a converter is registered twice");
}

void ConverterRegistry::AddPass(std::string_view op_type, int since, Name ascend_type) {
  Add(op_type, since, [ascend_type](NodeContext& ctx) { ctx.CopyAttrs(ctx.Pass(ascend_type)); });
  ascend_names_[{"ai.onnx", std::string(op_type)}].push_back(ascend_type.str());
}

void ConverterRegistry::AddKeep(std::string_view op_type, int since, std::string_view domain) {
  Add(op_type, since, [](NodeContext& ctx) { ctx.Keep(); }, domain);
  ascend_names_[{std::string(FullDomain(domain)), std::string(op_type)}].push_back("onnx::" + std::string(op_type));
}

const Converter* ConverterRegistry::Find(std::string_view op_type, int opset, std::string_view domain) const {
  const auto versions = converters_.find({std::string(FullDomain(domain)), std::string(op_type)});
  if (versions == converters_.end()) return nullptr;
  const auto newer = versions->second.upper_bound(opset);
  return newer == versions->second.begin() ? nullptr : &std::prev(newer)->second;
}

std::vector<std::string> ConverterRegistry::AscendNames(std::string_view op_type, std::string_view domain) const {
  const auto found = ascend_names_.find({std::string(FullDomain(domain)), std::string(op_type)});
  return found == ascend_names_.end() ? std::vector<std::string>() : found->second;
}

std::vector<std::pair<std::string, std::string>> ConverterRegistry::Operators() const {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& [key, versions] : converters_) all.push_back(key);
  return all;
}

}  // namespace atc::onnx_parser
