#include "cmd/omrun/device.h"

#include <fmt/format.h>

#include <filesystem>

#include "cmd/omrun/tensor.h"

namespace atc::omrun {

Device::Device(const Backend& backend, const std::vector<int32_t>& numbers, uint32_t cores, const std::string& config)
    : acl_(backend) {
  try {
    std::error_code ignored;
    if (!config.empty() && !std::filesystem::is_regular_file(config, ignored)) {
      throw RunError(fmt::format("--acl_config: '{}' is no file", config));
    }
    acl_.Check(calls_.Time("aclInit", [&] { return acl_.init(config.empty() ? nullptr : config.c_str()); }),
               "starting the device");
    initialized_ = true;
    // Before the device, whose default stream takes the number over.
    if (cores) {
      if (!acl_.set_cores) throw RunError("--cores has no meaning on this device: it is no simulated one");
      acl_.Check(acl_.set_cores(cores), fmt::format("--cores {}", cores));
    }
    uint32_t there = 0;
    if (acl_.device_count && acl_.device_count(&there) == ACL_SUCCESS) {
      for (const int32_t number : numbers) {
        if (static_cast<uint32_t>(number) < there) continue;
        throw RunError(fmt::format("--device {}: there {}, numbered from 0{}", number,
                                   there == 1 ? "is 1 device" : fmt::format("are {} devices", there),
                                   acl_.simulated() ? "; OPENATC_DEVICES=N simulates N" : ""));
      }
    }
    for (const int32_t number : numbers) {
      Use(number);
      opened_.push_back(number);
    }
    Use(numbers.front());
  } catch (...) {
    Release();
    throw;
  }
}

Device::~Device() { Release(); }

void Device::Use(int32_t number) {
  acl_.Check(calls_.Time("aclrtSetDevice", [&] { return acl_.set_device(number); }), fmt::format("opening device {}", number));
}

std::string Device::description() const {
  // The simulated device runs an om of any chip, so its own chip name would only mislead.
  if (acl_.simulated()) return acl_.device_description();
  const char* soc = acl_.soc_name();
  return fmt::format("{} ({})", soc ? soc : "unknown chip", acl_.path);
}

void Device::Release() noexcept {
  for (const int32_t number : opened_) acl_.reset_device(number);
  if (initialized_) acl_.finalize();
  opened_.clear();
  initialized_ = false;
}

}  // namespace atc::omrun
