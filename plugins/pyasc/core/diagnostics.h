// Messages of the compiler as Python objects.
#pragma once

#include <pybind11/pybind11.h>

#include "compiler/ir/error.h"

namespace atc::python {

// {"severity", "code", "arguments": {...}, "context": [innermost first], "text", "cure"}
pybind11::dict ToDict(const Diagnostic& diagnostic);

// Makes pyasc.Error the Python face of atc::Error. `error_class` takes one argument, the dict of the message.
void SetErrorClass(pybind11::object error_class);
void RegisterErrors();

}  // namespace atc::python
