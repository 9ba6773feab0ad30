#include "backend/kernels/onednn/general_product.h"

#include <array>
#include <mutex>
#include <string_view>

#include "backend/kernels/team.h"

namespace atc::kernels {
namespace {

constexpr int kSize = 4;  // the smallest products go other ways

template <typename X, typename W, typename Y, typename Multiply>
void CallOnce(std::once_flag& flag, Multiply multiply) {
  std::call_once(flag, [&] {
    const Team alone(1);
    const std::array<X, kSize * kSize> x{};
    const std::array<W, kSize * kSize> w{};
    std::array<Y, kSize * kSize> y{};
    multiply(x.data(), w.data(), y.data());
  });
}

}  // namespace

void MakeReady(const dnnl::primitive& primitive, dnnl::memory::data_type source) {
  using Type = dnnl::memory::data_type;
  const char* name = nullptr;
  dnnl_primitive_desc_query(primitive.get_primitive_desc(), dnnl_query_impl_info_str, 0, &name);
  if (name == nullptr || std::string_view(name).find("gemm") == std::string_view::npos) return;
  static std::once_flag floats, signed_bytes, bytes;
  const int32_t offset = 0;
  if (source == Type::f32) {
    CallOnce<float, float, float>(floats, [](const float* x, const float* w, float* y) {
      dnnl_sgemm('N', 'N', kSize, kSize, kSize, 1.0f, x, kSize, w, kSize, 0.0f, y, kSize);
    });
  } else if (source == Type::s8) {
    CallOnce<int8_t, int8_t, int32_t>(signed_bytes, [&](const int8_t* x, const int8_t* w, int32_t* y) {
      dnnl_gemm_s8s8s32('N', 'N', 'F', kSize, kSize, kSize, 1.0f, x, kSize, 0, w, kSize, 0, 0.0f, y, kSize, &offset);
    });
  } else if (source == Type::u8) {
    CallOnce<uint8_t, int8_t, int32_t>(bytes, [&](const uint8_t* x, const int8_t* w, int32_t* y) {
      dnnl_gemm_u8s8s32('N', 'N', 'F', kSize, kSize, kSize, 1.0f, x, kSize, 0, w, kSize, 0, 0.0f, y, kSize, &offset);
    });
  }
}

}  // namespace atc::kernels
