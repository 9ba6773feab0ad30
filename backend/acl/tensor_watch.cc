#include "backend/acl/tensor_watch.h"

#include "backend/acl/dump.h"
#include "backend/acl/include/acl/openatc_ext.h"
#include "backend/acl/prof_session.h"
#include "backend/executor/value_codec.h"

using namespace atc::acl;
using atc::NodeObserver;
using atc::NodeTensor;

namespace {

// The names of the source nodes, in their order.
std::string OriginNames(const NodeTensor& tensor) {
  std::string names;
  for (const std::string& name : tensor.graph->origins().Flatten(tensor.node->origin)) {
    names += (names.empty() ? "" : ";") + name;
  }
  return names;
}

NodeObserver CallbackObserver(openatcTensorCallback callback, void* user) {
  return {false, [callback, user](const NodeTensor& tensor) {
            const atc::TensorDesc& desc = tensor.graph->desc(tensor.value);
            const bool serialised = atc::IsSerialised(tensor.data.dtype());
            const std::string record = serialised ? atc::SerialiseElements(tensor.data) : std::string();
            const std::string origins = OriginNames(tensor);
            const std::string type = tensor.node->type().str();
            const atc::Shape shape = tensor.data.shape();
            const openatcTensorRecord told = {tensor.position,
                                              tensor.task,
                                              tensor.stream,
                                              tensor.port,
                                              static_cast<int32_t>(tensor.data.dtype()),
                                              static_cast<int32_t>(desc.origin_format),
                                              static_cast<int32_t>(desc.format),
                                              static_cast<uint32_t>(shape.rank()),
                                              shape.dims().data(),
                                              serialised ? record.data() : tensor.data.Data<char>(),
                                              serialised ? record.size() : tensor.data.NumBytes(),
                                              tensor.node->name.c_str(),
                                              type.c_str(),
                                              origins.c_str()};
            callback(&told, user);
          }};
}

}  // namespace

RunWatch::RunWatch(Model& model) : model_(model) {
  ProfileRun(model);
  const uint64_t stamp = DumpStamp() + 1;
  if (model.watched == stamp && !DumpsNow()) return;
  model.watched = stamp;
  NodeObserver dump = DumpRun(model);
  dumps_ = static_cast<bool>(dump);
  if (!dumps_ || !model.watcher) {
    model.loaded->SetObserver(dumps_ ? std::move(dump) : model.watcher);
    return;
  }
  model.loaded->SetObserver({dump.inputs, [dump, watcher = model.watcher](const NodeTensor& tensor) {
                               dump.tell(tensor);
                               if (!tensor.input) watcher.tell(tensor);
                             }});
}

RunWatch::~RunWatch() {
  SendRecords(model_);
  if (!dumps_) return;
  model_.loaded->SetObserver({});
  model_.watched = 0;
}

aclError openatcSetTensorCallback(uint32_t modelId, openatcTensorCallback callback, void* userData) {
  return Guard([&]() -> aclError {
    std::shared_ptr<Model> model;
    if (const aclError code = ModelTable::Get().Find(modelId, &model); code != ACL_SUCCESS) return code;
    std::lock_guard lock(model->run);
    if (!model->loaded) return Fail(ACL_ERROR_INVALID_PARAM, "model " + std::to_string(modelId) + " was unloaded");
    model->watcher = callback == nullptr ? NodeObserver() : CallbackObserver(callback, userData);
    model->watched = 0;
    return ACL_SUCCESS;
  });
}
