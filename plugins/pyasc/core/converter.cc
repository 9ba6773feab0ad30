#include "plugins/pyasc/core/converter.h"

#include <pybind11/stl.h>

#include "cmd/atc/command_line.h"
#include "cmd/atc/console.h"
#include "cmd/atc/program.h"
#include "cmd/atc/validate.h"
#include "plugins/pyasc/core/diagnostics.h"

namespace py = pybind11;

namespace atc::python {

CompileOptions OptionsOf(const std::vector<std::string>& flags) {
  Diagnostics warnings;
  return cli::CheckGraphConversion(cli::ParseCommandLine(flags), &warnings);
}

void BindConverter(py::module_& module) {
  module.def(
      "run_atc",
      [](const std::vector<std::string>& arguments) {
        std::string text;
        cli::RunOutcome outcome;
        {
          const py::gil_scoped_release release;
          cli::Console console(&text);
          outcome = cli::RunProgram(arguments, console, /*reports_to_stderr=*/false);
        }
        py::list messages;
        for (const Diagnostic& diagnostic : outcome.diagnostics) messages.append(ToDict(diagnostic, FlagStyle::kArguments));
        return py::make_tuple(outcome.status, text, messages);
      },
      py::arg("arguments"));
}

}  // namespace atc::python
