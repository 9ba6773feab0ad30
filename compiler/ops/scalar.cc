#include "compiler/ops/scalar.h"

#include "compiler/ops/dispatch.h"
#include "compiler/ops/evaluator.h"
#include "compiler/ops/integer.h"

namespace atc {
namespace {

template <typename... Ts>
Tensor Make(Types<Ts...>, DataType dtype, double value) {
  Tensor tensor;
  ((kDataTypeOf<Ts> == dtype && (tensor = Tensor::Allocate(dtype, {}),
                                 *tensor.MutableData<Ts>() = integer::FromDouble<Ts>(value), true)) ||
   ...);
  return tensor;
}

}  // namespace

Tensor ScalarOf(DataType dtype, double value) {
  if (IsHalf(dtype)) return Narrow(Tensor::Scalar(static_cast<float>(value)), dtype);
  if (dtype == DT_BOOL) return Tensor::From<bool>(DT_BOOL, {}, {value != 0});
  return Make(NumberTypes{}, dtype, value);
}

}  // namespace atc
