// Constants in the types and layouts that primitives want, each made once for all kernels of a model.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "backend/kernels/kernel.h"
#include "backend/kernels/onednn/engine.h"
#include "backend/kernels/shared_forms.h"

namespace atc::kernels {

class PreparedConstants {
 public:
  struct Prepared {
    KeptMemory kept;
    bool made = false;  // just now
    bool own = false;   // else it is the constant where it is, which must stay valid as long as the memory
  };
  // The constant as float in the layout `wanted`; `plain` says how it lies. Where it lies as wanted it is used as it is.
  // Several threads may ask at a time; each works alone.
  Prepared Get(const Tensor& constant, const dnnl::memory::desc& plain, const dnnl::memory::desc& wanted);

  SharedForms forms;  // of kernels of our own

 private:
  struct Entry {
    std::weak_ptr<const void> owner;  // of the bytes: another's may lie there once they are freed
    DataType dtype;
    dnnl::memory::desc plain;
    KeptMemory prepared;
  };
  std::optional<KeptMemory> Find(const Tensor& constant, const dnnl::memory::desc& plain,
                                 const dnnl::memory::desc& wanted) const;

  std::mutex mutex_;
  std::map<const void*, std::vector<Entry>> by_bytes_;  // looked up, never walked
};

}  // namespace atc::kernels
