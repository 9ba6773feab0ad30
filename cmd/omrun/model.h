// One loaded copy of the model.
#pragma once

#include <optional>
#include <string>

#include "cmd/omrun/device.h"
#include "cmd/omrun/signature.h"

namespace atc::omrun {

class Model {
 public:
  // Loads the file on the calling thread's device. Throws RunError.
  Model(Device& device, const std::string& path, int32_t device_number);
  ~Model();
  Model(const Model&) = delete;

  Device& device() const { return device_; }
  uint32_t id() const { return id_; }
  const aclmdlDesc* desc() const { return desc_; }
  const Signature& signature() const { return signature_; }
  double load_ms() const { return load_ms_; }

  // From here on what the tasks of each run did is kept; EndProfile gives it. Throws RunError on a device that cannot
  // tell.
  void BeginProfile();
  profile::ModelProfile EndProfile();

  std::optional<openatcModelStats> stats() const;  // none on a vendor's device

 private:
  void Release() noexcept;

  Device& device_;
  const Backend& acl_;
  const int32_t device_number_;
  uint32_t id_ = 0;
  bool loaded_ = false;
  aclmdlDesc* desc_ = nullptr;
  Signature signature_;
  double load_ms_ = 0;
};

}  // namespace atc::omrun
