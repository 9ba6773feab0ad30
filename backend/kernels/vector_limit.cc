#include "backend/kernels/vector_limit.h"

#include <hwy/targets.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>

namespace atc::kernels {
namespace {

constexpr int64_t kBeyondAvx2 = HWY_AVX3 | HWY_AVX3_DL;

std::string Upper(const char* text) {
  std::string upper = text == nullptr ? "" : text;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return upper;
}

std::string Limit() {
  const char* limit = std::getenv("ONEDNN_MAX_CPU_ISA");
  return Upper(limit == nullptr ? std::getenv("DNNL_MAX_CPU_ISA") : limit);
}

// When the library is loaded, before a kernel has chosen its target.
const bool kLimited = [] {
  if (const int64_t targets = TargetsBeyond(Limit()); targets != 0) hwy::DisableTargets(targets);
  return true;
}();

}  // namespace

int64_t TargetsBeyond(std::string_view limit) {
  if (limit.starts_with("AVX2")) return kBeyondAvx2;
  if (limit == "AVX" || limit == "SSE41") return kBeyondAvx2 | HWY_AVX2;
  return 0;
}

bool HasWideVectors() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx512f") != 0 && TargetsBeyond(Limit()) == 0;
  return has;
#else
  return false;
#endif
}

bool HasVnni() {
#if defined(__x86_64__)
  static const bool has =
      __builtin_cpu_supports("avx512vnni") != 0 && Limit() != "AVX512_CORE" && TargetsBeyond(Limit()) == 0;
  return has;
#else
  return false;
#endif
}

}  // namespace atc::kernels
