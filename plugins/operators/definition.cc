#include "plugins/operators/definition.h"

#include <set>

#include "compiler/ir/error.h"
#include "plugins/operators/calls.h"
#include "plugins/sdk/convert.h"

namespace atc {
namespace {

using Custom = ge::CustomOperator;

constexpr IoKind kKinds[] = {IoKind::kRequired, IoKind::kOptional, IoKind::kDynamic};  // by ge::CustomOperator::PortKind

std::string FaultOfPorts(const std::vector<Custom::Port>& ports, const std::string& what) {
  std::set<std::string> names;
  for (size_t i = 0; i < ports.size(); ++i) {
    const std::string name = ports[i].name.GetString();
    if (name.empty()) return what + " " + std::to_string(i) + " has no name";
    if (!names.insert(name).second) return "two of its " + what + "s are called '" + name + "'";
    if (ports[i].kind == Custom::kDynamic && i + 1 < ports.size()) {
      return "its dynamic " + what + " '" + name + "' is not the last one";
    }
  }
  return "";
}

std::vector<IoDef> Ports(const std::vector<Custom::Port>& ports) {
  std::vector<IoDef> all;
  for (const Custom::Port& port : ports) all.push_back({Name(port.name.GetString()), kKinds[port.kind], false});
  return all;
}

uint32_t TraitsOf(ge::OperatorPrecision precision) {
  switch (precision) {
    case ge::OperatorPrecision::kFloatInside: return kWidenHalf;
    case ge::OperatorPrecision::kHalfToo: return kHalfNative;
    case ge::OperatorPrecision::kAsModel: break;
  }
  return 0;
}

ge::Operator PublicNode(const AttrMap& attrs, const std::string& type) {
  ge::Operator node("", type.c_str());
  for (const auto& [name, value] : attrs) {
    if (std::optional<ge::AttrValue> converted = ge::ToPublic(value)) {
      node.SetAttr(ge::AscendString(name.str().c_str()), *converted);
    }
  }
  return node;
}

}  // namespace

bool DefinesOperator(const Custom::Data& custom) {
  return !custom.inputs.empty() || !custom.outputs.empty() || !custom.attributes.empty() || custom.infer ||
         custom.kernel;
}

std::string FaultOf(const Custom::Data& custom) {
  if (custom.type.GetLength() == 0) return "an operator without a type";
  std::string fault;
  if (DefinesOperator(custom)) {
    fault = FaultOfPorts(custom.inputs, "input");
    if (fault.empty()) fault = FaultOfPorts(custom.outputs, "output");
    if (fault.empty() && custom.outputs.empty()) fault = "it has no output";
    if (fault.empty() && !custom.infer) fault = "it has no inference (InferFn)";
    if (fault.empty() && !custom.kernel) fault = "it has no kernel (KernelFn)";
    for (const Custom::Attribute& attribute : custom.attributes) {
      if (fault.empty() && !ge::ToInternal(attribute.fallback)) {
        fault = std::string("its attribute '") + attribute.name.GetString() + "' is of a type that nodes cannot have";
      }
    }
  } else if (custom.sources.empty()) {
    fault = "nothing is said of it";
  }
  return fault.empty() ? "" : "the operator '" + std::string(custom.type.GetString()) + "': " + fault;
}

OpDef DefineOperator(const Custom::Data& custom, const std::string& library) {
  OpDef def{Name(custom.type.GetString())};
  def.inputs = Ports(custom.inputs);
  def.outputs = Ports(custom.outputs);
  for (const Custom::Attribute& attribute : custom.attributes) {
    def.attrs.push_back({Name(attribute.name.GetString()), attribute.required, *ge::ToInternal(attribute.fallback)});
  }
  KeepForCalls(custom, library);
  return def.Traits(TraitsOf(custom.precision)).On(Unit::kAiCpu).Infer(CallInfer).Kernel(CallKernel);
}

SourceMapping MapSource(const Custom::Source& source, Name type, const std::string& library) {
  SourceMapping mapping;
  mapping.framework = source.framework.GetString();
  mapping.domain = source.domain.GetString();
  if (mapping.domain.empty() && mapping.framework == "onnx") mapping.domain = "ai.onnx";
  mapping.source_type = source.type.GetString();
  mapping.since = source.since;
  mapping.type = type;
  mapping.library = library;
  if (!source.parse) {
    mapping.map = [](const AttrMap& attrs) { return attrs; };
    return mapping;
  }
  mapping.map = [parse = source.parse, type, library, from = mapping.source_type](const AttrMap& attrs) {
    ge::Operator target("", type.str().c_str());
    const ge::Status status =
        CallPlugin(library, [&] { return parse(PublicNode(attrs, from), target); });
    if (status != ge::SUCCESS) {
      throw Error::Internal("the parser of the plugin " + library + " failed with " + std::to_string(status));
    }
    AttrMap mapped;
    for (const auto& [name, value] : target.description()->attrs) {
      if (std::optional<AttrValue> converted = ge::ToInternal(value)) mapped.Set(name.GetString(), *converted);
    }
    return mapped;
  };
  return mapping;
}

}  // namespace atc
