// Maps of domain ai.onnx.ml: CastMap, DictVectorizer and ZipMap.
//
// A map is a DT_VARIANT of two elements: its keys in ascending order, and as many values, each a vector. A sequence of
// maps is a DT_VARIANT of maps.
#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <numeric>

#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/ml_scores.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;
using Texts = std::vector<std::string>;

Tensor MakeMap(Tensor keys, Tensor values) {
  return Tensor::From<Tensor>(DT_VARIANT, {2}, {std::move(keys), std::move(values)});
}

// Keys and values of input 0.
std::pair<Tensor, Tensor> ReadMap(const KernelContext& ctx) {
  const Tensor& map = ctx.In(0);
  if (map.dtype() != DT_VARIANT || map.NumElements() != 2) ctx.Fail("its input is no map");
  const Tensor &keys = map.Data<Tensor>()[0], &values = map.Data<Tensor>()[1];
  if (keys.NumElements() != values.NumElements() || (keys.dtype() != DT_STRING && keys.dtype() != DT_INT64)) {
    ctx.Fail("its input is no map: keys must be strings or integers and as many as the values");
  }
  return {keys, values};
}

// ---- ZipMap: for each row a map from class labels to scores ----

void InferZip(InferContext& ctx) {
  TensorDesc maps(DT_VARIANT, {ml::NumRows(ctx)});
  maps.element = std::make_shared<const TensorDesc>(DT_VARIANT, Shape{2});  // what reads one from the sequence asks for it
  ctx.SetOutLike(0, maps);
}

template <typename Key>
void Zip(KernelContext& ctx, const std::vector<Key>& labels) {
  const ml::Features x = ml::ReadFeatures(ctx);
  if (static_cast<int64_t>(labels.size()) != x.columns) {
    ctx.Fail("it has " + std::to_string(labels.size()) + " labels for rows of " + std::to_string(x.columns));
  }
  std::vector<size_t> order(labels.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return labels[a] < labels[b]; });
  std::vector<Key> keys;
  for (const size_t i : order) keys.push_back(labels[i]);
  const Tensor key_tensor = Tensor::From(kDataTypeOf<Key>, {x.columns}, keys);
  Tensor& out = ctx.Out(0, DT_VARIANT, {x.rows});
  for (int64_t r = 0; r < x.rows; ++r) {
    std::vector<float> values;
    for (const size_t i : order) values.push_back(static_cast<float>(x.Row(r)[i]));
    out.MutableData<Tensor>()[r] = MakeMap(key_tensor, Tensor::From(DT_FLOAT, {x.columns}, values));
  }
}

void ZipKernel(KernelContext& ctx) {
  const auto texts = ctx.node().attrs.Get<Texts>("classlabels_strings", {});
  if (texts.empty()) {
    Zip<int64_t>(ctx, ctx.node().attrs.Get<Ints>("classlabels_int64s", {}));
  } else {
    Zip<std::string>(ctx, texts);
  }
}

// ---- DictVectorizer: the values of a map in the order of a vocabulary, zero where it lacks one ----

int64_t VocabularySize(const Node& node) {
  return static_cast<int64_t>(std::max(node.attrs.Get<Texts>("string_vocabulary", {}).size(),
                                       node.attrs.Get<Ints>("int64_vocabulary", {}).size()));
}

// The type of a map's values is not known before it runs: float, which nearly all have, is foretold.
void InferVectorize(InferContext& ctx) { ctx.SetOut(0, DT_FLOAT, {1, VocabularySize(ctx.node())}); }

template <typename Key>
void Vectorize(KernelContext& ctx, const std::vector<Key>& vocabulary) {
  const auto [keys, values] = ReadMap(ctx);
  if (keys.dtype() != kDataTypeOf<Key>) {
    ctx.Fail("keys are " + std::string(DataTypeName(keys.dtype())) + ", its vocabulary is " +
             std::string(DataTypeName(kDataTypeOf<Key>)));
  }
  std::map<Key, int64_t> place;
  for (int64_t i = 0; i < keys.NumElements(); ++i) place[keys.template Data<Key>()[i]] = i;
  const std::vector<double> numbers = ToDoubles(values);
  Tensor& out = ctx.Out(0, DT_FLOAT, {1, static_cast<int64_t>(vocabulary.size())});
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    const auto found = place.find(vocabulary[i]);
    out.MutableData<float>()[i] =
        found == place.end() ? 0 : static_cast<float>(numbers[static_cast<size_t>(found->second)]);
  }
}

