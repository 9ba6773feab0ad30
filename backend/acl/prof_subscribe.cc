// acl_prof.h: records of operators through a pipe.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "backend/acl/handles.h"
#include "backend/acl/include/acl/acl_prof.h"
#include "backend/acl/prof_session.h"

using namespace atc::acl;
using atc::RunProfile;
using atc::SpanKind;
using atc::TaskDescription;
using atc::TaskSpan;

namespace {

struct SubscribeConfig {
  int descriptor = -1;
  bool times = false;
};

HandleTable<SubscribeConfig>& Configs() {
  static auto* table = new HandleTable<SubscribeConfig>(HandleKind::kProfSubscription);
  return *table;
}

std::atomic<uint32_t> subscriptions{0};

// As it goes through the pipe; less than PIPE_BUF, so that a record is written whole.
struct Record {
  uint64_t start_ns, end_ns;
  uint32_t model, reserved;
  char type[ACL_PROF_MAX_OP_TYPE_LEN];
  char name[ACL_PROF_MAX_OP_NAME_LEN];
};

// The record, copied: what the caller read may lie at any address.
bool Find(const void* data, size_t bytes, uint32_t index, Record* record) {
  if (data == nullptr || bytes / sizeof(Record) <= index) {
    Fail(ACL_ERROR_INVALID_PARAM, "record " + std::to_string(index) + " was asked for; " + std::to_string(bytes) + " bytes hold " +
                                      std::to_string(bytes / sizeof(Record)));
    return false;
  }
  std::memcpy(record, static_cast<const char*>(data) + index * sizeof(Record), sizeof(Record));
  return true;
}

void Copy(const std::string& text, char* to, size_t room) {
  const size_t size = std::min(text.size(), room - 1);
  std::memcpy(to, text.data(), size);
  std::memset(to + size, 0, room - size);
}

aclError CopyOut(const char* text, char* to, size_t room, const char* what) {
  if (to == nullptr) return NullArgument(what);
  const size_t size = std::strlen(text);
  if (room <= size) {
    return Fail(ACL_ERROR_INVALID_PARAM, std::string(what) + " has room for " + std::to_string(room) + " bytes, " + std::to_string(size + 1) + " are needed");
  }
  std::memcpy(to, text, size + 1);
  return ACL_SUCCESS;
}

aclError Length(const char* text, size_t* length) {
  *length = std::strlen(text) + 1;
  return ACL_SUCCESS;
}

uint64_t TimeOf(const void* opInfo, size_t opInfoLen, uint32_t index, uint64_t (*choose)(const Record&)) {
  return GuardValue<uint64_t>(0, [&]() -> uint64_t {
    Record record;
    return Find(opInfo, opInfoLen, index, &record) ? choose(record) : 0;
  });
}

}  // namespace

bool atc::acl::AnySubscription() { return subscriptions > 0; }

void atc::acl::SendRecords(Model& model) {
  if (model.subscription < 0 || !model.profile) return;
  for (const RunProfile& run = *model.profile; const TaskSpan& span : run.spans) {
    const TaskDescription& task = run.tasks[span.task];
    if (task.kind != SpanKind::kKernel) continue;
    Record record{span.start_ns, span.end_ns, model.id, 0, {}, {}};
    Copy(task.op_type, record.type, sizeof record.type);
    Copy(task.op_name, record.name, sizeof record.name);
    ssize_t written = 0;
    do written = write(model.subscription, &record, sizeof record);
    while (written < 0 && errno == EINTR);
    if (written < 0) {
      Fail(ACL_ERROR_PROFILING_FAILURE, std::string("the pipe of the subscription cannot be written to: ") + std::strerror(errno));
      break;
    }
  }
  model.profile->spans.clear();
}

aclprofSubscribeConfig* aclprofCreateSubscribeConfig(int8_t timeInfoSwitch, aclprofAicoreMetrics aicoreMetrics, void* fd) {
  return GuardValue<aclprofSubscribeConfig*>(nullptr, [&]() -> aclprofSubscribeConfig* {
    if (fd == nullptr) return NullArgument("fd"), nullptr;
    if (timeInfoSwitch != 0 && timeInfoSwitch != 1) return Fail(ACL_ERROR_INVALID_PARAM, "timeInfoSwitch is 0 or 1"), nullptr;
    auto config = std::make_shared<SubscribeConfig>();
    std::memcpy(&config->descriptor, fd, sizeof(int));
    config->times = timeInfoSwitch == 1;
    return static_cast<aclprofSubscribeConfig*>(Configs().Add(std::move(config)));
  });
}

aclError aclprofDestroySubscribeConfig(const aclprofSubscribeConfig* profSubscribeConfig) {
  return Guard([&]() -> aclError {
    if (profSubscribeConfig == nullptr) return NullArgument("profSubscribeConfig");
    return Configs().Remove(profSubscribeConfig) ? ACL_SUCCESS : BadHandle("profSubscribeConfig", "a configuration of a subscription");
  });
}

