// A loaded om, run on NumPy arrays.
#pragma once

#include <pybind11/numpy.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "plugins/pyasc/core/device_memory.h"

namespace atc::python {

// An input or output as the om declares it; -1 in dims where only a run tells.
struct PortInfo {
  std::string name;
  int dtype;
  std::vector<int64_t> dims;
};

// Run of a model that is unloaded.
struct UnloadedError : std::runtime_error {
  UnloadedError() : std::runtime_error("the model is unloaded") {}
};

class DeviceModel {
 public:
  // `om`: the bytes of the file. The interpreter is free while the model is loaded.
  DeviceModel(const std::string& om, int device);
  static std::unique_ptr<DeviceModel> FromFile(const std::string& path, int device);
  ~DeviceModel();
  DeviceModel(const DeviceModel&) = delete;
  DeviceModel& operator=(const DeviceModel&) = delete;

  // Idempotent.
  void Unload();

  std::vector<PortInfo> inputs() const { return inputs_; }
  std::vector<PortInfo> outputs() const { return outputs_; }

  // One run. `arrays`: row-major, one for each input, of the types that the model takes (the caller has seen to it).
  // `dtypes`: the NumPy types of the outputs. The results lie in device memory of their own. Runs of one model follow
  // each other; the interpreter is free meanwhile. What lies in device memory already is not copied.
  pybind11::list Run(const pybind11::list& arrays, const pybind11::list& dtypes);

 private:
  class Registrations;
  explicit DeviceModel(int device) : device_(device) {}
  void ReadSignature();
  // The array as device memory: itself where it lies there or may be registered, else the buffer of input `index` with a
  // copy.
  void* OnDevice(size_t index, const pybind11::array& array, Registrations& registrations);
  void SetShape(size_t index, const pybind11::array& array);

  const int device_;
  uint32_t id_ = 0;
  bool loaded_ = false;
  std::vector<PortInfo> inputs_, outputs_;
  std::vector<size_t> output_bytes_;  // 0 where only a run tells
  std::mutex mutex_;                  // of all below: runs of one model follow each other
  std::vector<DeviceBuffer> staging_;
  aclmdlDataset* input_set_ = nullptr;
  aclmdlDataset* output_set_ = nullptr;
  std::vector<aclDataBuffer*> buffers_;  // of both sets
};

}  // namespace atc::python
