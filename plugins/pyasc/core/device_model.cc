#include "plugins/pyasc/core/device_model.h"

#include <cstring>
#include <stdexcept>
#include <utility>

#include "compiler/ir/data_type.h"

namespace py = pybind11;

namespace atc::python {
namespace {

constexpr size_t kAlignment = 64;
// Smaller arrays are copied in less time than it takes to register them.
constexpr size_t kRegisterFrom = 32 << 10;


struct DescDeleter {
  void operator()(aclmdlDesc* desc) const { aclmdlDestroyDesc(desc); }
};

std::vector<int64_t> DimsOf(const aclmdlIODims& dims) { return {dims.dims, dims.dims + dims.dimCount}; }

bool HasFixedSize(const PortInfo& port) {
  for (const int64_t dim : port.dims) {
    if (dim < 0) return false;
  }
  return port.dtype != ACL_STRING;
}

aclDataBuffer* AddBuffer(aclmdlDataset* set) {
  aclDataBuffer* buffer = aclCreateDataBuffer(nullptr, 0);
  if (buffer == nullptr) throw std::runtime_error("aclCreateDataBuffer failed");
  CheckAcl(aclmdlAddDatasetBuffer(set, buffer), "aclmdlAddDatasetBuffer");
  return buffer;
}

// Of NumPy's own only the shape is read: see MakeArray.
size_t BytesOf(const PortInfo& port, const py::array& array) {
  int64_t count = 1;
  for (py::ssize_t d = 0; d < array.ndim(); ++d) count *= array.shape(d);
  return DataTypeBytes(static_cast<DataType>(port.dtype), count);
}

}  // namespace

// Ordinary memory that the device uses in place during a run.
class DeviceModel::Registrations {
 public:
  ~Registrations() {
    for (void* data : registered_) aclrtHostUnregister(data);
  }
  bool Add(void* data, size_t bytes) {
    void* on_device = nullptr;
    if (aclrtHostRegister(data, bytes, ACL_HOST_REGISTER_MAPPED, &on_device) != ACL_SUCCESS) {
      aclGetRecentErrMsg();  // the array is copied instead
      return false;
    }
    registered_.push_back(data);
    return on_device == data;
  }

