#include "plugins/pyasc/core/diagnostics.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "cmd/atc/flag_table.h"
#include "compiler/ir/error_catalogue.h"

namespace py = pybind11;

namespace atc::python {
namespace {

// Never freed: the interpreter may be gone before the statics of this library.
PyObject* error_class_ = nullptr;

// Without the dashes of what are flags of atc.
std::string WithKeywords(const std::string& text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789_";
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t dashes = std::min(text.find("--", at), text.size());
    out.append(text, at, dashes - at);
    const size_t name = std::min(dashes + 2, text.size());
    const size_t end = std::min(text.find_first_not_of(kLetters, name), text.size());
    const bool flag = cli::FindFlag(std::string_view(text).substr(name, end - name)) != nullptr;
    out.append(text, flag ? name : dashes, end - (flag ? name : dashes));
    at = end;
  }
  return out;
}

}  // namespace

py::dict ToDict(const Diagnostic& diagnostic, FlagStyle style) {
  const auto styled = [style](const std::string& text) { return style == FlagStyle::kKeywords ? WithKeywords(text) : text; };
  py::dict arguments;
  for (const auto& [name, value] : diagnostic.args) arguments[py::str(name)] = styled(value);
  py::list context;
  for (const std::string& place : diagnostic.context) context.append(styled(place));
  py::dict dict;
  dict["severity"] = diagnostic.severity == Diagnostic::kError ? "error" : "warning";
  dict["code"] = diagnostic.code;
  dict["arguments"] = arguments;
  dict["context"] = context;
  dict["text"] = styled(MessageText(diagnostic));
  dict["cure"] = styled(SolutionText(diagnostic));
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
      const py::object instance = made(ToDict(error.diagnostic(), FlagStyle::kKeywords));
      PyErr_SetObject(error_class_, instance.ptr());
    }
  });
}

}  // namespace atc::python
