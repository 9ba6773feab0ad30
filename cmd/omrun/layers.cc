#include "cmd/omrun/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace atc::omrun {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> Parts(const std::string& text) {
  std::vector<std::string> parts;
  size_t at = 0;
  while (!text.empty() && at <= text.size()) {
    const size_t end = std::min(text.find(';', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::string Part(const std::vector<std::string>& parts, size_t i) { return i < parts.size() ? parts[i] : ""; }

// "FLOAT[1,3,8,8] NCHW, FLOAT[4,3,3,3] NCHW"
std::string PortsText(const std::string& shapes, const std::string& types, const std::string& formats) {
  const std::vector<std::string> shape = Parts(shapes), type = Parts(types), format = Parts(formats);
  std::string text;
  for (size_t i = 0; i < type.size(); ++i) {
    text += fmt::format("{}{}[{}] {}", i ? ", " : "", type[i], Part(shape, i), Part(format, i));
  }
  return text;
}

Json PortsJson(const std::string& shapes, const std::string& types, const std::string& formats) {
  const std::vector<std::string> shape = Parts(shapes), type = Parts(types), format = Parts(formats);
  Json list = Json::array();
  for (size_t i = 0; i < type.size(); ++i) {
    list.push_back({{"dtype", type[i]}, {"shape", Part(shape, i)}, {"format", Part(format, i)}});
  }
  return list;
}

}  // namespace

std::vector<Layer> ListLayers(Model& model, const SlotOptions& options, const std::vector<Tensor>& inputs) {
  Slot slot(model, options);
  slot.SetInputs(inputs);
  model.BeginProfile();
  try {
    slot.Launch();
    slot.Finish();
  } catch (...) {
    model.EndProfile();
    throw;
  }
  const Backend& acl = model.device().acl();
  std::vector<Layer> layers;
  for (profile::TaskTime& task : model.EndProfile().tasks) {
    const char* kernel = task.kind == profile::TaskKind::kKernel && acl.kernel_name ? acl.kernel_name(task.type.c_str()) : "";
    layers.push_back({std::move(task), kernel ? kernel : ""});
  }
  // By stream and within it as it ran: which of two streams was first in this run says nothing.
  std::stable_sort(layers.begin(), layers.end(), [](const Layer& a, const Layer& b) { return a.task.stream < b.task.stream; });
  return layers;
}

std::string LayerTable(const std::vector<Layer>& layers) {
  std::string text = fmt::format("{:>6} {:>5}  {:<16} {:<24} {}\n", "stream", "task", "unit", "type", "name: inputs -> outputs");
  for (const Layer& layer : layers) {
    const profile::TaskTime& task = layer.task;
    const std::string type = task.kind == profile::TaskKind::kKernel ? task.type : fmt::format("event {}", task.event);
    text += fmt::format("{:>6} {:>5}  {:<16} {:<24} {}", task.stream, task.task, task.task_type, type, task.name);
    if (task.kind == profile::TaskKind::kKernel) {
      text += ": " + PortsText(task.input_shapes, task.input_types, task.input_formats) + " -> " +
              PortsText(task.output_shapes, task.output_types, task.output_formats);
    }
    text += "\n";
  }
  return text;
}

std::string LayerJson(const std::vector<Layer>& layers) {
  Json list = Json::array();
  for (const Layer& layer : layers) {
    const profile::TaskTime& task = layer.task;
    list.push_back({{"name", task.name},
                    {"type", task.type},
                    {"taskType", task.task_type},
                    {"stream", task.stream},
                    {"task", task.task},
                    {"event", task.event < 0 ? Json() : Json(task.event)},
                    {"inputs", PortsJson(task.input_shapes, task.input_types, task.input_formats)},
                    {"outputs", PortsJson(task.output_shapes, task.output_types, task.output_formats)},
                    {"kernel", layer.kernel.empty() ? Json() : Json(layer.kernel)}});
  }
  return Json{{"layers", std::move(list)}}.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace atc::omrun