 private:
  std::vector<void*> registered_;
};

DeviceModel::DeviceModel(const std::string& om, int device) : DeviceModel(device) {
  {
    const py::gil_scoped_release release;
    UseDevice(device_);
    CheckAcl(aclmdlLoadFromMem(om.data(), om.size(), &id_), "aclmdlLoadFromMem");
  }
  loaded_ = true;
  ReadSignature();
}

std::unique_ptr<DeviceModel> DeviceModel::FromFile(const std::string& path, int device) {
  std::unique_ptr<DeviceModel> model(new DeviceModel(device));
  {
    const py::gil_scoped_release release;
    UseDevice(device);
    CheckAcl(aclmdlLoadFromFile(path.c_str(), &model->id_), "aclmdlLoadFromFile");
  }
  model->loaded_ = true;
  model->ReadSignature();
  return model;
}

DeviceModel::~DeviceModel() { Unload(); }

void DeviceModel::Unload() {
  if (IsForked()) return;  // the parent's
  const py::gil_scoped_release release;
  const std::lock_guard lock(mutex_);
  if (input_set_ != nullptr) aclmdlDestroyDataset(std::exchange(input_set_, nullptr));
  if (output_set_ != nullptr) aclmdlDestroyDataset(std::exchange(output_set_, nullptr));
  for (aclDataBuffer* buffer : buffers_) aclDestroyDataBuffer(buffer);
  buffers_.clear();
  staging_.clear();
  if (std::exchange(loaded_, false)) aclmdlUnload(id_);
}

void DeviceModel::ReadSignature() {
  const std::unique_ptr<aclmdlDesc, DescDeleter> desc(aclmdlCreateDesc());
  CheckAcl(aclmdlGetDesc(desc.get(), id_), "aclmdlGetDesc");
  input_set_ = aclmdlCreateDataset();
  output_set_ = aclmdlCreateDataset();
  aclmdlIODims dims;
  for (size_t i = 0; i < aclmdlGetNumInputs(desc.get()); ++i) {
    CheckAcl(aclmdlGetInputDims(desc.get(), i, &dims), "aclmdlGetInputDims");
    inputs_.push_back({aclmdlGetInputNameByIndex(desc.get(), i), aclmdlGetInputDataType(desc.get(), i), DimsOf(dims)});
    buffers_.push_back(AddBuffer(input_set_));
  }
  for (size_t i = 0; i < aclmdlGetNumOutputs(desc.get()); ++i) {
    CheckAcl(aclmdlGetOutputDims(desc.get(), i, &dims), "aclmdlGetOutputDims");
    outputs_.push_back(
        {aclmdlGetOutputNameByIndex(desc.get(), i), aclmdlGetOutputDataType(desc.get(), i), DimsOf(dims)});
    output_bytes_.push_back(HasFixedSize(outputs_.back()) ? aclmdlGetOutputSizeByIndex(desc.get(), i) : 0);
    buffers_.push_back(AddBuffer(output_set_));
  }
  staging_.resize(inputs_.size());
}

void* DeviceModel::OnDevice(size_t index, const py::array& array, Registrations& registrations) {
  const size_t bytes = BytesOf(inputs_[index], array);
  auto* data = const_cast<void*>(array.data());
  if (bytes > 0 && reinterpret_cast<uintptr_t>(data) % kAlignment == 0 && IsDeviceMemory(data, bytes)) return data;
  if (bytes >= kRegisterFrom && reinterpret_cast<uintptr_t>(data) % kAlignment == 0 && registrations.Add(data, bytes)) {
    return data;
  }
  if (staging_[index].data() == nullptr || staging_[index].bytes() < bytes)
    staging_[index] = DeviceBuffer(device_, bytes);
  if (bytes > 0) {
    CheckAcl(aclrtMemcpy(staging_[index].data(), bytes, data, bytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
  }
  return staging_[index].data();
}

void DeviceModel::SetShape(size_t index, const py::array& array) {
  if (HasFixedSize(inputs_[index])) return;
  const std::vector<int64_t> dims(array.shape(), array.shape() + array.ndim());
  aclTensorDesc* desc = aclCreateTensorDesc(static_cast<aclDataType>(inputs_[index].dtype),
                                            static_cast<int>(dims.size()), dims.data(), ACL_FORMAT_ND);
  const int code = aclmdlSetDatasetTensorDesc(input_set_, desc, index);
  aclDestroyTensorDesc(desc);
  CheckAcl(code, "aclmdlSetDatasetTensorDesc");
}

py::list DeviceModel::Run(const py::list& arrays, const py::list& dtypes) {
  std::vector<py::array> inputs;
  inputs.reserve(arrays.size());
  for (const py::handle array : arrays) inputs.push_back(py::reinterpret_borrow<py::array>(array));
  std::vector<DeviceBuffer> results(outputs_.size());
  std::vector<std::vector<py::ssize_t>> shapes(outputs_.size());
  {
    const py::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    if (!loaded_) throw UnloadedError();
    UseDevice(device_);
    Registrations registrations;
    for (size_t i = 0; i < inputs.size(); ++i) {
      SetShape(i, inputs[i]);
      CheckAcl(aclUpdateDataBuffer(buffers_[i], OnDevice(i, inputs[i], registrations), BytesOf(inputs_[i], inputs[i])),
               "aclUpdateDataBuffer");
    }
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (output_bytes_[i] > 0) results[i] = DeviceBuffer(device_, output_bytes_[i]);
      CheckAcl(aclUpdateDataBuffer(buffers_[inputs_.size() + i], results[i].data(), output_bytes_[i]),
               "aclUpdateDataBuffer");
    }
    CheckAcl(aclmdlExecute(id_, input_set_, output_set_), "aclmdlExecute");
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (HasFixedSize(outputs_[i])) {
        shapes[i].assign(outputs_[i].dims.begin(), outputs_[i].dims.end());
        if (output_bytes_[i] == 0) results[i] = DeviceBuffer(device_, 0);
        continue;
      }
      const aclTensorDesc* desc = aclmdlGetDatasetTensorDesc(output_set_, i);
      for (size_t d = 0; d < aclGetTensorDescNumDims(desc); ++d) shapes[i].push_back(aclGetTensorDescDim(desc, d));
      aclDataBuffer* buffer = buffers_[inputs_.size() + i];
      results[i] = DeviceBuffer::Adopt(aclGetDataBufferAddr(buffer), aclGetDataBufferSizeV2(buffer));
    }
  }
  py::list made;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    made.append(MakeArray(py::reinterpret_borrow<py::dtype>(dtypes[i]),
                          DataTypeBytes(static_cast<DataType>(outputs_[i].dtype), 1), shapes[i],
                          std::move(results[i])));
  }
  return made;
}

}  // namespace atc::python
