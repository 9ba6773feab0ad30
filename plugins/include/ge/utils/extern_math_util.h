// Whether an integer fits another type.
#pragma once

#include <limits>
#include <type_traits>

namespace ge {

template <typename T>
struct IntegerChecker {
  template <typename V>
  static bool Compat(const V value) {
    static_assert(std::is_integral_v<T> && std::is_integral_v<V>, "integers alone are compared");
    const T narrow = static_cast<T>(value);
    return static_cast<V>(narrow) == value && (narrow < T{}) == (value < V{});
  }
};

}  // namespace ge