aclError aclprofModelSubscribe(uint32_t modelId, const aclprofSubscribeConfig* profSubscribeConfig) {
  return Guard([&]() -> aclError {
    if (profSubscribeConfig == nullptr) return NullArgument("profSubscribeConfig");
    const std::shared_ptr<SubscribeConfig> config = Configs().Find(profSubscribeConfig);
    if (!config) return BadHandle("profSubscribeConfig", "a configuration of a subscription");
    if (ProfInitialised()) return Fail(ACL_ERROR_PROF_API_CONFLICT, "aclprofInit and subscriptions of models exclude each other");
    std::shared_ptr<Model> model;
    if (const aclError code = ModelTable::Get().Find(modelId, &model); code != ACL_SUCCESS) return code;
    std::lock_guard lock(model->run);
    if (model->subscription >= 0 || model->profile) {
      return Fail(ACL_ERROR_PROF_REPEAT_SUBSCRIBE, "model " + std::to_string(modelId) + " is subscribed to or profiled already");
    }
    if (!model->loaded) return Fail(ACL_ERROR_INVALID_PARAM, "model " + std::to_string(modelId) + " was unloaded");
    model->subscription = config->descriptor;
    ++subscriptions;
    if (!config->times) return ACL_SUCCESS;
    model->profile = std::make_unique<RunProfile>();
    model->loaded->SetProfile(model->profile.get());
    return ACL_SUCCESS;
  });
}

void atc::acl::EndSubscription(Model& model) {
  if (model.subscription < 0) return;
  if (model.loaded && model.profile) model.loaded->SetProfile(nullptr);
  model.profile.reset();
  close(model.subscription);
  model.subscription = -1;
  --subscriptions;
}

aclError aclprofModelUnSubscribe(uint32_t modelId) {
  return Guard([&]() -> aclError {
    std::shared_ptr<Model> model;
    if (const aclError code = ModelTable::Get().Find(modelId, &model); code != ACL_SUCCESS) return code;
    std::lock_guard lock(model->run);
    if (model->subscription < 0) return Fail(ACL_ERROR_INVALID_PARAM, "model " + std::to_string(modelId) + " is not subscribed to");
    EndSubscription(*model);
    return ACL_SUCCESS;
  });
}

aclError aclprofGetOpDescSize(size_t* opDescSize) {
  return Guard([&]() -> aclError {
    if (opDescSize == nullptr) return NullArgument("opDescSize");
    *opDescSize = sizeof(Record);
    return ACL_SUCCESS;
  });
}

aclError aclprofGetOpNum(const void* opInfo, size_t opInfoLen, uint32_t* opNumber) {
  return Guard([&]() -> aclError {
    if (opInfo == nullptr) return NullArgument("opInfo");
    if (opNumber == nullptr) return NullArgument("opNumber");
    if (opInfoLen % sizeof(Record) != 0) {
      return Fail(ACL_ERROR_INVALID_PARAM, std::to_string(opInfoLen) + " bytes are no whole records of " + std::to_string(sizeof(Record)));
    }
    *opNumber = static_cast<uint32_t>(opInfoLen / sizeof(Record));
    return ACL_SUCCESS;
  });
}

aclError aclprofGetOpTypeLen(const void* opInfo, size_t opInfoLen, uint32_t index, size_t* opTypeLen) {
  return Guard([&]() -> aclError {
    Record record;
    if (opTypeLen == nullptr) return NullArgument("opTypeLen");
    return Find(opInfo, opInfoLen, index, &record) ? Length(record.type, opTypeLen) : ACL_ERROR_INVALID_PARAM;
  });
}
aclError aclprofGetOpType(const void* opInfo, size_t opInfoLen, uint32_t index, char* opType, size_t opTypeLen) {
  return Guard([&]() -> aclError {
    Record record;
    return Find(opInfo, opInfoLen, index, &record) ? CopyOut(record.type, opType, opTypeLen, "opType") : ACL_ERROR_INVALID_PARAM;
  });
}
aclError aclprofGetOpNameLen(const void* opInfo, size_t opInfoLen, uint32_t index, size_t* opNameLen) {
  return Guard([&]() -> aclError {
    Record record;
    if (opNameLen == nullptr) return NullArgument("opNameLen");
    return Find(opInfo, opInfoLen, index, &record) ? Length(record.name, opNameLen) : ACL_ERROR_INVALID_PARAM;
  });
}
aclError aclprofGetOpName(const void* opInfo, size_t opInfoLen, uint32_t index, char* opName, size_t opNameLen) {
  return Guard([&]() -> aclError {
    Record record;
    return Find(opInfo, opInfoLen, index, &record) ? CopyOut(record.name, opName, opNameLen, "opName") : ACL_ERROR_INVALID_PARAM;
  });
}
uint64_t aclprofGetOpStart(const void* opInfo, size_t opInfoLen, uint32_t index) {
  return TimeOf(opInfo, opInfoLen, index, [](const Record& record) { return record.start_ns; });
}
uint64_t aclprofGetOpEnd(const void* opInfo, size_t opInfoLen, uint32_t index) {
  return TimeOf(opInfo, opInfoLen, index, [](const Record& record) { return record.end_ns; });
}
uint64_t aclprofGetOpDuration(const void* opInfo, size_t opInfoLen, uint32_t index) {
  return TimeOf(opInfo, opInfoLen, index, [](const Record& record) { return record.end_ns - record.start_ns; });
}
size_t aclprofGetModelId(const void* opInfo, size_t opInfoLen, uint32_t index) {
  return TimeOf(opInfo, opInfoLen, index, [](const Record& record) { return uint64_t{record.model}; });
}
