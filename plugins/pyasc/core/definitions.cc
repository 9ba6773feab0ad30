#include "plugins/pyasc/core/definitions.h"

#include "compiler/ir/op_def.h"
#include "plugins/operators/custom_operators.h"
#include "plugins/pyasc/core/attributes.h"

namespace py = pybind11;

namespace atc::python {
namespace {

constexpr const char* kKinds[] = {"required", "optional", "dynamic"};                              // by IoKind
constexpr const char* kUnits[] = {"vector", "cube", "aicpu", "local", "rts", "hccl", "host_cpu"};  // by Unit

py::list Ports(const std::vector<IoDef>& ports) {
  py::list list;
  for (const IoDef& port : ports) {
    list.append(py::make_tuple(port.name.str(), kKinds[static_cast<int>(port.kind)], port.keep_dtype));
  }
  return list;
}

constexpr std::pair<uint32_t, const char*> kTraits[] = {
    {kElementwise, "elementwise"}, {kShapeOnly, "shape only"}, {kStateful, "stateful"}, {kHostShape, "host shape"}};

py::list TraitsOf(const OpDef& def) {
  py::list list;
  for (const auto& [trait, name] : kTraits) {
    if (def.Is(trait)) list.append(name);
  }
  return list;
}

}  // namespace

py::list Definitions() {
  // Operators of one's own are there as any other; what keeps a file from loading is told as the runner tells it.
  for (const CustomOperatorReport::File& file : LoadCustomOperators().files) {
    if (file.why.empty()) continue;
    const std::string text = "operators of '" + file.path + "' are not there: " + file.why;
    if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) != 0) throw py::error_already_set();
  }
  py::list list;
  for (const OpDef* def : OpRegistry::Get().All()) {
    py::list attributes;
    for (const AttrDef& attr : def->attrs) {
      attributes.append(py::make_tuple(attr.name.str(), attr.required,
                                       attr.required ? py::object(py::none()) : py::str(KindName(attr.fallback)),
                                       attr.required ? py::object(py::none()) : FromAttribute(attr.fallback)));
    }
    py::dict dict;
    dict["type"] = def->type.str();
    dict["inputs"] = Ports(def->inputs);
    dict["outputs"] = Ports(def->outputs);
    dict["attributes"] = attributes;
    dict["traits"] = TraitsOf(*def);
    dict["unit"] = kUnits[static_cast<int>(def->unit)];
    list.append(dict);
  }
  return list;
}

}  // namespace atc::python
