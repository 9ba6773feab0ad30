// Sums of 8-bit products of rows with constant filters, as of a matrix product.
#pragma once

#include <cstdint>

#include "backend/kernels/byte_filters.h"

namespace atc::kernels {

// Rows of x, one a place. With filters.together == 4 a row has bytes, of which a whole number of fours is read; with 2
// it has int16, read in pairs: filters.flip then says nothing, the numbers are unsigned bytes already.
struct ByteRows {
  const void* const* rows;
  int64_t count;
};

// sums[row][channel], wrapping.
void SumByteRows(const ByteFilters& filters, const ByteRows& rows, int32_t* sums);
// What QuantizeRows or RoundRows makes of these sums.
void QuantizeByteRows(const ByteFilters& filters, const ByteRows& rows, uint8_t* out);

// numbers[i] = bytes[i], with `flip` as the unsigned bytes that are greater by 128.
void WidenBytes(int16_t* numbers, const uint8_t* bytes, int64_t count, bool flip);

}  // namespace atc::kernels
