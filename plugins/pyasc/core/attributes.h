// Python values to attributes of operators, and back.
#pragma once

#include <pybind11/pybind11.h>

#include "compiler/ir/attr.h"
#include "compiler/ir/op_def.h"

namespace atc::python {

// The attribute `name` of `def` from a Python value, in the kind that the definition's default has (an int where a
// float is wanted is taken as one); where it has no default in `kind`, or as the value itself has it where that is
// empty. A tensor is given as FromAttribute gives it. Raises TypeError naming operator, attribute, the value found and
// the kind wanted, and AttributeError for an unknown attribute.
AttrValue ToAttribute(const OpDef& def, const std::string& name, pybind11::handle value, const std::string& kind);

// Tensors become (dtype number, shape, bytes), data types their number.
pybind11::object FromAttribute(const AttrValue& value);

// "int", "list of float", ...
std::string KindName(const AttrValue& value);

}  // namespace atc::python
