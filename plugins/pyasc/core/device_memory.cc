#include "plugins/pyasc/core/device_memory.h"

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "acl/acl.h"

namespace py = pybind11;

namespace atc::python {
namespace {

struct Session {
  std::mutex mutex;
  bool begun = false;
  bool ours = false;  // the first aclInit of the process was ours
  std::set<int> devices;
  std::map<const char*, size_t> allocations;  // by base
  std::atomic<size_t> bytes{0};
};

// Never destroyed: arrays may outlive the statics of this library.
Session* the_session = new Session;
Session& TheSession() { return *the_session; }

bool forked_ = false;  // with a device that the parent had begun

thread_local int current_device = -1;

}  // namespace

void CheckAcl(int code, const char* function) {
  if (code == ACL_SUCCESS) return;
  const char* message = aclGetRecentErrMsg();
  throw std::runtime_error(std::string(function) + " failed with " + std::to_string(code) +
                           (message != nullptr && *message != '\0' ? std::string(": ") + message : std::string()));
}

void UseDevice(int device) {
  if (current_device == device) return;
  if (forked_) {
    throw std::runtime_error(
        "pyasc ran in the parent before this process was forked; use the start method 'spawn', or "
        "fork before the first run");
  }
  Session& session = TheSession();
  const std::lock_guard lock(session.mutex);
  if (!session.begun) {
    const int code = aclInit(nullptr);
    if (code != ACL_ERROR_REPEAT_INITIALIZE) CheckAcl(code, "aclInit");
    session.ours = code == ACL_SUCCESS;
    session.begun = true;
  }
  CheckAcl(aclrtSetDevice(device), "aclrtSetDevice");
  session.devices.insert(device);
  current_device = device;
}

void Forked() {
  forked_ = forked_ || TheSession().begun;
  the_session = new Session;  // the old one's lock may be held by a thread that is not here
  current_device = -1;
}

bool IsForked() { return forked_; }

void Shutdown() {
  Session& session = TheSession();
  const std::lock_guard lock(session.mutex);
  if (!session.begun || !session.ours) return;
  for (const int device : session.devices) aclrtResetDevice(device);
  session.devices.clear();
  session.allocations.clear();
  session.bytes = 0;
  aclFinalize();
  session.begun = false;
  current_device = -1;
}

DeviceBuffer::DeviceBuffer(int device, size_t bytes) {
  UseDevice(device);
  void* data = nullptr;
  CheckAcl(aclrtMalloc(&data, std::max<size_t>(bytes, 1), ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
  *this = Adopt(data, bytes);
}

DeviceBuffer DeviceBuffer::Adopt(void* data, size_t bytes) {
  if (data == nullptr) return {};
  Session& session = TheSession();
  const std::lock_guard lock(session.mutex);
  session.allocations[static_cast<const char*>(data)] = bytes;
  session.bytes += bytes;
  DeviceBuffer buffer;
  buffer.data_ = data;
  buffer.bytes_ = bytes;
  return buffer;
}

DeviceBuffer::~DeviceBuffer() {
  if (data_ != nullptr) FreeDevice(data_);
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept : data_(other.data_), bytes_(other.bytes_) {
  other.data_ = nullptr;
  other.bytes_ = 0;
}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void* DeviceBuffer::Release() { return std::exchange(data_, nullptr); }

void FreeDevice(void* data) {
  Session& session = TheSession();
  {
    const std::lock_guard lock(session.mutex);
    const auto found = session.allocations.find(static_cast<const char*>(data));
    if (found == session.allocations.end()) return;  // the device is shut down, and its memory with it
    session.bytes -= found->second;
    session.allocations.erase(found);
  }
  aclrtFree(data);
}

py::array MakeArray(const py::dtype& dtype, size_t item_bytes, const std::vector<py::ssize_t>& shape,
                    DeviceBuffer buffer) {
  std::vector<py::ssize_t> strides(shape.size());
  auto stride = static_cast<py::ssize_t>(item_bytes);
  for (size_t i = shape.size(); i-- > 0; stride *= shape[i]) strides[i] = stride;
  if (buffer.data() == nullptr)
    buffer = DeviceBuffer(/*device=*/0, 0);  // an empty output that the device gave no memory
  void* data = buffer.Release();
  const py::capsule owner(data, [](void* memory) { FreeDevice(memory); });
  return py::array(dtype, shape, strides, data, owner);
}

bool IsDeviceMemory(const void* data, size_t bytes) {
  Session& session = TheSession();
  const std::lock_guard lock(session.mutex);
  const auto* begin = static_cast<const char*>(data);
  auto next = session.allocations.upper_bound(begin);
  if (next == session.allocations.begin()) return false;
  --next;
  return begin + bytes <= next->first + next->second;
}

size_t DeviceBytes() { return TheSession().bytes; }

}  // namespace atc::python
