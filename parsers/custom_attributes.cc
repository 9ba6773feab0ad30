#include "parsers/custom_attributes.h"

#include <fmt/format.h>

namespace atc {
namespace {

constexpr std::string_view kKinds[] = {"an integer", "a float",           "a bool",           "a text",
                                       "a type",     "a tensor",          "a list of integers", "a list of floats",
                                       "a list of bools", "a list of texts", "a list of lists"};
static_assert(std::size(kKinds) == std::variant_size_v<AttrValue>);

}  // namespace

CustomAttributes SetCustomAttributes(
    Node& node, const SourceMapping& mapping, const AttrMap& given, const std::string& source,
    const std::function<AttrValue(const AttrValue& value, const AttrValue& wanted)>& adapt) {
  CustomAttributes result;
  for (const auto& [name, value] : mapping.map(given)) {
    const AttrDef* declared = node.def->FindAttr(name);
    if (declared == nullptr) {
      result.unknown.push_back(name);
      continue;
    }
    AttrValue adapted = adapt(value, declared->fallback);
    if (adapted.index() != declared->fallback.index()) {
      result.fault = fmt::format("attribute '{}' is {}, wanted {}", name.str(), kKinds[adapted.index()],
                                 kKinds[declared->fallback.index()]);
      return result;
    }
    node.attrs.Set(name, std::move(adapted));
  }
  for (const AttrDef& declared : node.def->attrs) {
    if (declared.required && !node.attrs.Has(declared.name)) {
      result.fault = fmt::format("attribute '{}' is missing", declared.name.str());
      return result;
    }
  }
  node.attrs.Set("_custom_operator", AttrValue(source));
  node.attrs.Set("_custom_operator_library",
                 AttrValue(mapping.library.substr(mapping.library.find_last_of('/') + 1)));
  return result;
}

}  // namespace atc
