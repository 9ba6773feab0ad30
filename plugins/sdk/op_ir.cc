#include "plugins/sdk/op_ir.h"

#include <map>
#include <memory>
#include <mutex>

#include "graph/operator_factory.h"
#include "plugins/sdk/convert.h"

namespace ge {
namespace {

// Never destroyed: nodes point to definitions, and creators are code of libraries.
struct Declared {
  std::mutex mutex;
  std::map<std::string, OpCreatorV2> creators;                      // by type
  std::map<std::string, std::unique_ptr<atc::OpDef>> definitions;   // by type and ports
};

Declared& All() {
  static Declared* all = new Declared;
  return *all;
}

atc::IoKind KindOf(IrPortKind kind) {
  switch (kind) {
    case IrPortKind::kOptional: return atc::IoKind::kOptional;
    case IrPortKind::kDynamic: return atc::IoKind::kDynamic;
    case IrPortKind::kRequired: break;
  }
  return atc::IoKind::kRequired;
}

const atc::OpDef* Made(const OperatorDescription& op) {
  std::string key = op.type.GetString();
  const auto describe = [&key](const std::vector<OperatorDescription::Port>& ports) {
    for (const auto& port : ports) {
      key += std::string(" ") + port.name.GetString() + "/" + std::to_string(static_cast<int>(port.kind));
    }
    key += " ->";
  };
  describe(op.input_ports);
  describe(op.output_ports);
  const std::lock_guard<std::mutex> lock(All().mutex);
  std::unique_ptr<atc::OpDef>& slot = All().definitions[key];
  if (slot) return slot.get();
  slot = std::make_unique<atc::OpDef>(atc::Name(op.type.GetString()));
  for (const auto& port : op.input_ports) {
    slot->inputs.push_back({atc::Name(port.name.GetString()), KindOf(port.kind), false});
  }
  for (const auto& port : op.output_ports) {
    slot->outputs.push_back({atc::Name(port.name.GetString()), KindOf(port.kind), false});
  }
  for (const auto& attr : op.declared_attrs) {
    std::optional<atc::AttrValue> fallback = attr.required ? std::nullopt : ToInternal(attr.fallback);
    if (fallback) slot->Attr(atc::Name(attr.name.GetString()), std::move(*fallback));
  }
  return slot.get();
}

OpCreatorV2 CreatorOf(const std::string& type) {
  const std::lock_guard<std::mutex> lock(All().mutex);
  const auto found = All().creators.find(type);
  return found == All().creators.end() ? OpCreatorV2() : found->second;
}

// `optional` tells whether an optional port is there.
template <typename F>
std::vector<AscendString> Ports(const std::vector<atc::IoDef>& defs, const std::map<AscendString, uint32_t>& dynamic,
                                F&& optional) {
  std::vector<AscendString> ports;
  size_t used = 0;
  for (const atc::IoDef& def : defs) {
    const AscendString name(def.name.str().c_str());
    if (def.kind == atc::IoKind::kDynamic) {
      const auto given = dynamic.find(name);
      for (uint32_t i = 0; given != dynamic.end() && i < given->second; ++i) {
        ports.emplace_back((def.name.str() + std::to_string(i)).c_str());
      }
      used = ports.size();
    } else {
      ports.push_back(name);
      if (def.kind == atc::IoKind::kRequired || optional(name)) used = ports.size();
    }
  }
  ports.resize(used);
  return ports;
}

}  // namespace

const atc::OpDef* DefinitionOf(const OperatorDescription& op) {
  if (const atc::OpDef* known = atc::OpRegistry::Get().Find(atc::Name(op.type.GetString()))) return known;
  if (!op.input_ports.empty() || !op.output_ports.empty()) return Made(op);
  const OpCreatorV2 creator = CreatorOf(op.type.GetString());
  return creator ? Made(*creator(op.name).description()) : nullptr;
}

std::vector<AscendString> InputPortsOf(const OperatorDescription& op, const atc::OpDef& def) {
  return Ports(def.inputs, op.dynamic_inputs, [](const AscendString&) { return true; });
}

std::vector<AscendString> OutputPortsOf(const OperatorDescription& op, const atc::OpDef& def) {
  return Ports(def.outputs, op.dynamic_outputs, [&](const AscendString& name) { return op.outputs.count(name) > 0; });
}

OperatorCreatorRegister::OperatorCreatorRegister(const char_t* type, const OpCreatorV2& creator) {
  const std::lock_guard<std::mutex> lock(All().mutex);
  All().creators.emplace(type, creator);
}

Operator OperatorFactory::CreateOperator(const char_t* name, const char_t* type) {
  const OpCreatorV2 creator = type == nullptr ? OpCreatorV2() : CreatorOf(type);
  return creator ? creator(AscendString(name)) : Operator(name, type);
}

bool OperatorFactory::IsExistOp(const char_t* type) {
  return type != nullptr && (atc::OpRegistry::Get().Find(atc::Name(type)) != nullptr || CreatorOf(type));
}

graphStatus OperatorFactory::GetOpsTypeList(std::vector<AscendString>& types) {
  std::map<std::string, bool> all;
  for (const atc::OpDef* def : atc::OpRegistry::Get().All()) all[def->type.str()] = true;
  {
    const std::lock_guard<std::mutex> lock(All().mutex);
    for (const auto& [type, creator] : All().creators) all[type] = true;
  }
  types.clear();
  for (const auto& [type, known] : all) types.emplace_back(type.c_str());
  return GRAPH_SUCCESS;
}

}  // namespace ge
