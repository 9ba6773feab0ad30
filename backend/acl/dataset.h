// An ordered list of data buffers with their descriptions.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "backend/acl/handle_table.h"
#include "backend/acl/include/acl/acl_mdl.h"
#include "backend/acl/objects.h"
#include "backend/executor/model.h"

namespace atc::acl {

struct Dataset {
  struct Entry {
    std::shared_ptr<Buffer> buffer;
    aclDataBuffer* buffer_handle = nullptr;
    std::shared_ptr<TensorDesc> desc;  // null when none was set
    aclTensorDesc* desc_handle = nullptr;
  };
  std::mutex mutex;
  std::vector<Entry> entries;

  // Gives the entry a description of its own, with a handle of the dataset's, in place of the one it had; null takes
  // it away.
  void SetDesc(size_t index, std::shared_ptr<TensorDesc> desc);
  // Under the lock: describes an output that a run has written. The description that a run before gave is kept.
  void Describe(size_t index, const TensorInfo& tensor, const Shape& shape);
  ~Dataset();

 private:
  void Place(Entry& entry, std::shared_ptr<TensorDesc> desc);
};

HandleTable<Dataset>& Datasets();

}  // namespace atc::acl
