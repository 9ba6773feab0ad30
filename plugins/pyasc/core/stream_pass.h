// Stream passes written in Python, registered as those of libraries are.
#pragma once

#include <pybind11/pybind11.h>

namespace atc::python {

// Adds register_stream_pass and the class StreamContext to the module.
void BindStreamPasses(pybind11::module_& module);

}  // namespace atc::python
