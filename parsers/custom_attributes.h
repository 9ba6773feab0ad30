// Attributes of nodes that plugins serve, checked against what the plugin has declared.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/source_mapping.h"

namespace atc {

struct CustomAttributes {
  std::vector<Name> unknown;  // given, but not the operator's: left out
  std::string fault;          // one of another type, or a required one that is missing; empty: all is well
};

// Sets the attributes of `node` from those of its source node as the plugin maps them; `adapt` turns a value into the
// kind of the second one where the source format has no such kind. The node notes `source` ("<domain>::<version>::<type>")
// and the file name of the library.
CustomAttributes SetCustomAttributes(
    Node& node, const SourceMapping& mapping, const AttrMap& given, const std::string& source,
    const std::function<AttrValue(const AttrValue& value, const AttrValue& wanted)>& adapt);

}  // namespace atc
