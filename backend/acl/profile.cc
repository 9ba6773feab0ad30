// openatc_ext.h: what the tasks of a model did.
#include <algorithm>
#include <cstring>

#include "backend/acl/handle_table.h"
#include "backend/acl/include/acl/openatc_ext.h"
#include "backend/acl/model_table.h"

using namespace atc::acl;
using atc::RunProfile;
using atc::TaskDescription;
using atc::TaskSpan;

namespace {

HandleTable<RunProfile>& Profiles() {
  static auto* table = new HandleTable<RunProfile>(HandleKind::kProfile);
  return *table;
}

}  // namespace

aclError openatcStartProfile(uint32_t modelId) {
  return Guard([&]() -> aclError {
    std::shared_ptr<Model> model;
    if (const aclError code = ModelTable::Get().Find(modelId, &model); code != ACL_SUCCESS) return code;
    std::lock_guard lock(model->run);
    if (model->profile) {
      return Fail(ACL_ERROR_INVALID_PARAM, "model " + std::to_string(modelId) + " is being profiled already");
    }
    if (!model->loaded) return Fail(ACL_ERROR_INVALID_PARAM, "model " + std::to_string(modelId) + " was unloaded");
    model->profile = std::make_unique<RunProfile>();
    model->loaded->SetProfile(model->profile.get());
    return ACL_SUCCESS;
  });
}

aclError openatcStopProfile(uint32_t modelId, openatcProfile** profile) {
  return Guard([&]() -> aclError {
    if (profile == nullptr) return NullArgument("profile");
    std::shared_ptr<Model> model;
    if (const aclError code = ModelTable::Get().Find(modelId, &model); code != ACL_SUCCESS) return code;
    std::lock_guard lock(model->run);
    if (!model->profile) return Fail(ACL_ERROR_INVALID_PARAM, "model " + std::to_string(modelId) + " is not being profiled");
    if (model->loaded) model->loaded->SetProfile(nullptr);
    const std::shared_ptr<RunProfile> stopped = std::move(model->profile);
    std::stable_sort(stopped->spans.begin(), stopped->spans.end(),
                     [](const TaskSpan& a, const TaskSpan& b) { return a.start_ns < b.start_ns; });
    *profile = static_cast<openatcProfile*>(Profiles().Add(stopped));
    return ACL_SUCCESS;
  });
}

size_t openatcGetNumTaskRecords(const openatcProfile* profile) {
  return GuardValue<size_t>(0, [&] {
    const std::shared_ptr<RunProfile> run = Profiles().Find(profile);
    return run ? run->spans.size() : 0;
  });
}

aclError openatcGetTaskRecord(const openatcProfile* profile, size_t index, openatcTaskRecord* record, size_t recordSize) {
  return Guard([&]() -> aclError {
    if (profile == nullptr) return NullArgument("profile");
    if (record == nullptr) return NullArgument("record");
    const std::shared_ptr<RunProfile> found = Profiles().Find(profile);
    if (!found) return BadHandle("profile", "a profile");
    const RunProfile& run = *found;
    if (index >= run.spans.size()) {
      return Fail(ACL_ERROR_INVALID_PARAM, "record " + std::to_string(index) + " was asked for; the profile has " +
                                               std::to_string(run.spans.size()));
    }
    const TaskSpan& span = run.spans[index];
    const TaskDescription& task = run.tasks[span.task];
    const openatcTaskRecord filled = {span.run,
                                      task.id,
                                      task.stream,
                                      static_cast<int32_t>(task.kind),
                                      task.event,
                                      span.cores,
                                      0,
                                      span.start_ns,
                                      span.end_ns,
                                      task.op_name.c_str(),
                                      task.op_type.c_str(),
                                      task.task_type.c_str(),
                                      task.input_shapes.c_str(),
                                      task.input_types.c_str(),
                                      task.input_formats.c_str(),
                                      task.output_shapes.c_str(),
                                      task.output_types.c_str(),
                                      task.output_formats.c_str()};
    std::memcpy(record, &filled, std::min(recordSize, sizeof(filled)));
    return ACL_SUCCESS;
  });
}

aclError openatcDestroyProfile(openatcProfile* profile) {
  return Guard([&]() -> aclError {
    if (profile == nullptr) return NullArgument("profile");
    return Profiles().Remove(profile) ? ACL_SUCCESS : BadHandle("profile", "a profile");
  });
}
