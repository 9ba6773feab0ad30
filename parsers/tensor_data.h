// Tensors from bytes and numbers that lie in a model file.
#pragma once

#include <cstring>

#include "compiler/ir/tensor.h"
#include "parsers/wire_scanner.h"

namespace atc {

// What `make` makes: at once when it is small, else whenever it is asked for, so that memory holds few of them at a time.
Tensor SmallOrDeferred(DataType dtype, const Shape& shape, TensorProducer make);

// A view on the window, which has the bytes that dtype and shape ask for; a copy where it is misaligned for the type.
Tensor TensorOfWindow(DataType dtype, const Shape& shape, Buffer window);

// Values of a numeric field, handed to `take` one by one as 64-bit patterns. `single` is the wire type of one of them.
template <typename Take>
void ForEachNumber(const ModelFile& file, const TensorPayload::Field& field, WireType single, Take&& take) {
  const auto read = [&](WireReader& reader) {
    if (single == kVarint) return reader.Varint();
    const size_t bytes = single == kFixed32 ? 4 : 8;
    const uint64_t at = reader.offset();
    reader.Skip(bytes);
    uint64_t value = 0;
    std::memcpy(&value, file.data() + at, bytes);
    return value;
  };
  for (const Segment& segment : field.segments) {
    WireReader reader(file, segment.offset, segment.offset + segment.size);
    while (!reader.done()) {
      if (!segment.packed) {
        int number = 0;
        int wire_type = 0;
        reader.Tag(&number, &wire_type);
      }
      take(read(reader));
    }
  }
}

}  // namespace atc
