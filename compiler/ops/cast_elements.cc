#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <complex>
#include <limits>

#include "compiler/ir/float8.h"
#include "compiler/ir/half.h"
#include "compiler/ops/cast.h"

namespace atc {
namespace {

// What an element is read as: integers in 64 bits, floats in double, which holds each of their values.
enum class Wide { kSigned, kUnsigned, kFloat, kString, kComplex, kNone };

Wide WideOf(DataType dtype) {
  switch (dtype) {
    case DT_BOOL:
    case DT_UINT64: return Wide::kUnsigned;
    case DT_STRING: return Wide::kString;
    case DT_COMPLEX64:
    case DT_COMPLEX128: return Wide::kComplex;
    default: return IsInteger(dtype) ? Wide::kSigned : IsFloating(dtype) ? Wide::kFloat : Wide::kNone;
  }
}

// To float such that a later rounding to fewer bits is right: what is not exact gets an odd last bit.
float RoundToOdd(double value) {
  float rounded = static_cast<float>(value);
  if (static_cast<double>(rounded) == value || std::isnan(value) || std::isinf(rounded)) return rounded;
  if (std::abs(static_cast<double>(rounded)) > std::abs(value)) rounded = std::nextafterf(rounded, 0.0f);
  return std::bit_cast<float>(std::bit_cast<uint32_t>(rounded) | 1u);
}

template <typename T>
T Truncate(double value) {
  if (std::isnan(value)) return 0;
  // The limits of 64-bit types are not doubles: 2^63 and 2^64 are, and lie outside.
  if (value >= std::ldexp(1.0, std::numeric_limits<T>::digits)) return std::numeric_limits<T>::max();
  if (value <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}

uint8_t EncodeE8M0(double value, const CastRules& rules) {
  if (!(std::abs(value) < std::numeric_limits<double>::infinity())) {
    return std::isnan(value) || !rules.saturate ? 0xFF : 0xFE;
  }
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);  // in [0.5, 1), value = fraction * 2^exponent
  if (fraction == 0) return 0;
  int power = exponent - 1;
  const bool up = rules.e8m0 == CastRules::kUp ? fraction > 0.5 : rules.e8m0 == CastRules::kNearest && fraction >= 0.75;
  power += up;
  if (power > 127) return rules.saturate ? 0xFE : 0xFF;
  return static_cast<uint8_t>(std::max(power, -127) + 127);
}

uint8_t ToSmallFloat(DataType dtype, double value, const CastRules& rules) {
  if (dtype == DT_FLOAT8_E8M0) return EncodeE8M0(value, rules);
  if (dtype == DT_FLOAT4_E2M1) return FloatToFloat4E2M1(RoundToOdd(value));
  return FloatToFloat8(dtype, RoundToOdd(value), rules.saturate);
}

// Writes elements of one tensor; sub-byte ones packed, low bits first.
class Writer {
 public:
  Writer(Tensor* to, const CastRules& rules) : to_(to), rules_(rules), bits_(DataTypeBits(to->dtype())) {}

