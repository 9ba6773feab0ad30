// The extension module pyasc._core: thin; what users see is in plugins/pyasc/pyasc.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "compiler/inspect.h"
#include "plugins/pyasc/core/compilation.h"
#include "plugins/pyasc/core/converter.h"
#include "plugins/pyasc/core/definitions.h"
#include "plugins/pyasc/core/device_model.h"
#include "plugins/pyasc/core/diagnostics.h"
#include "plugins/pyasc/core/graph_builder.h"
#include "plugins/pyasc/core/graph_view.h"
#include "plugins/pyasc/core/stream_pass.h"

namespace py = pybind11;

namespace atc::python {
namespace {

py::dict SummaryOf(const std::string& path) {
  const OmSummary summary = ReadOmSummary(path);
  py::dict dict;
  dict["atc_cmdline"] = summary.atc_cmdline;
  dict["atc_version"] = summary.atc_version;
  dict["soc_version"] = summary.soc_version;
  dict["framework_type"] = summary.framework_type;
  dict["memory_size"] = summary.memory_size;
  dict["weight_size"] = summary.weight_size;
  dict["stream_num"] = summary.stream_num;
  dict["event_num"] = summary.event_num;
  return dict;
}

std::string OmAsJson(const std::string& path) {
  StringSink text;
  WriteOmJson(path, text);
  return std::move(text.text);
}

void BindGraphs(py::module_& module) {
  py::class_<CompileOptions>(module, "Options");
  module.def("options", &OptionsOf, py::arg("flags"),
             "Compile options of atc flags (\"--precision_mode=origin\"), checked as atc checks them.");
  py::class_<ValueInfo>(module, "ValueInfo")
      .def_readonly("dtype", &ValueInfo::dtype)
      .def_readonly("shape", &ValueInfo::shape)
      .def_readonly("format", &ValueInfo::format)
      .def_readonly("node", &ValueInfo::node)
      .def_readonly("index", &ValueInfo::index);
  py::class_<GraphBuilder>(module, "GraphBuilder")
      .def(py::init<const std::string&>(), py::arg("name"))
      .def_static("from_onnx", &GraphBuilder::FromOnnx, py::arg("path"), py::arg("options"))
      .def_static("from_tensorflow", &GraphBuilder::FromTensorFlow, py::arg("path"), py::arg("options"))
      .def("input", &GraphBuilder::Input, py::arg("name"), py::arg("dtype"), py::arg("shape"))
      .def("constant", &GraphBuilder::Constant, py::arg("bytes"), py::arg("dtype"), py::arg("shape"), py::arg("name"))
      .def("add", &GraphBuilder::Add, py::arg("type"), py::arg("inputs"), py::arg("attributes"), py::arg("name"),
           py::arg("num_outputs"), py::arg("kinds"))
      .def("describe", &GraphBuilder::Describe, py::arg("value"))
      .def("inputs", &GraphBuilder::Inputs)
      .def("outputs", &GraphBuilder::Outputs)
      .def_property_readonly("num_nodes", &GraphBuilder::NumNodes);
  py::class_<NodeSettings>(module, "NodeSettings")
      .def(py::init<std::vector<std::pair<std::string, std::vector<std::string>>>,
                    std::vector<std::pair<std::string, std::string>>>(),
           py::arg("disabled_passes"), py::arg("formats"));
  py::class_<StageRecord>(module, "StageRecord")
      .def_readonly("name", &StageRecord::name)
      .def_readonly("num_nodes", &StageRecord::num_nodes)
      .def_readonly("nodes", &StageRecord::nodes)
      .def_readonly("texts", &StageRecord::texts);
  py::class_<Capture>(module, "Capture")
      .def(py::init<std::vector<std::string>, bool, std::vector<std::string>>(),
           py::arg("stages") = std::vector<std::string>(), py::arg("nodes") = false,
           py::arg("forms") = std::vector<std::string>());
  py::class_<Compilation>(module, "Compilation")
      .def(py::init<const GraphBuilder&, const std::vector<std::pair<std::string, std::vector<int64_t>>>&,
                    const std::vector<std::pair<ValueId, std::string>>&, const CompileOptions&, const std::string&,
                    const Capture&, const NodeSettings&>(),
           py::arg("builder"), py::arg("shapes"), py::arg("outputs"), py::arg("options"), py::arg("dump_path"),
           py::arg("capture"), py::arg("settings"))
      .def_property_readonly("om", [](const Compilation& c) { return py::bytes(c.om()); })
      .def_property_readonly("numbers", &Compilation::Numbers)
      .def_property_readonly("nodes", &Compilation::Nodes)
      .def_property_readonly("journal", &Compilation::Journal)
      .def_property_readonly("counts", &Compilation::Counts)
      .def_property_readonly("warnings", &Compilation::Warnings)
      .def_property_readonly("stages", &Compilation::stages)
      .def_property_readonly("plugins", &Compilation::plugins);
}

void BindDevice(py::module_& module) {
  py::register_exception<UnloadedError>(module, "UnloadedError", PyExc_RuntimeError);
  py::class_<PortInfo>(module, "PortInfo")
      .def_readonly("name", &PortInfo::name)
      .def_readonly("dtype", &PortInfo::dtype)
      .def_readonly("dims", &PortInfo::dims);
  py::class_<DeviceModel>(module, "DeviceModel")
      .def(py::init([](const Compilation& compilation, int device) {
             return std::make_unique<DeviceModel>(compilation.om(), device);
           }),
           py::arg("compilation"), py::arg("device"))
      .def_static("from_file", &DeviceModel::FromFile, py::arg("path"), py::arg("device"))
      .def("unload", &DeviceModel::Unload)
      .def_property_readonly("inputs", &DeviceModel::inputs)
      .def_property_readonly("outputs", &DeviceModel::outputs)
      .def("run", &DeviceModel::Run, py::arg("arrays"), py::arg("dtypes"));
  module.def(
      "empty",
      [](const std::vector<py::ssize_t>& shape, const py::dtype& dtype, size_t item_bytes, int device) {
        size_t bytes = item_bytes;
        for (const py::ssize_t dim : shape) bytes *= static_cast<size_t>(dim);
        return MakeArray(dtype, item_bytes, shape, DeviceBuffer(device, bytes));
      },
      py::arg("shape"), py::arg("dtype"), py::arg("item_bytes"), py::arg("device"));
  module.def("device_bytes", &DeviceBytes, "Bytes of device memory that arrays and staging buffers hold.");
  module.def("shutdown", &Shutdown);
  module.def("forked", &Forked, "In the child of a fork: the parent's device is out of reach.");
}

}  // namespace
}  // namespace atc::python

PYBIND11_MODULE(_core, module) {
  using namespace atc::python;
  RegisterErrors();
  module.def("set_error_class", &SetErrorClass);
  module.def("definitions", &Definitions);
  module.def("stage_names", [] {
    std::vector<std::string> names;
    for (const std::string_view name : atc::StageNames()) names.emplace_back(name);
    return names;
  });
  module.def("pass_names", [] {
    std::vector<std::string> names;
    for (const atc::PassInfo& pass : atc::KnownPasses()) names.emplace_back(pass.name);
    return names;
  });
  module.def("dtype_name", [](int dtype) { return std::string(atc::DataTypeName(static_cast<atc::DataType>(dtype))); });
  module.def("version", [] { return std::string(OPENATC_VERSION); });
  module.def("summary", &SummaryOf, py::arg("path"));
  module.def("om_json", &OmAsJson, py::arg("path"));
  BindGraphs(module);
  BindDevice(module);
  BindStreamPasses(module);
  BindConverter(module);
}
