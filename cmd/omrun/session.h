// One loaded model on one device: its signature, its data, its runs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cmd/omrun/backend.h"
#include "cmd/omrun/profile.h"
#include "cmd/omrun/tensor.h"

namespace atc::omrun {

struct TensorInfo {
  std::string name;
  aclDataType type = ACL_DT_UNDEFINED;
  aclFormat format = ACL_FORMAT_UNDEFINED;
  Dims dims;           // -1 where unknown; the single dim -2 where even their number is
  uint64_t bytes = 0;  // 0 where the shape has no bound
  Dims least = {};     // of an input: the smallest value that each dim may have; empty: 1
  Dims most = {};      // likewise the largest, -1 where there is none; empty: none

  bool known() const;  // every dim
};

struct Signature {
  std::vector<TensorInfo> inputs, outputs;
};

class Session {
 public:
  // Initialises the device and loads the model. cores 0: as many as there are. Throws RunError, with a clear word for
  // files that are no om and for models that another converter wrote.
  Session(const Backend& backend, const std::string& model, uint32_t cores);
  ~Session();
  Session(const Session&) = delete;

  const Signature& signature() const { return signature_; }
  double load_ms() const { return load_ms_; }
  uint32_t model_id() const { return model_; }

  // Copies one tensor for each input to the device; shapes and types have been checked. Their host memory may go.
  void SetInputs(const std::vector<Tensor>& inputs);
  // One run, in milliseconds: inputs and outputs stay in device memory.
  double Run();
  // From here on what the tasks of each run did is kept; EndProfile gives it. Throws RunError on a device that cannot
  // tell.
  void BeginProfile();
  profile::Profile EndProfile();
  // Copies the outputs of the last run to the host.
  std::vector<Tensor> Outputs();

  std::optional<openatcModelStats> stats() const;  // none on a vendor's device
  std::string device() const;                      // one line

 private:
  struct Buffer;

  void Load(const std::string& model);
  void ReadSignature();
  void PrepareOutputs();
  void Release() noexcept;

  const Backend& acl_;
  bool initialized_ = false, device_set_ = false, loaded_ = false;
  uint32_t model_ = 0;
  aclmdlDesc* desc_ = nullptr;
  aclmdlDataset *input_set_ = nullptr, *output_set_ = nullptr;
  std::vector<Buffer> inputs_, outputs_;
  Signature signature_;
  double load_ms_ = 0;
  HostCalls calls_;
};

}  // namespace atc::omrun