  // False when the type is not written.
  bool FromFloat(const std::vector<double>& values) {
    switch (to_->dtype()) {
      case DT_FLOAT: return Each<float>(values, [](double v) { return static_cast<float>(v); });
      case DT_DOUBLE: return Each<double>(values, [](double v) { return v; });
      case DT_FLOAT16: return Each<uint16_t>(values, [](double v) { return FloatToHalf(RoundToOdd(v)); });
      case DT_BF16: return Each<uint16_t>(values, [](double v) { return FloatToBFloat16(RoundToOdd(v)); });
      case DT_BOOL: return Each<uint8_t>(values, [](double v) { return v != 0; });
      case DT_INT8: return Each<int8_t>(values, Truncate<int8_t>);
      case DT_INT16: return Each<int16_t>(values, Truncate<int16_t>);
      case DT_INT32: return Each<int32_t>(values, Truncate<int32_t>);
      case DT_INT64: return Each<int64_t>(values, Truncate<int64_t>);
      case DT_UINT8: return Each<uint8_t>(values, Truncate<uint8_t>);
      case DT_UINT16: return Each<uint16_t>(values, Truncate<uint16_t>);
      case DT_UINT32: return Each<uint32_t>(values, Truncate<uint32_t>);
      case DT_UINT64: return Each<uint64_t>(values, Truncate<uint64_t>);
      case DT_INT4:
      case DT_UINT4:
      case DT_INT2:
      case DT_UINT2: return SmallInts(values);
      case DT_FLOAT8_E5M2:
      case DT_FLOAT8_E4M3FN:
      case DT_FLOAT8_E8M0:
      case DT_FLOAT8_E4M3FNUZ:
      case DT_FLOAT8_E5M2FNUZ:
      case DT_FLOAT4_E2M1:
        for (size_t i = 0; i < values.size(); ++i) Put(i, ToSmallFloat(to_->dtype(), values[i], rules_));
        return true;
      default: return false;
    }
  }

  template <typename T>
  bool FromInt(const std::vector<T>& values) {
    switch (to_->dtype()) {
      case DT_FLOAT: return Each<float>(values, [](T v) { return static_cast<float>(v); });
      case DT_BOOL: return Each<uint8_t>(values, [](T v) { return v != 0; });
      case DT_INT8:
      case DT_UINT8: return Each<uint8_t>(values, [](T v) { return static_cast<uint8_t>(v); });
      case DT_INT16:
      case DT_UINT16: return Each<uint16_t>(values, [](T v) { return static_cast<uint16_t>(v); });
      case DT_INT32:
      case DT_UINT32: return Each<uint32_t>(values, [](T v) { return static_cast<uint32_t>(v); });
      case DT_INT64:
      case DT_UINT64: return Each<uint64_t>(values, [](T v) { return static_cast<uint64_t>(v); });
      case DT_INT4:
      case DT_UINT4:
      case DT_INT2:
      case DT_UINT2:
        for (size_t i = 0; i < values.size(); ++i) Put(i, static_cast<uint8_t>(values[i]));
        return true;
      default: return FromFloat(std::vector<double>(values.begin(), values.end()));
    }
  }

 private:
  template <typename T, typename Values, typename F>
  bool Each(const Values& values, F&& convert) {
    std::transform(values.begin(), values.end(), to_->MutableData<T>(), convert);
    return true;
  }

  bool SmallInts(const std::vector<double>& values) {
    for (size_t i = 0; i < values.size(); ++i) Put(i, static_cast<uint8_t>(Truncate<int64_t>(values[i])));
    return true;
  }

  // The low bits of `value` as element i.
  void Put(size_t i, uint8_t value) {
    const size_t per_byte = 8 / static_cast<size_t>(bits_);
    const unsigned shift = static_cast<unsigned>(i % per_byte) * static_cast<unsigned>(bits_);
    const unsigned mask = ((1u << bits_) - 1) << shift;
    std::byte& byte = to_->MutableData()[i / per_byte];
    byte = static_cast<std::byte>((std::to_integer<unsigned>(byte) & ~mask) |
                                  (static_cast<unsigned>(value) << shift & mask));
  }

