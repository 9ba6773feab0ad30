// Attributes of nodes and graphs: small vectors sorted by name.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/ir/data_type.h"
#include "compiler/ir/name.h"
#include "compiler/ir/tensor.h"

namespace atc {

// Integers are int64_t, floats float, in lists too; a DataType attribute is written as a `dt`.
using AttrValue = std::variant<int64_t, float, bool, std::string, DataType, Tensor, std::vector<int64_t>,
                               std::vector<float>, std::vector<bool>, std::vector<std::string>,
                               std::vector<std::vector<int64_t>>>;

// A number as an attribute value of its own kind: overloads on int would also take bool, float and enumerators.
template <typename T>
  requires std::is_arithmetic_v<T>
AttrValue NumberAttr(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<int64_t>(value);
  } else {
    return static_cast<float>(value);
  }
}

class AttrMap {
 public:
  using Entry = std::pair<Name, AttrValue>;

  const AttrValue* Find(Name name) const;
  bool Has(Name name) const { return Find(name) != nullptr; }
  // The value if the attribute is there and of this type; else nullptr.
  template <typename T>
  const T* FindAs(Name name) const {
    const AttrValue* value = Find(name);
    return value ? std::get_if<T>(value) : nullptr;
  }
  template <typename T>
  T Get(Name name, T fallback) const {
    const T* value = FindAs<T>(name);
    return value ? *value : std::move(fallback);
  }
  void Set(Name name, AttrValue value);
  // Literals would otherwise become bool.
  void Set(Name name, const char* value) { Set(name, AttrValue(std::string(value))); }
  template <typename T>
    requires std::is_arithmetic_v<T>
  void Set(Name name, T value) {
    Set(name, NumberAttr(value));
  }
  void Erase(Name name);

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  size_t size() const { return entries_.size(); }

 private:
  std::vector<Entry> entries_;  // sorted by name
};

bool Equal(const AttrValue& a, const AttrValue& b);
bool Equal(const AttrMap& a, const AttrMap& b);
// For messages and dumps: "[1,1,2,2]", "NCHW", "DT_FLOAT", "tensor DT_FLOAT [3]".
std::string ToString(const AttrValue& value);

}  // namespace atc
