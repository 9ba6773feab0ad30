#include "backend/kernels/onednn/byte_weights.h"

#include <algorithm>
#include <cstdlib>

#include "compiler/ops/quantize_number.h"

namespace atc::kernels {
namespace {

// Calls `body` with the numbers in their type.
template <typename Body>
auto With(const Tensor& w, Body&& body) {
  return w.dtype() == DT_INT8 ? body(w.Data<int8_t>()) : body(w.Data<int16_t>());
}

// result[i] = convert(w[i])
template <typename To, typename Convert>
Tensor Map(DataType dtype, const Tensor& w, Convert&& convert) {
  Tensor result = Tensor::Allocate(dtype, w.shape());
  With(w, [&](const auto* from) {
    std::transform(from, from + w.NumElements(), result.MutableData<To>(),
                   [&](auto value) { return static_cast<To>(convert(static_cast<int32_t>(value))); });
  });
  return result;
}

bool FitsInt8(const Tensor& w) {
  if (w.dtype() == DT_INT8) return true;
  const int16_t* values = w.Data<int16_t>();
  return std::all_of(values, values + w.NumElements(), [](int16_t v) { return v >= -128 && v <= 127; });
}

bool FitsFloat(const Tensor& w, int64_t outputs, int64_t output_stride, int64_t term_stride) {
  const int64_t terms = w.NumElements() / std::max<int64_t>(outputs, 1);
  return With(w, [&](const auto* values) {
    for (int64_t o = 0; o < outputs; ++o) {
      int64_t sum = 0;
      for (int64_t t = 0; t < terms; ++t) sum += std::abs(int32_t{values[o * output_stride + t * term_stride]});
      if (sum * 255 >= int64_t{1} << 24) return false;
    }
    return true;
  });
}

int32_t FloorQuotient(int32_t value, int32_t by) { return (value - (value % by + by) % by) / by; }

}  // namespace

Tensor ShiftedWeights(const Tensor& w, const Tensor* zero, int64_t axis) {
  const std::vector<double> zeros = zero == nullptr || !zero->defined() ? std::vector<double>{0} : ToDoubles(*zero);
  const bool nothing = std::all_of(zeros.begin(), zeros.end(), [](double z) { return z == 0; });
  const int64_t count = zeros.size() == 1 ? 1 : w.dim(static_cast<size_t>(axis));
  if (static_cast<int64_t>(zeros.size()) != count || (count > 1 && zero->rank() > 1)) return Tensor();
  if (nothing && w.dtype() == DT_INT8) return w;
  int64_t inner = 1;
  for (size_t d = static_cast<size_t>(axis) + 1; d < w.shape().rank(); ++d) inner *= w.dim(d);
  Tensor result = Tensor::Allocate(DT_INT16, w.shape());
  auto* to = result.MutableData<int16_t>();
  const auto shift = [&](const auto* from) {
    int64_t i = 0;
    for (int64_t run = 0; i < w.NumElements(); ++run) {
      const auto less = static_cast<int16_t>(zeros[run % count]);
      for (const int64_t end = i + inner; i < end; ++i) to[i] = static_cast<int16_t>(from[i] - less);
    }
  };
  w.dtype() == DT_INT8 ? shift(w.Data<int8_t>()) : shift(w.Data<uint8_t>());
  return result;
}

WeightParts SplitWeights(const Tensor& w, bool integer, int64_t outputs, int64_t output_stride, int64_t term_stride) {
  const auto fits = [&](const Tensor& part) {
    return integer ? FitsInt8(part) : FitsFloat(part, outputs, output_stride, term_stride);
  };
  const auto typed = [&](const Tensor& part) {
    const auto same = [](int32_t v) { return v; };
    if (!integer) return Map<float>(DT_FLOAT, part, same);
    return part.dtype() == DT_INT8 ? part : Map<int8_t>(DT_INT8, part, same);
  };
  if (fits(w)) return {{typed(w)}, {1}};
  // w = high * base + low with low in [-base / 2, base / 2).
  const int32_t base = integer ? 2 : 16;
  const auto high_of = [&](int32_t v) { return FloorQuotient(v + base / 2, base); };
  const Tensor high = Map<int16_t>(DT_INT16, w, high_of);
  const Tensor low = Map<int16_t>(DT_INT16, w, [&](int32_t v) { return v - base * high_of(v); });
  if (!fits(high) || !fits(low)) return {};
  return {{typed(high), typed(low)}, {static_cast<uint32_t>(base), 1}};
}

std::vector<int32_t> SumWeights(const Tensor& w, int64_t outer, int64_t terms, int64_t inner) {
  std::vector<int32_t> sums(static_cast<size_t>(outer * inner), 0);
  With(w, [&](const auto* from) {
    for (int64_t o = 0; o < outer; ++o) {
      int32_t* to = sums.data() + o * inner;
      if (inner == 1) {
        int32_t sum = 0;
        for (int64_t t = 0; t < terms; ++t) sum += from[o * terms + t];
        *to = sum;
        continue;
      }
      for (int64_t t = 0; t < terms; ++t) {
        for (int64_t i = 0; i < inner; ++i) to[i] += from[(o * terms + t) * inner + i];
      }
    }
  });
  return sums;
}

}  // namespace atc::kernels
