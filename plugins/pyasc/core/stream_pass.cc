#include "plugins/pyasc/core/stream_pass.h"

#include <pybind11/stl.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "register/register_custom_pass.h"

namespace py = pybind11;

namespace atc::python {
namespace {

std::string Text(const ge::AscendString& text) { return {text.GetString(), text.GetLength()}; }

// What a pass sees of one node; valid during the pass.
class PassNode {
 public:
  explicit PassNode(const ge::GNode& node) : node_(node) {}

  std::string name() const { return Read(&ge::GNode::GetName); }
  std::string type() const { return Read(&ge::GNode::GetType); }
  std::vector<PassNode> inputs() const {
    std::vector<PassNode> nodes;
    for (size_t i = 0; i < node_.GetInputsSize(); ++i) {
      const auto [from, port] = node_.GetInDataNodesAndPortIndexs(static_cast<int32_t>(i));
      if (from) nodes.emplace_back(*from);
    }
    return nodes;
  }
  std::vector<PassNode> outputs() const {
    std::vector<PassNode> nodes;
    for (size_t i = 0; i < node_.GetOutputsSize(); ++i) {
      for (const auto& [to, port] : node_.GetOutDataNodesAndPortIndexs(static_cast<int32_t>(i)))
        nodes.emplace_back(*to);
    }
    return nodes;
  }
  const ge::GNode& node() const { return node_; }

 private:
  std::string Read(ge::graphStatus (ge::GNode::*read)(ge::AscendString&) const) const {
    ge::AscendString text;
    if ((node_.*read)(text) != ge::GRAPH_SUCCESS) {
      throw std::runtime_error("the stream pass that this node belongs to has ended");
    }
    return Text(text);
  }

  ge::GNode node_;
};

// The context of a running pass. Kept beyond its pass it answers every call with an error.
class StreamContext {
 public:
  StreamContext(const ge::ConstGraphPtr& graph, ge::StreamPassContext* context) : graph_(graph), context_(context) {}
  void Close() { context_ = nullptr; }

  std::vector<PassNode> nodes() const {
    Open();
    std::vector<PassNode> nodes;
    for (const ge::GNode& node : graph_->GetDirectNode()) nodes.emplace_back(node);
    return nodes;
  }
  int64_t StreamOf(const PassNode& node) const { return Open().GetStreamId(node.node()); }
  void SetStream(const PassNode& node, int64_t stream) {
    if (Open().SetStreamId(node.node(), stream) == ge::GRAPH_SUCCESS) return;
    throw py::value_error("stream " + std::to_string(stream) + " cannot be given to '" + node.name() +
                          "': streams 0 to " + std::to_string(context_->GetCurrMaxStreamId()) +
                          " are there; new_stream() makes another");
  }
  int64_t NewStream() { return Open().AllocateNextStreamId(); }
  int64_t MaxStream() const { return Open().GetCurrMaxStreamId(); }
  py::object Option(const std::string& key) const {
    ge::AscendString value;
    if (Open().GetOptionValue(key.c_str(), value) != ge::GRAPH_SUCCESS) return py::none();
    return py::str(Text(value));
  }

 private:
  ge::StreamPassContext& Open() const {
    if (context_ == nullptr) throw std::runtime_error("the stream pass that this context belongs to has ended");
    return *context_;
  }

  ge::ConstGraphPtr graph_;
  ge::StreamPassContext* context_;
};

// The function as Python holds it. Registrations live as long as the process, longer than the interpreter.
struct Function {
  PyObject* callable;  // nullptr once removed

  void Remove() {
    PyObject* removed = std::exchange(callable, nullptr);
    Py_XDECREF(removed);
  }
};

ge::Status Run(const std::shared_ptr<Function>& function, const ge::ConstGraphPtr& graph,
               ge::StreamPassContext& context) {
  const py::gil_scoped_acquire acquire;
  if (function->callable == nullptr) return ge::SUCCESS;
  const auto callable = py::reinterpret_borrow<py::object>(function->callable);
  const auto open = std::make_shared<StreamContext>(graph, &context);
  try {
    callable(open);
    open->Close();
    return ge::SUCCESS;
  } catch (py::error_already_set& error) {
    open->Close();
    context.SetErrorMessage(error.what());
    return ge::FAILED;
  }
}

}  // namespace

void BindStreamPasses(py::module_& module) {
  py::class_<PassNode>(module, "PassNode", "A node as a stream pass sees it.")
      .def_property_readonly("name", &PassNode::name)
      .def_property_readonly("type", &PassNode::type, "Its AscendIR operator.")
      .def_property_readonly("inputs", &PassNode::inputs, "The nodes that it reads, in order.")
      .def_property_readonly("outputs", &PassNode::outputs, "The nodes that read it.")
      .def("__repr__", [](const PassNode& node) { return "<" + node.type() + " '" + node.name() + "'>"; });
  py::class_<StreamContext, std::shared_ptr<StreamContext>>(module, "StreamContext",
                                                            "What a stream pass may read and change.")
      .def_property_readonly("nodes", &StreamContext::nodes, "All nodes, in topological order.")
      .def("stream_of", &StreamContext::StreamOf, py::arg("node"), "Its stream, -1 where it has none.")
      .def("set_stream", &StreamContext::SetStream, py::arg("node"), py::arg("stream"),
           "Moves a node. Raises ValueError for a stream that is not there.")
      .def("new_stream", &StreamContext::NewStream, "Makes one stream more and returns its number.")
      .def_property_readonly("max_stream", &StreamContext::MaxStream, "The largest number in use.")
      .def("option", &StreamContext::Option, py::arg("key"), "An option by GE's key, or None.");
  py::class_<Function, std::shared_ptr<Function>>(module, "Registration").def("remove", &Function::Remove);
  module.def(
      "register_stream_pass",
      [](const std::string& name, py::function callable) {
        const auto function = std::make_shared<Function>(Function{callable.release().ptr()});
        ge::PassRegistrationData data(name.c_str());
        data.CustomAllocateStreamPassFn([function](const ge::ConstGraphPtr& graph, ge::StreamPassContext& context) {
          return Run(function, graph, context);
        });
        const ge::PassReceiver receiver(data);
        return function;
      },
      py::arg("name"), py::arg("function"));
}

}  // namespace atc::python
