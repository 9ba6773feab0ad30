// The flags of atc, and the converter itself, in process.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "compiler/ir/options.h"

namespace atc::python {

// The compile options that these flags mean; flags that belong to files are not to be given. Raises Error as atc does.
CompileOptions OptionsOf(const std::vector<std::string>& flags);

// Adds run_atc(arguments) -> (exit code, console text, [diagnostics]).
void BindConverter(pybind11::module_& module);

}  // namespace atc::python
