// Messages of the compiler as Python objects.
#pragma once

#include <pybind11/pybind11.h>

#include "compiler/ir/error.h"

namespace atc::python {

// How a message names flags: as arguments of atc, or as the keywords that calls of pyasc take ("precision_mode").
enum class FlagStyle { kArguments, kKeywords };

// {"severity", "code", "arguments": {...}, "context": [innermost first], "text", "cure"}
pybind11::dict ToDict(const Diagnostic& diagnostic, FlagStyle style);

// Makes pyasc.Error the Python face of atc::Error. `error_class` takes one argument, the dict of the message.
void SetErrorClass(pybind11::object error_class);
void RegisterErrors();

}  // namespace atc::python
