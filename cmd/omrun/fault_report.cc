#include "cmd/omrun/fault_report.h"

#include <fmt/format.h>

#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#include "cmd/omrun/output_files.h"
#include "cmd/omrun/tensor_dump.h"
#include "cmd/omrun/tensor_file.h"

namespace atc::omrun {
namespace {

using Json = nlohmann::ordered_json;

struct Fault {
  uint32_t device, stream, task, code;
};

// The callback of ACL brings no data of the caller's along.
struct Listener {
  std::mutex mutex;
  const Backend* acl = nullptr;
  std::optional<Fault> first;
};
Listener& TheListener() {
  static Listener& listener = *new Listener;
  return listener;
}

void Hear(aclrtExceptionInfo* info) {
  Listener& listener = TheListener();
  std::lock_guard lock(listener.mutex);
  if (listener.first) return;
  const Backend& acl = *listener.acl;
  listener.first = Fault{acl.fault_device(info), acl.fault_stream(info), acl.fault_task(info), acl.fault_code(info)};
}

Json FaultJson() {
  Listener& listener = TheListener();
  std::lock_guard lock(listener.mutex);
  if (!listener.first) return Json();
  const Fault& fault = *listener.first;
  return {{"device", fault.device}, {"stream", fault.stream}, {"task", fault.task}, {"code", fault.code}};
}

// Whether the run fails again, and what its nodes made until then.
bool FailsAgain(Model& model, const SlotOptions& options, const std::vector<Tensor>& inputs, const std::string& folder, OutputFiles* files) {
  try {
    DumpTensors(model, options, inputs, folder, {}, files);
    return false;
  } catch (const RunError&) {
    return true;
  }
}

}  // namespace

void ListenForFaults(const Backend& acl) {
  if (!acl.can_tell_faults()) return;
  {
    std::lock_guard lock(TheListener().mutex);
    TheListener().acl = &acl;
  }
  acl.Check(acl.set_exception_callback(Hear), "asking for the device's failures");
}

void WriteFault(Model& model, const SlotOptions& options, const FailedRun& run, const std::string& folder) {
  OutputFiles files;
  files.MakeFolder(folder);
  const size_t error = files.Reserve(folder + "/error.json");
  Json inputs = Json::array();
  for (size_t i = 0; i < run.inputs->size(); ++i) {
    const Tensor& tensor = (*run.inputs)[i];
    const bool strings = FindElementType(tensor.type) && FindElementType(tensor.type)->kind == Kind::kString;
    const std::string name = fmt::format("input_{}.{}", i, strings ? "json" : "npy");
    files.Fill(files.Reserve(folder + "/" + name), FormatTensor(tensor, strings ? OutputFormat::kJson : OutputFormat::kNpy));
    inputs.push_back({{"name", (*run.infos)[i].name}, {"dtype", TypeName(tensor.type)}, {"shape", tensor.dims}, {"file", name}});
  }
  const bool nodes = model.device().acl().set_tensor_callback != nullptr;
  const Json again = nodes ? Json(FailsAgain(model, options, *run.inputs, folder + "/nodes", &files)) : Json();
  const Json json = {{"model", run.model},
                     {"sample", run.sample},
                     {"message", run.message},
                     {"fault", FaultJson()},
                     {"inputs", std::move(inputs)},
                     {"fails_again", again},
                     {"nodes", nodes ? Json("nodes/index.json") : Json()}};
  files.Fill(error, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  files.Commit();
}

}  // namespace atc::omrun
