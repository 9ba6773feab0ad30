#include "compiler/ops/movement.h"

#include <cassert>

#include "compiler/ops/dispatch.h"

namespace atc {
namespace {

thread_local MovementRecorder* recorder = nullptr;

template <typename T>
void Copy(const Shape& shape, const T* from, const Region& source, T* to, const Region& target) {
  const size_t rank = shape.rank();
  from += source.offset;
  to += target.offset;
  if (rank == 0) {
    *to = *from;
    return;
  }
  if (shape.NumElements() == 0) return;
  const int64_t inner = shape[rank - 1];
  const int64_t from_step = source.strides[rank - 1];
  const int64_t to_step = target.strides[rank - 1];
  std::vector<int64_t> at(rank, 0);
  while (true) {
    for (int64_t i = 0; i < inner; ++i) to[i * to_step] = from[i * from_step];
    size_t axis = rank - 1;
    while (axis > 0) {
      --axis;
      from += source.strides[axis];
      to += target.strides[axis];
      if (++at[axis] < shape[axis]) break;
      from -= source.strides[axis] * shape[axis];
      to -= target.strides[axis] * shape[axis];
      at[axis] = 0;
      if (axis == 0) return;
    }
    if (rank == 1) return;
  }
}

// Element i of tensors with several elements a byte, the low bits first.
class Packed {
 public:
  Packed(DataType dtype, std::byte* data) : bits_(DataTypeBits(dtype)), per_byte_(8 / bits_), data_(data) {}
  uint8_t Get(int64_t i) const {
    return static_cast<uint8_t>((std::to_integer<unsigned>(data_[i / per_byte_]) >> Shift(i)) & Mask());
  }
  void Set(int64_t i, uint8_t value) {
    std::byte& byte = data_[i / per_byte_];
    byte = static_cast<std::byte>((std::to_integer<unsigned>(byte) & ~(Mask() << Shift(i))) |
                                  static_cast<unsigned>(value) << Shift(i));
  }

 private:
  unsigned Mask() const { return (1u << bits_) - 1; }
  int Shift(int64_t i) const { return static_cast<int>(i % per_byte_) * bits_; }

  int bits_;
  int per_byte_;
  std::byte* data_;
};

std::vector<uint8_t> Unpack(const Tensor& tensor) {
  const Packed packed(tensor.dtype(), const_cast<std::byte*>(tensor.Data()));
  std::vector<uint8_t> bytes(tensor.NumElements());
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = packed.Get(static_cast<int64_t>(i));
  return bytes;
}

}  // namespace

void MoveRegion(const KernelContext& ctx, const Shape& shape, const Tensor& from, const Region& source, Tensor* to,
                const Region& target) {
  if (recorder != nullptr) {
    recorder->moves.push_back({shape, from, source, to->Data(), target});
    return;
  }
  const int bits = DataTypeBits(from.dtype());
  if (bits < 8) {
    if (bits == 6) FailOnType(ctx, from.dtype());
    const std::vector<uint8_t> input = Unpack(from);
    std::vector<uint8_t> output = Unpack(*to);
    Copy(shape, input.data(), source, output.data(), target);
    Packed packed(to->dtype(), to->MutableData());
    for (size_t i = 0; i < output.size(); ++i) packed.Set(static_cast<int64_t>(i), output[i]);
    return;
  }
  DispatchMovable(ctx, from.dtype(),
                  [&]<typename T>() { Copy(shape, from.Data<T>(), source, to->MutableData<T>(), target); });
}

MovementRecorder::MovementRecorder() { recorder = this; }
MovementRecorder::~MovementRecorder() { recorder = nullptr; }

void MoveToOutput(KernelContext& ctx, size_t i, const Shape& shape, const Tensor& from, const Region& source) {
  Tensor& to = ctx.Out(i, from.dtype(), shape);
  MoveRegion(ctx, shape, from, source, &to, {0, shape.Strides()});
}

}  // namespace atc
