// Forms that kernels of our own give to constants, each made once for all kernels of a model, and of models that are
// loaded together.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/tensor.h"

namespace atc::kernels {

class PreparedConstants;

class SharedForms {
 public:
  // What `make` gives of the constant; `form` says all that it depends on besides, the type T included. `*made`: just now.
  // Several threads may ask at a time; each works alone.
  template <typename T, typename Make>
  std::shared_ptr<const T> Get(const Tensor& constant, std::string_view form, bool* made, const Make& make) {
    if (const auto known = Find(constant, form)) return std::static_pointer_cast<const T>(known);
    auto own = std::make_shared<const T>(make());
    const std::shared_ptr<const void> kept = Keep(constant, form, own);
    *made = kept == own;
    return std::static_pointer_cast<const T>(kept);
  }

 private:
  struct Entry {
    std::weak_ptr<const void> owner;  // of the bytes: another's may lie there once they are freed
    DataType dtype;
    Shape shape;
    std::string form;
    std::shared_ptr<const void> made;
  };
  std::shared_ptr<const void> Find(const Tensor& constant, std::string_view form);
  const Entry* Look(const Tensor& constant, std::string_view form) const;
  // Another thread may have made the same meanwhile: its copy serves both.
  std::shared_ptr<const void> Keep(const Tensor& constant, std::string_view form, std::shared_ptr<const void> made);

  std::mutex mutex_;
  std::map<const void*, std::vector<Entry>> by_bytes_;  // looked up, never walked
};

// Those of the kernels that share `prepared`.
SharedForms& FormsOf(PreparedConstants& prepared);

}  // namespace atc::kernels