void VectorizeKernel(KernelContext& ctx) {
  const auto texts = ctx.node().attrs.Get<Texts>("string_vocabulary", {});
  if (texts.empty()) {
    Vectorize<int64_t>(ctx, ctx.node().attrs.Get<Ints>("int64_vocabulary", {}));
  } else {
    Vectorize<std::string>(ctx, texts);
  }
}

// ---- CastMap: the values of a map as a row, in ascending order of the keys ----

DataType CastTarget(const Node& node) {
  const auto word = node.Attr<std::string>("cast_to");
  return word == "TO_FLOAT" ? DT_FLOAT : word == "TO_INT64" ? DT_INT64 : word == "TO_STRING" ? DT_STRING : DT_UNDEFINED;
}

bool IsDense(const Node& node) { return node.Attr<std::string>("map_form") != "SPARSE"; }

void InferCast(InferContext& ctx) {
  if (CastTarget(ctx.node()) == DT_UNDEFINED) {
    ctx.Fail("cast_to is '" + ctx.Attr<std::string>("cast_to") + "', wanted TO_FLOAT, TO_INT64 or TO_STRING");
  }
  ctx.SetOut(0, CastTarget(ctx.node()), {1, IsDense(ctx.node()) ? kUnknownDim : ctx.Attr<int64_t>("max_map")});
}

double ToNumber(const KernelContext& ctx, const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) ctx.Fail("the value '" + text + "' is no number");
  return number;
}

std::string ToText(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, static_cast<float>(number)).ptr};
}

// Dense: values one behind another. Sparse: each at the place that its key, an integer, says; the rest is 0 or "".
void CastKernel(KernelContext& ctx) {
  const auto [keys, values] = ReadMap(ctx);
  const DataType target = CastTarget(ctx.node());
  const int64_t count = values.NumElements(), width = IsDense(ctx.node()) ? count : ctx.Attr<int64_t>("max_map");
  if (!IsDense(ctx.node()) && (keys.dtype() != DT_INT64 || width < 1)) {
    ctx.Fail("map_form SPARSE wants integer keys and max_map of at least 1, which is " + std::to_string(width));
  }
  Tensor& out = ctx.Out(0, target, {1, width});
  if (target != DT_STRING) std::fill_n(out.MutableData<uint8_t>(), out.NumBytes(), uint8_t{0});
  std::vector<double> numbers;
  if (values.dtype() != DT_STRING) {
    numbers = ToDoubles(values);
  } else if (target != DT_STRING) {
    for (const std::string& text : values.Span<std::string>()) numbers.push_back(ToNumber(ctx, text));
  }
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = IsDense(ctx.node()) ? i : keys.Data<int64_t>()[i];
    if (at < 0 || at >= width) {
      ctx.Fail("the key " + std::to_string(at) + " is outside 0 to below max_map, " + std::to_string(width));
    }
    if (target == DT_FLOAT) {
      out.MutableData<float>()[at] = static_cast<float>(numbers[static_cast<size_t>(i)]);
    } else if (target == DT_INT64) {
      out.MutableData<int64_t>()[at] = static_cast<int64_t>(numbers[static_cast<size_t>(i)]);
    } else {
      out.MutableData<std::string>()[at] =
          numbers.empty() ? values.Data<std::string>()[i] : ToText(numbers[static_cast<size_t>(i)]);
    }
  }
}

OpDef Map(Name type) { return OpDef(type).In("X").Out("Y").Attr("opset", 1).On(Unit::kHostCpu); }

}  // namespace

void RegisterMlMapOps(OpRegistry& registry) {
  registry.Add(Map("onnx::CastMap")
                   .Attr("cast_to", "TO_FLOAT")
                   .Attr("map_form", "DENSE")
                   .Attr("max_map", 1)
                   .Infer(InferCast)
                   .Kernel(CastKernel));
  registry.Add(Map("onnx::DictVectorizer").Infer(InferVectorize).Kernel(VectorizeKernel));
  registry.Add(Map("onnx::ZipMap").Infer(InferZip).Kernel(ZipKernel));
}

}  // namespace atc
