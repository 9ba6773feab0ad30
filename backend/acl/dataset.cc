#include "backend/acl/dataset.h"

#include "backend/acl/guard.h"

namespace atc::acl {

HandleTable<Dataset>& Datasets() {
  static auto* table = new HandleTable<Dataset>(HandleKind::kDataset);
  return *table;
}

std::atomic<uint64_t> dataset_changes{0};

void Dataset::SetDesc(size_t index, std::shared_ptr<TensorDesc> desc) {
  std::lock_guard lock(mutex);
  Place(entries[index], std::move(desc));
  ++dataset_changes;
}

void Dataset::Describe(size_t index, const TensorInfo& tensor, const Shape& shape, bool same_handles) {
  if (closed) return;
  Entry& entry = entries[index];
  if (entry.desc && entry.desc->dtype == tensor.dtype && entry.desc->format == tensor.format &&
      entry.desc->name == tensor.name && (same_handles || TensorDescs().Find(entry.desc_handle) == entry.desc)) {
    if (entry.desc->shape != shape) entry.desc->shape = shape;
    return;
  }
  auto desc = std::make_shared<TensorDesc>();
  desc->dtype = tensor.dtype;
  desc->format = tensor.format;
  desc->shape = shape;
  desc->name = tensor.name;
  Place(entry, std::move(desc));
}

void Dataset::Place(Entry& entry, std::shared_ptr<TensorDesc> desc) {
  if (entry.desc && desc && TensorDescs().Find(entry.desc_handle) == entry.desc) {
    *entry.desc = *desc;  // keeps the handle that the caller may have
    return;
  }
  if (entry.desc) TensorDescs().Remove(entry.desc_handle);
  entry.desc_handle = desc ? static_cast<aclTensorDesc*>(TensorDescs().Add(desc)) : nullptr;
  entry.desc = std::move(desc);
}

void Dataset::Close() {
  std::lock_guard lock(mutex);
  for (const Entry& entry : entries) {
    if (entry.desc) TensorDescs().Remove(entry.desc_handle);
  }
  closed = true;
}

namespace {

aclError FindDataset(const aclmdlDataset* handle, std::shared_ptr<Dataset>* out) {
  if (handle == nullptr) return NullArgument("dataset");
  *out = Datasets().Find(handle);
  return *out ? ACL_SUCCESS : BadHandle("dataset", "a dataset");
}

// Under the dataset's lock.
aclError CheckIndex(const Dataset& dataset, size_t index) {
  if (index < dataset.entries.size()) return ACL_SUCCESS;
  return Fail(ACL_ERROR_INVALID_PARAM, "buffer " + std::to_string(index) + " was asked for; the dataset has " +
                                           std::to_string(dataset.entries.size()));
}

}  // namespace
}  // namespace atc::acl

using namespace atc::acl;

aclmdlDataset* aclmdlCreateDataset(void) {
  return GuardValue<aclmdlDataset*>(
      nullptr, [] { return static_cast<aclmdlDataset*>(Datasets().Add(std::make_shared<Dataset>())); });
}

aclError aclmdlDestroyDataset(const aclmdlDataset* dataset) {
  return Guard([&]() -> aclError {
    if (dataset == nullptr) return NullArgument("dataset");
    const auto removed = Datasets().Remove(dataset);
    if (!removed) return BadHandle("dataset", "a dataset");
    ++dataset_changes;
    removed->Close();
    return ACL_SUCCESS;
  });
}

aclError aclmdlAddDatasetBuffer(aclmdlDataset* dataset, aclDataBuffer* dataBuffer) {
  return Guard([&]() -> aclError {
    std::shared_ptr<Dataset> found;
    if (const aclError code = FindDataset(dataset, &found); code != ACL_SUCCESS) return code;
    if (dataBuffer == nullptr) return NullArgument("dataBuffer");
    auto buffer = Buffers().Find(dataBuffer);
    if (!buffer) return BadHandle("dataBuffer", "a data buffer");
    std::lock_guard lock(found->mutex);
    found->entries.push_back({std::move(buffer), dataBuffer, nullptr, nullptr});
    ++dataset_changes;
    return ACL_SUCCESS;
  });
}

size_t aclmdlGetDatasetNumBuffers(const aclmdlDataset* dataset) {
  return GuardValue<size_t>(0, [&]() -> size_t {
    std::shared_ptr<Dataset> found;
    if (FindDataset(dataset, &found) != ACL_SUCCESS) return 0;
    std::lock_guard lock(found->mutex);
    return found->entries.size();
  });
}

aclDataBuffer* aclmdlGetDatasetBuffer(const aclmdlDataset* dataset, size_t index) {
  return GuardValue<aclDataBuffer*>(nullptr, [&]() -> aclDataBuffer* {
    std::shared_ptr<Dataset> found;
    if (FindDataset(dataset, &found) != ACL_SUCCESS) return nullptr;
    std::lock_guard lock(found->mutex);
    return CheckIndex(*found, index) == ACL_SUCCESS ? found->entries[index].buffer_handle : nullptr;
  });
}

aclError aclmdlSetDatasetTensorDesc(aclmdlDataset* dataset, aclTensorDesc* tensorDesc, size_t index) {
  return Guard([&]() -> aclError {
    std::shared_ptr<Dataset> found;
    if (const aclError code = FindDataset(dataset, &found); code != ACL_SUCCESS) return code;
    {
      std::lock_guard lock(found->mutex);
      if (const aclError code = CheckIndex(*found, index); code != ACL_SUCCESS) return code;
    }
    std::shared_ptr<TensorDesc> copy;
    if (tensorDesc != nullptr) {
      const auto desc = TensorDescs().Find(tensorDesc);
      if (!desc) return BadHandle("tensorDesc", "a tensor description");
      copy = std::make_shared<TensorDesc>(*desc);
    }
    found->SetDesc(index, std::move(copy));
    return ACL_SUCCESS;
  });
}

aclTensorDesc* aclmdlGetDatasetTensorDesc(const aclmdlDataset* dataset, size_t index) {
  return GuardValue<aclTensorDesc*>(nullptr, [&]() -> aclTensorDesc* {
    std::shared_ptr<Dataset> found;
    if (FindDataset(dataset, &found) != ACL_SUCCESS) return nullptr;
    std::lock_guard lock(found->mutex);
    return CheckIndex(*found, index) == ACL_SUCCESS ? found->entries[index].desc_handle : nullptr;
  });
}
