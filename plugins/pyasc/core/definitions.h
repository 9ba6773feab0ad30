// The operator definitions, for the methods that are made of them.
#pragma once

#include <pybind11/pybind11.h>

namespace atc::python {

// One dict an AscendIR operator, sorted by type: type, inputs [(name, kind)], outputs [(name, kind)], attributes
// [(name, required, kind, default)], unit. kind of a port: "required", "optional", "dynamic".
pybind11::list Definitions();

}  // namespace atc::python
