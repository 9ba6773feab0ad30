// The process's devices, from aclInit to aclFinalize.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cmd/omrun/backend.h"
#include "cmd/omrun/profile.h"

namespace atc::omrun {

class Device {
 public:
  // Initialises ACL and opens the devices. cores 0: as many as there are; config: the file that aclInit is given, or
  // none. Throws RunError, for a device that is not there with how many there are.
  Device(const Backend& backend, const std::vector<int32_t>& numbers, uint32_t cores, const std::string& config);
  ~Device();
  Device(const Device&) = delete;

  // Makes the device the calling thread's. Every thread does so before it uses one.
  void Use(int32_t number);

  const Backend& acl() const { return acl_; }
  HostCalls& calls() { return calls_; }
  std::string description() const;  // one line

 private:
  void Release() noexcept;

  const Backend& acl_;
  HostCalls calls_;
  bool initialized_ = false;
  std::vector<int32_t> opened_;
};

}  // namespace atc::omrun
