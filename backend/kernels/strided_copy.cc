#include "backend/kernels/strided_copy.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "backend/kernels/for_team.h"
#include "backend/kernels/interleave.h"

namespace atc::kernels {
namespace {

// Below so many bytes a team costs more than it gains.
constexpr int64_t kTeamBytes = 256 * 1024;

// Four floats that may lie anywhere.
using Four = uint32_t __attribute__((vector_size(16)));

Four Load(const std::byte* from) {
  Four four;
  std::memcpy(&four, from, sizeof four);
  return four;
}

// to[p][q] = from[q][p] of 4 x 4 elements of 4 bytes.
void TransposeFour(const std::byte* from, int64_t from_stride, std::byte* to, int64_t to_stride) {
  const Four a = Load(from), b = Load(from + from_stride), c = Load(from + 2 * from_stride), d = Load(from + 3 * from_stride);
  const Four ab = __builtin_shuffle(a, b, Four{0, 4, 1, 5}), cd = __builtin_shuffle(c, d, Four{0, 4, 1, 5});
  const Four ab2 = __builtin_shuffle(a, b, Four{2, 6, 3, 7}), cd2 = __builtin_shuffle(c, d, Four{2, 6, 3, 7});
  const Four rows[4] = {__builtin_shuffle(ab, cd, Four{0, 1, 4, 5}), __builtin_shuffle(ab, cd, Four{2, 3, 6, 7}),
                        __builtin_shuffle(ab2, cd2, Four{0, 1, 4, 5}), __builtin_shuffle(ab2, cd2, Four{2, 3, 6, 7})};
  for (int r = 0; r < 4; ++r) std::memcpy(to + r * to_stride, &rows[r], sizeof rows[r]);
}

// to[p * to_stride + q] = from[q * from_stride + p], elements of T, strides in bytes.
template <typename T>
void Transpose(const std::byte* from, int64_t from_stride, std::byte* to, int64_t to_stride, int64_t ps, int64_t qs) {
  if constexpr (sizeof(T) == 4) {
    const auto few = [](int64_t count, int64_t stride) {
      return count >= kLeastPlanes && count <= kMostPlanes && stride == count * 4;
    };
    const auto* in = reinterpret_cast<const uint32_t*>(from);
    auto* out = reinterpret_cast<uint32_t*>(to);
    if (few(qs, to_stride) && from_stride % 4 == 0) return Interleave(in, from_stride / 4, qs, ps, out);
    if (few(ps, from_stride) && to_stride % 4 == 0) return Deinterleave(in, ps, qs, out, to_stride / 4);
  }
  constexpr int64_t kTile = 16;  // rows of the source that stay in the first-level cache
  for (int64_t q0 = 0; q0 < qs; q0 += kTile) {
    const int64_t q_end = std::min(qs, q0 + kTile);
    int64_t p = 0;
    if constexpr (sizeof(T) == 4) {
      for (; p + 4 <= ps; p += 4) {
        int64_t q = q0;
        for (; q + 4 <= q_end; q += 4) TransposeFour(from + q * from_stride + p * 4, from_stride, to + p * to_stride + q * 4, to_stride);
        for (; q < q_end; ++q) {
          for (int64_t k = p; k < p + 4; ++k) {
            std::memcpy(to + k * to_stride + q * 4, from + q * from_stride + k * 4, 4);
          }
        }
      }
    }
    for (; p < ps; ++p) {
      for (int64_t q = q0; q < q_end; ++q) {
        std::memcpy(to + p * to_stride + q * static_cast<int64_t>(sizeof(T)),
                    from + q * from_stride + p * static_cast<int64_t>(sizeof(T)), sizeof(T));
      }
    }
  }
}

}  // namespace

void TransposeFloats(const float* from, int64_t from_stride, float* to, int64_t to_stride, int64_t ps, int64_t qs) {
  Transpose<uint32_t>(reinterpret_cast<const std::byte*>(from), from_stride * 4, reinterpret_cast<std::byte*>(to), to_stride * 4,
                      ps, qs);
}

StridedCopy::StridedCopy(const Box& box, int width)
    : width_(width), from_offset_(box.from_offset * width), to_offset_(box.to_offset * width) {
  std::vector<Axis> axes;
  bytes_ = width;
  for (size_t i = 0; i < box.dims.size(); ++i) {
    empty_ |= box.dims[i] == 0;
    bytes_ *= box.dims[i];
    if (box.dims[i] != 1) axes.push_back({box.dims[i], box.from[i] * width, box.to[i] * width});
  }
  // Written in the order of addresses, whatever that is in the source.
  std::stable_sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return std::abs(a.to) > std::abs(b.to); });
  for (const Axis& axis : axes) {
    if (!outer_.empty() && outer_.back().from == axis.from * axis.dim && outer_.back().to == axis.to * axis.dim) {
      outer_.back() = {outer_.back().dim * axis.dim, axis.from, axis.to};
    } else {
      outer_.push_back(axis);
    }
  }
  if (outer_.empty()) {
    last_ = {1, width_, width_};
  } else {
    last_ = outer_.back();
    outer_.pop_back();
  }
  if (last_.from == width_ && last_.to == width_) {
    inner_ = Inner::kRows;
  } else if (last_.from == 0 && last_.to == width_) {
    inner_ = Inner::kRepeat;
  } else if (last_.to == width_) {
    const auto dense = std::find_if(outer_.begin(), outer_.end(), [&](const Axis& axis) { return axis.from == width_; });
    if (dense == outer_.end()) return;
    inner_ = Inner::kTransposed;
    across_ = *dense;
    outer_.erase(dense);
    // One long axis is cut, so that a team has something to share.
    constexpr int64_t kCut = 64;
    if (outer_.empty() && across_.dim >= 2 * kCut && across_.dim % kCut == 0) {
      outer_.push_back({across_.dim / kCut, across_.from * kCut, across_.to * kCut});
      across_.dim = kCut;
    } else if (outer_.empty() && last_.dim >= 2 * kCut && last_.dim % kCut == 0) {
      outer_.push_back({last_.dim / kCut, last_.from * kCut, last_.to * kCut});
      last_.dim = kCut;
    }
  }
}