  Tensor* to_;
  const CastRules& rules_;
  int bits_;
};

std::string Written(double value, bool single) {
  std::string text = single ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
  // Whole numbers are told from integers by their point.
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string ToStrings(const Tensor& from, Tensor* to) {
  std::string* out = to->MutableData<std::string>();
  switch (WideOf(from.dtype())) {
    case Wide::kSigned:
      for (const int64_t value : ToInts(from)) *out++ = fmt::format("{}", value);
      return "";
    case Wide::kUnsigned:
      for (const int64_t value : ToInts(from)) {
        *out++ = from.dtype() == DT_BOOL ? (value ? "True" : "False") : fmt::format("{}", static_cast<uint64_t>(value));
      }
      return "";
    case Wide::kFloat: {
      const bool single = from.dtype() != DT_DOUBLE;
      for (const double value : ToDoubles(from)) *out++ = Written(value, single);
      return "";
    }
    default: return "elements of type " + std::string(DataTypeName(from.dtype())) + " cannot be written as strings";
  }
}

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n+");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

template <typename T>
bool Parse(std::string_view text, T* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

std::string FromStrings(const Tensor& from, Writer& writer, DataType to) {
  std::vector<double> floats;
  std::vector<int64_t> ints;
  for (const std::string& text : from.Span<std::string>()) {
    const std::string_view trimmed = Trimmed(text);
    floats.push_back(0);
    ints.push_back(0);
    const bool whole = Parse(trimmed, &ints.back());
    if (!Parse(trimmed, &floats.back())) return "'" + text + "' is no number";
    if (!whole && WideOf(to) != Wide::kFloat) ints.back() = Truncate<int64_t>(floats.back());
  }
  const bool written = IsFloating(to) ? writer.FromFloat(floats) : writer.FromInt(ints);
  return written ? "" : "strings cannot be read as " + std::string(DataTypeName(to));
}

template <typename From, typename To>
void Complex(const Tensor& from, Tensor* to) {
  std::transform(from.Data<From>(), from.Data<From>() + 2 * from.NumElements(), to->MutableData<To>(),
                 [](From value) { return static_cast<To>(value); });
}

// Everything but strings, which are not moved about in parts.
bool CastPart(const Tensor& from, const CastRules& rules, Tensor* to) {
  Writer writer(to, rules);
  switch (WideOf(from.dtype())) {
    case Wide::kFloat: return writer.FromFloat(ToDoubles(from));
    case Wide::kSigned: return writer.FromInt(ToInts(from));
    case Wide::kUnsigned: {
      const std::vector<int64_t> ints = ToInts(from);
      return writer.FromInt(std::vector<uint64_t>(ints.begin(), ints.end()));
    }
    case Wide::kComplex:
      if (to->dtype() == DT_COMPLEX128) Complex<float, double>(from, to);
      if (to->dtype() == DT_COMPLEX64) Complex<double, float>(from, to);
      return WideOf(to->dtype()) == Wide::kComplex;
    default: return false;
  }
}

// `count` elements from `first` on, a multiple of 8.
Tensor Part(const Tensor& tensor, int64_t first, int64_t count) {
  Buffer buffer = tensor.buffer();
  const size_t skip = DataTypeBytes(tensor.dtype(), first);
  buffer.data += skip;
  buffer.size -= skip;
  return Tensor(tensor.dtype(), {count}, std::move(buffer));
}

}  // namespace

std::string CastElements(const Tensor& from, const CastRules& rules, Tensor* to) {
  const DataType dtype = to->dtype();
  if (from.dtype() == DT_STRING && dtype == DT_STRING) {
    std::copy_n(from.Data<std::string>(), from.NumElements(), to->MutableData<std::string>());
    return "";
  }
  if (from.dtype() == dtype && dtype != DT_VARIANT) {
    std::copy_n(from.Data(), from.NumBytes(), to->MutableData());
    return "";
  }
  if (dtype == DT_STRING) return ToStrings(from, to);
  if (from.dtype() == DT_STRING) {
    Writer writer(to, rules);
    return FromStrings(from, writer, dtype);
  }
  constexpr int64_t kPart = 1 << 16;  // what is wide for a while stays small
  for (int64_t first = 0; first < from.NumElements(); first += kPart) {
    const int64_t count = std::min(kPart, from.NumElements() - first);
    Tensor part = Part(*to, first, count);
    if (CastPart(Part(from, first, count), rules, &part)) continue;
    return "elements of type " + std::string(DataTypeName(from.dtype())) + " cannot become " +
           std::string(DataTypeName(dtype));
  }
  return "";
}

}  // namespace atc
