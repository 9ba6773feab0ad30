// Between real numbers and the types that quantisation stores: integers of 2 to 32 bits, 8-bit and 4-bit floats.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/tensor.h"

namespace atc {

// Least and largest value of an integer type of up to 32 bits; false for another type.
bool IntegerRange(DataType dtype, int64_t* low, int64_t* high);

// Whether elements of `dtype` are what Quantize may produce.
bool IsQuantizedType(DataType dtype);

// Writes element i: integers of the value (whole already) saturated; floats rounded to nearest even, saturated or not.
// Types narrower than a byte are packed, low bits first: elements must be written in order into zeroed memory.
class QuantizedWriter {
 public:
  QuantizedWriter(Tensor& to, bool saturate) : to_(to), saturate_(saturate) {}
  void Write(int64_t i, double value);

 private:
  Tensor& to_;
  bool saturate_;
};

// What is wrong with a scale or zero point of shape `parameter` for a tensor of `shape`; empty when it fits, or is not
// known. A vector lies along `axis`.
std::string ParameterFault(const Shape& parameter, const Shape& shape, int64_t axis);

// The tensor minus its zero point, as int32. The zero point is a scalar, a vector along `axis`, or has the rank of the
// tensor and broadcasts to it; an undefined one is zero. Empty `fault`: all fits.
Tensor ShiftedToInt32(const Tensor& tensor, const Tensor& zero_point, int64_t axis, std::string* fault);

// `parameter` (a scale or a zero point) as doubles, one for each element of `shape`; a vector lies along `axis`.
std::vector<double> SpreadAlong(const Tensor& parameter, const Shape& shape, int64_t axis, double absent,
                                std::string* fault);

}  // namespace atc