template <typename T>
void StridedCopy::Move(const std::byte* in, std::byte* out) const {
  if (inner_ == Inner::kTransposed) return Transpose<T>(in, last_.from, out, across_.to, across_.dim, last_.dim);
  if (inner_ == Inner::kRepeat) {
    T value;
    std::memcpy(&value, in, sizeof value);
    std::fill_n(reinterpret_cast<T*>(out), last_.dim, value);
    return;
  }
  for (int64_t i = 0; i < last_.dim; ++i) std::memcpy(out + i * last_.to, in + i * last_.from, sizeof(T));
}

void StridedCopy::MoveInner(const std::byte* in, std::byte* out) const {
  if (inner_ == Inner::kRows) {
    std::memcpy(out, in, static_cast<size_t>(last_.dim * width_));
  } else if (width_ == 4) {
    Move<uint32_t>(in, out);
  } else if (width_ == 2) {
    Move<uint16_t>(in, out);
  } else if (width_ == 1) {
    Move<uint8_t>(in, out);
  } else {
    Move<uint64_t>(in, out);
  }
}

void StridedCopy::Run(const void* from, void* to, int threads) const {
  if (empty_) return;
  const auto* in = static_cast<const std::byte*>(from) + from_offset_;
  auto* out = static_cast<std::byte*>(to) + to_offset_;
  int64_t count = 1;
  for (const Axis& axis : outer_) count *= axis.dim;
  const int parts = threads > 1 && bytes_ >= kTeamBytes ? static_cast<int>(std::min<int64_t>(threads, count)) : 1;
  ForTeam(parts, parts, [&](int part) {
    const int64_t begin = count * part / parts, end = count * (part + 1) / parts;
    int64_t at[16] = {};
    const std::byte* source = in;
    std::byte* target = out;
    int64_t rest = begin;
    for (size_t d = outer_.size(); d-- > 0;) {
      at[d] = rest % outer_[d].dim;
      rest /= outer_[d].dim;
      source += at[d] * outer_[d].from;
      target += at[d] * outer_[d].to;
    }
    for (int64_t i = begin; i < end; ++i) {
      MoveInner(source, target);
      for (size_t d = outer_.size(); d-- > 0;) {
        source += outer_[d].from;
        target += outer_[d].to;
        if (++at[d] < outer_[d].dim) break;
        source -= outer_[d].from * outer_[d].dim;
        target -= outer_[d].to * outer_[d].dim;
        at[d] = 0;
      }
    }
  });
}

}  // namespace atc::kernels
