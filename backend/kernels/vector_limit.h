// Which vector instructions our own kernels may use.
#pragma once

#include <cstdint>
#include <string_view>

namespace atc::kernels {

// Targets of Highway that are beyond a value of DNNL_MAX_CPU_ISA (SSE41, AVX, AVX2, AVX2_VNNI, AVX512_CORE, ...): what that
// variable takes from oneDNN is taken from our kernels too, so that one word limits a whole process. None for values that
// limit nothing here.
int64_t TargetsBeyond(std::string_view limit);

// Whether vectors of 16 floats are here and not taken away.
bool HasWideVectors();

// Whether sums of products of bytes by AVX-512's VNNI are here and not taken away.
bool HasVnni();

}  // namespace atc::kernels
