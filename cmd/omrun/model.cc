#include "cmd/omrun/model.h"

#include <fmt/format.h>

#include <chrono>

#include "acl/acl_mdl.h"

namespace atc::omrun {

Model::Model(Device& device, const std::string& path, int32_t device_number)
    : device_(device), acl_(device.acl()), device_number_(device_number) {
  const auto start = std::chrono::steady_clock::now();
  acl_.Check(device_.calls().Time("aclmdlLoadFromFile", [&] { return acl_.load(path.c_str(), &id_); }),
             fmt::format("loading '{}'", path));
  load_ms_ = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  loaded_ = true;
  try {
    desc_ = acl_.create_desc();
    acl_.Check(acl_.get_desc(desc_, id_), "reading the model's signature");
    signature_ = ReadSignature(acl_, desc_);
    for (size_t i = 0; acl_.output_precision && i < signature_.outputs.size(); ++i) {
      TensorInfo& output = signature_.outputs[i];
      acl_.Check(acl_.output_precision(id_, i, &output.computed_in), fmt::format("precision of output '{}'", output.name));
    }
  } catch (...) {
    Release();
    throw;
  }
}

Model::~Model() { Release(); }

void Model::BeginProfile() {
  if (!acl_.can_profile()) {
    throw RunError("--profile: this device tells no times of tasks; use the profiler that comes with it (msprof)");
  }
  acl_.Check(acl_.start_profile(id_), "starting the profile");
}

profile::ModelProfile Model::EndProfile() {
  openatcProfile* handle = nullptr;
  acl_.Check(acl_.stop_profile(id_, &handle), "ending the profile");
  profile::ModelProfile profile;
  profile.device = static_cast<uint32_t>(device_number_);
  profile.model = id_;
  for (size_t i = 0; i < acl_.num_task_records(handle); ++i) {
    openatcTaskRecord record{};
    acl_.Check(acl_.task_record(handle, i, &record, sizeof record), "reading the profile");
    profile.tasks.push_back(ToTaskTime(record));
  }
  acl_.destroy_profile(handle);
  return profile;
}

std::optional<openatcModelStats> Model::stats() const {
  if (!acl_.model_stats) return std::nullopt;
  openatcModelStats stats{};
  acl_.Check(acl_.model_stats(id_, &stats, sizeof stats), "reading the model's figures");
  return stats;
}

void Model::Release() noexcept {
  if (loaded_) acl_.unload(id_);
  if (desc_) acl_.destroy_desc(desc_);
  loaded_ = false;
  desc_ = nullptr;
}

}  // namespace atc::omrun
