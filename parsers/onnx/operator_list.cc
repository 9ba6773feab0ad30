#include "parsers/onnx/operator_list.h"

#include <algorithm>
#include <set>

#include "compiler/ir/source_mapping.h"
#include "parsers/onnx/ascend_names.h"
#include "parsers/onnx/convert.h"
#include "parsers/onnx/signature.h"

namespace atc {
namespace {

using namespace onnx_parser;

ListedOperator BuiltIn(const std::string& domain, const std::string& type) {
  ListedOperator listed{domain, type, {}, {}, {}, ""};
  std::set<std::string> types, names;
  for (const Signature& version : SignatureTable::Get().Versions(type, domain)) {
    listed.versions.push_back(version.since);
    const std::vector<SignaturePort>& ports = version.inputs.empty() ? version.outputs : version.inputs;
    if (!ports.empty()) types.insert(ports[0].types.names.begin(), ports[0].types.names.end());
  }
  listed.types.assign(types.begin(), types.end());
  for (const std::string& name : ConverterRegistry::Get().AscendNames(type, domain)) names.insert(name);
  // Of operators of one name the table tells the domain.
  const std::vector<std::string> own = AscendNamesOf(domain + "::" + type);
  for (const std::string& name : own.empty() ? AscendNamesOf(type) : own) names.insert(name);
  listed.becomes.assign(names.begin(), names.end());
  return listed;
}

void AddCustom(std::vector<ListedOperator>* all) {
  for (const SourceMapping* mapping : SourceMappings::Get().All()) {
    if (mapping->framework != "onnx") continue;
    const auto same = [&](const ListedOperator& listed) {
      return listed.domain == mapping->domain && listed.type == mapping->source_type;
    };
    auto it = std::find_if(all->begin(), all->end(), same);
    if (it == all->end()) {
      all->push_back({mapping->domain, mapping->source_type, {}, {}, {}, mapping->library});
      it = std::prev(all->end());
    }
    it->versions.push_back(mapping->since);
    std::sort(it->versions.begin(), it->versions.end());
    if (std::find(it->becomes.begin(), it->becomes.end(), mapping->type.str()) == it->becomes.end()) {
      it->becomes.push_back(mapping->type.str());
    }
  }
}

}  // namespace

std::vector<ListedOperator> ListOnnxOperators() {
  std::vector<ListedOperator> all;
  for (const auto& [domain, type] : ConverterRegistry::Get().Operators()) all.push_back(BuiltIn(domain, type));
  AddCustom(&all);
  std::sort(all.begin(), all.end(), [](const ListedOperator& a, const ListedOperator& b) {
    return std::tie(a.domain, a.type) < std::tie(b.domain, b.type);
  });
  return all;
}

}  // namespace atc
