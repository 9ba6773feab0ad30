// Labels and categories of domain ai.onnx.ml: LabelEncoder (CategoryMapper is one too) and OneHotEncoder.
#include <algorithm>
#include <bit>
#include <map>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"

namespace atc {
namespace {

// ---- LabelEncoder: a table from keys to values ----

// A float as its bits, so that NaN is found; both zeros are one key.
uint64_t KeyOf(double value) {
  if (value == 0) return 0;
  return value != value ? ~uint64_t{0} : std::bit_cast<uint64_t>(value);
}

std::vector<std::string> StringKeys(const Tensor& tensor) {
  return {tensor.Data<std::string>(), tensor.Data<std::string>() + tensor.NumElements()};
}

std::vector<uint64_t> NumberKeys(const Tensor& tensor) {
  std::vector<uint64_t> keys;
  if (IsFloating(tensor.dtype())) {
    for (const double value : ToDoubles(tensor)) keys.push_back(KeyOf(value));
  } else {
    for (const int64_t value : ToInts(tensor)) keys.push_back(static_cast<uint64_t>(value));
  }
  return keys;
}

// The last of equal keys counts. -1 where there is none.
template <typename Key>
std::vector<int64_t> Places(const std::vector<Key>& keys, const std::vector<Key>& wanted) {
  std::map<Key, int64_t> place;
  for (size_t i = 0; i < keys.size(); ++i) place[keys[i]] = static_cast<int64_t>(i);
  std::vector<int64_t> found;
  for (const Key& key : wanted) {
    const auto it = place.find(key);
    found.push_back(it == place.end() ? -1 : it->second);
  }
  return found;
}

Tensor TensorAttr(const Node& node, Name name) {
  const Tensor* tensor = node.attrs.FindAs<Tensor>(name);
  return tensor == nullptr ? Tensor() : tensor->Materialized();
}

void InferEncode(InferContext& ctx) {
  const Tensor* values = ctx.node().attrs.FindAs<Tensor>("values_tensor");
  if (values == nullptr) ctx.Fail("it has no values");
  ctx.SetOut(0, values->dtype(), ctx.InShape(0));
}

void EncodeKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  const Tensor keys = TensorAttr(ctx.node(), "keys_tensor"), values = TensorAttr(ctx.node(), "values_tensor");
  const Tensor fallback = TensorAttr(ctx.node(), "default_tensor");
  if (!keys.defined() || !values.defined() || keys.NumElements() != values.NumElements()) {
    ctx.Fail("its keys and values differ in number");
  }
  if (!fallback.defined() || fallback.dtype() != values.dtype() || fallback.NumElements() != 1) {
    ctx.Fail("its default must be one " + std::string(DataTypeName(values.dtype())) + ", the type of its values");
  }
  if (x.dtype() != keys.dtype()) {
    ctx.Fail("input is " + std::string(DataTypeName(x.dtype())) + ", its keys are " +
             std::string(DataTypeName(keys.dtype())));
  }
  const std::vector<int64_t> places =
      x.dtype() == DT_STRING ? Places(StringKeys(keys), StringKeys(x)) : Places(NumberKeys(keys), NumberKeys(x));
  Tensor& y = ctx.Out(0, values.dtype(), x.shape());
  DispatchMovable(ctx, values.dtype(), [&]<typename T>() {
    std::transform(places.begin(), places.end(), y.MutableData<T>(),
                   [&](int64_t place) { return place < 0 ? fallback.Data<T>()[0] : values.Data<T>()[place]; });
  });
}

// ---- OneHotEncoder: a new last axis with a 1 at the place of the category ----

int64_t NumCategories(const Node& node) {
  const auto strings = node.attrs.Get<std::vector<std::string>>("cats_strings", {});
  const auto ints = node.attrs.Get<std::vector<int64_t>>("cats_int64s", {});
  return static_cast<int64_t>(strings.empty() ? ints.size() : strings.size());
}

void InferOneHot(InferContext& ctx) {
  Shape shape = ctx.InShape(0);
  if (shape.HasRank()) shape.dims().push_back(NumCategories(ctx.node()));
  ctx.SetOut(0, DT_FLOAT, shape);
}

// Numbers other than integers are cut to integers first.
std::vector<int64_t> WholeNumbers(const Tensor& tensor) {
  if (!IsFloating(tensor.dtype())) return ToInts(tensor);
  std::vector<int64_t> numbers;
  for (const double value : ToDoubles(tensor)) {
    numbers.push_back(value > -0x1p63 && value < 0x1p63 ? static_cast<int64_t>(value) : INT64_MIN);
  }
  return numbers;
}

void OneHotKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  const auto strings = ctx.node().attrs.Get<std::vector<std::string>>("cats_strings", {});
  const auto ints = ctx.node().attrs.Get<std::vector<int64_t>>("cats_int64s", {});
  if ((x.dtype() == DT_STRING) == strings.empty()) {
    ctx.Fail("input is " + std::string(DataTypeName(x.dtype())) + ", its categories are " +
             (strings.empty() ? "integers" : "strings"));
  }
  const std::vector<int64_t> places = strings.empty() ? Places(ints, WholeNumbers(x)) : Places(strings, StringKeys(x));
  const int64_t width = NumCategories(ctx.node());
  Shape shape = x.shape();
  shape.dims().push_back(width);
  Tensor& y = ctx.Out(0, DT_FLOAT, shape);
  std::fill_n(y.MutableData<float>(), y.NumElements(), 0.0f);
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] >= 0) {
      y.MutableData<float>()[static_cast<int64_t>(i) * width + places[i]] = 1;
    } else if (ctx.Attr<int64_t>("zeros") == 0) {
      ctx.Fail("element " + std::to_string(i) + " is none of the " + std::to_string(width) +
               " categories, and zeros is 0: every element must be one");
    }
  }
}

}  // namespace

void RegisterMlLabelOps(OpRegistry& registry) {
  registry.Add(OpDef("onnx::LabelEncoder")
                   .In("X")
                   .Out("Y")
                   .RequiredAttr("keys_tensor")
                   .RequiredAttr("values_tensor")
                   .RequiredAttr("default_tensor")
                   .Attr("opset", 4)
                   .On(Unit::kHostCpu)
                   .Infer(InferEncode)
                   .Kernel(EncodeKernel));
  registry.Add(OpDef("onnx::OneHotEncoder")
                   .In("X")
                   .Out("Y")
                   .Attr("zeros", 1)
                   .Attr("opset", 1)
                   .On(Unit::kHostCpu)
                   .Infer(InferOneHot)
                   .Kernel(OneHotKernel));
}

}  // namespace atc
