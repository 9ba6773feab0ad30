// Integer arithmetic without undefined behaviour, as ONNX and NumPy mean it: sums and products wrap, division truncates
// towards zero, a division by zero gives 0 (NumPy's answer, where C++ has none).
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace atc::integer {

// Through uint64_t, where wrapping is defined; narrowing is modular since C++20.
template <typename T>
T Add(T a, T b) {
  return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
template <typename T>
T Sub(T a, T b) {
  return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
template <typename T>
T Mul(T a, T b) {
  return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
template <typename T>
T Neg(T a) {
  return static_cast<T>(uint64_t{0} - static_cast<uint64_t>(a));
}

template <typename T>
T Div(T a, T b) {
  if (b == 0) return 0;
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return Neg(a);  // the smallest number would trap
  return static_cast<T>(a / b);
}

// Remainder with the sign of the dividend (C's %).
template <typename T>
T TruncMod(T a, T b) {
  if (b == 0 || (std::is_signed_v<T> && b == static_cast<T>(-1))) return 0;
  return static_cast<T>(a % b);
}

// Remainder with the sign of the divisor (Python's %).
template <typename T>
T FloorMod(T a, T b) {
  const T rest = TruncMod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
}

// Wrapping power; a negative exponent truncates 1 / base^|exponent| towards zero (0 for base 0).
template <typename T, typename E>
T Pow(T base, E exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    if (std::is_signed_v<T> && base == static_cast<T>(-1)) return exponent % 2 == 0 ? 1 : static_cast<T>(-1);
    return 0;
  }
  T result = 1;
  for (auto left = static_cast<uint64_t>(exponent); left != 0; left >>= 1) {
    if (left & 1) result = Mul(result, base);
    base = Mul(base, base);
  }
  return result;
}

// A double as T: truncated, kept within T's range, NaN as 0.
template <typename T>
T FromDouble(double x) {
  if constexpr (std::is_integral_v<T>) {
    if (!(x == x)) return 0;
    // Both bounds are powers of two (or 0), so they are exact in double.
    if (x < static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
    if (x >= static_cast<double>(std::numeric_limits<T>::max() / 2 + 1) * 2) return std::numeric_limits<T>::max();
  }
  return static_cast<T>(x);
}

}  // namespace atc::integer
