#include "plugins/pyasc/core/diagnostics.h"

#include "compiler/ir/error_catalogue.h"

namespace py = pybind11;

namespace atc::python {
namespace {

// Never freed: the interpreter may be gone before the statics of this library.
PyObject* error_class_ = nullptr;

}  // namespace

py::dict ToDict(const Diagnostic& diagnostic) {
  py::dict arguments;
  for (const auto& [name, value] : diagnostic.args) arguments[py::str(name)] = value;
  py::list context;
  for (const std::string& place : diagnostic.context) context.append(place);
  py::dict dict;
  dict["severity"] = diagnostic.severity == Diagnostic::kError ? "error" : "warning";
  dict["code"] = diagnostic.code;
  dict["arguments"] = arguments;
  dict["context"] = context;
  dict["text"] = MessageText(diagnostic);
  dict["cure"] = SolutionText(diagnostic);
  return dict;
}

void SetErrorClass(py::object error_class) { error_class_ = error_class.release().ptr(); }

void RegisterErrors() {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      if (error_class_ == nullptr) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
        return;
      }
      const py::handle made(error_class_);
      const py::object instance = made(ToDict(error.diagnostic()));
      PyErr_SetObject(error_class_, instance.ptr());
    }
  });
}

}  // namespace atc::python
