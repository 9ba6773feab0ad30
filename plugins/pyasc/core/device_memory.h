// Memory of the device behind NumPy arrays.
#pragma once

#include <pybind11/numpy.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace atc::python {

// Raises RuntimeError (pyasc.DeviceError) with the function, its code and the device's message unless `code` is 0.
void CheckAcl(int code, const char* function);

// Makes `device` the calling thread's; starts the device at the first call. Raises as CheckAcl does.
void UseDevice(int device);
// Ends what UseDevice began; the process needs the device no more.
void Shutdown();

// In the child of a fork: what the parent began there has no threads and stays untouched; UseDevice raises RuntimeError
// when the parent had begun it.
void Forked();
// Whether the process is such a child.
bool IsForked();

// A piece of device memory, 64-aligned.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(int device, size_t bytes);
  // Takes over memory that the device has allocated for an output.
  static DeviceBuffer Adopt(void* data, size_t bytes);
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;

  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  // Gives the memory up; it is the caller's to FreeDevice.
  void* Release();

 private:
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

void FreeDevice(void* data);

// An array over device memory, row-major, which is freed with the last view of it. The size of an element is given:
// where NumPy keeps it differs between its versions 1 and 2, and pybind11 reads it from one place.
pybind11::array MakeArray(const pybind11::dtype& dtype, size_t item_bytes, const std::vector<pybind11::ssize_t>& shape,
                          DeviceBuffer buffer);

// Whether [data, data + bytes) lies in memory that MakeArray has handed out.
bool IsDeviceMemory(const void* data, size_t bytes);

// Bytes of device memory that are alive in this module.
size_t DeviceBytes();

}  // namespace atc::python
