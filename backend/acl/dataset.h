// An ordered list of data buffers with their descriptions.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/acl/handle_table.h"
#include "backend/acl/include/acl/acl_mdl.h"
#include "backend/acl/objects.h"
#include "backend/executor/model.h"

namespace atc::acl {

// How often a program has changed datasets and data buffers: while the number stands, what was seen in them is right.
extern std::atomic<uint64_t> dataset_changes;

struct Dataset {
  struct Entry {
    std::shared_ptr<Buffer> buffer;
    aclDataBuffer* buffer_handle = nullptr;
    std::shared_ptr<TensorDesc> desc;  // null when none was set
    aclTensorDesc* desc_handle = nullptr;
  };
  std::mutex mutex;
  std::vector<Entry> entries;
  bool closed = false;

  // Gives the entry a description of its own, with a handle of the dataset's, in place of the one it had; null takes
  // it away.
  void SetDesc(size_t index, std::shared_ptr<TensorDesc> desc);
  // Under the lock: describes an output that a run has written. The description that a run before gave is kept; with
  // `same_handles` no description was destroyed since.
  void Describe(size_t index, const TensorInfo& tensor, const Shape& shape, bool same_handles);
  // When its handle goes: those of its descriptions go with it. A run that is queued may still hold it.
  void Close();

 private:
  void Place(Entry& entry, std::shared_ptr<TensorDesc> desc);
};

HandleTable<Dataset>& Datasets();

}  // namespace atc::acl
