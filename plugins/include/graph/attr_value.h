// The value of an attribute, of any type that an attribute can have.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/ge_error_codes.h"
#include "graph/tensor.h"

// Sources written against this header expect these names without their namespace.
using std::make_shared;
using std::map;
using std::pair;
using std::string;
using std::to_string;
using std::unique_ptr;
using std::vector;

namespace ge {

class AttrValue {
 public:
  using INT = int64_t;
  using FLOAT = float;
  using STR = AscendString;
  template <typename T, typename D>
  static T CreateFrom(D&& value) {
    return value;
  }

  // Integers are int64_t and floats float, in lists too.
  using Storage =
      std::variant<std::monostate, int64_t, float, bool, AscendString, DataType, Tensor, std::vector<int64_t>,
                   std::vector<float>, std::vector<bool>, std::vector<AscendString>, std::vector<DataType>,
                   std::vector<Tensor>, std::vector<std::vector<int64_t>>, std::vector<uint8_t>>;

  template <typename T>
  graphStatus SetAttrValue(const T& value) {
    using D = std::decay_t<T>;
    if constexpr (std::is_same_v<D, std::string>) {
      storage_ = AscendString(value.data(), value.size());
    } else if constexpr (std::is_convertible_v<T, const char*>) {
      storage_ = AscendString(value);
    } else if constexpr (std::is_same_v<D, bool> || std::is_same_v<D, DataType>) {
      storage_ = value;
    } else if constexpr (std::is_integral_v<D>) {
      storage_ = static_cast<int64_t>(value);
    } else if constexpr (std::is_floating_point_v<D>) {
      storage_ = static_cast<float>(value);
    } else if constexpr (std::is_same_v<D, std::vector<int32_t>> || std::is_same_v<D, std::vector<uint32_t>>) {
      storage_ = std::vector<int64_t>(value.begin(), value.end());
    } else if constexpr (std::is_same_v<D, std::vector<std::string>>) {
      std::vector<AscendString> texts;
      for (const std::string& text : value) texts.emplace_back(text.data(), text.size());
      storage_ = std::move(texts);
    } else {
      storage_ = value;
    }
    return GRAPH_SUCCESS;
  }

  // GRAPH_FAILED where the attribute is of another type, or an integer does not fit.
  template <typename T>
  graphStatus GetAttrValue(T& value) const {
    if constexpr (std::is_same_v<T, std::string>) {
      const AscendString* text = std::get_if<AscendString>(&storage_);
      if (text == nullptr) return GRAPH_FAILED;
      value.assign(text->GetString(), text->GetLength());
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      const auto* texts = std::get_if<std::vector<AscendString>>(&storage_);
      if (texts == nullptr) return GRAPH_FAILED;
      value.clear();
      for (const AscendString& text : *texts) value.emplace_back(text.GetString(), text.GetLength());
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      const int64_t* number = std::get_if<int64_t>(&storage_);
      return number == nullptr ? GRAPH_FAILED : Narrow(*number, value);
    } else if constexpr (std::is_same_v<T, std::vector<int32_t>> || std::is_same_v<T, std::vector<uint32_t>>) {
      const auto* numbers = std::get_if<std::vector<int64_t>>(&storage_);
      if (numbers == nullptr) return GRAPH_FAILED;
      T narrow(numbers->size());
      for (size_t i = 0; i < narrow.size(); ++i) {
        if (Narrow((*numbers)[i], narrow[i]) != GRAPH_SUCCESS) return GRAPH_FAILED;
      }
      value = std::move(narrow);
    } else {
      const T* stored = std::get_if<T>(&storage_);
      if (stored == nullptr) return GRAPH_FAILED;
      value = *stored;
    }
    return GRAPH_SUCCESS;
  }

  // Older names.
  template <typename T>
  graphStatus GetValue(T& value) const {
    return GetAttrValue(value);
  }
  template <typename T, typename D>
  graphStatus GetValue(D& value) const {
    T stored;
    if (GetAttrValue(stored) != GRAPH_SUCCESS) return GRAPH_FAILED;
    value = D(stored);
    return GRAPH_SUCCESS;
  }

  bool empty() const { return storage_.index() == 0; }
  const Storage& storage() const { return storage_; }
  Storage& storage() { return storage_; }

 private:
  template <typename T>
  static graphStatus Narrow(int64_t number, T& value) {
    const T narrow = static_cast<T>(number);
    if (static_cast<int64_t>(narrow) != number) return GRAPH_FAILED;
    value = narrow;
    return GRAPH_SUCCESS;
  }

  Storage storage_;
};

}  // namespace ge
