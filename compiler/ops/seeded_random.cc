// TensorFlow's random operators. Their numbers are a function of their seeds: those that have seeds as operands or
// attributes give the very numbers of TensorFlow on a CPU, the first time that it runs them; a seed of 0, which stands for
// any, is made from the node's name, so that a model gives the same results at each run.
#include <cmath>
#include <cstring>
#include <numbers>

#include "compiler/ir/half.h"
#include "compiler/ir/infer_context.h"
#include "compiler/ops/axis_loop.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/tensorflow_families.h"
#include "compiler/ops/math.h"
#include "compiler/ops/movement.h"
#include "compiler/ops/philox.h"

namespace atc {
namespace {

uint64_t Join(uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; }

// Key and counter of the stateless operators, mixed from two seeds so that any seed serves as well as another.
struct KeyCounter {
  uint64_t key, low, high;
};
KeyCounter Mixed(uint64_t seed0, uint64_t seed1) {
  const Philox::Block mix = Philox(0x02461e293ec8f720, seed0, seed1).At(0);
  return {Join(mix[0], mix[1]), 0, Join(mix[2], mix[3])};
}

uint64_t NameHash(const std::string& name) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// Where the seeds are: attributes seed and seed2; operand 1; or operands 1 (key) and 2 (counter).
enum class Seeds { kAttrs, kOperand, kKeyCounter };

Seeds SeedsOf(const OpDef& def) {
  if (def.FindAttr("seed2")) return Seeds::kAttrs;
  return def.inputs.size() > 2 && def.inputs[2].name == "counter" ? Seeds::kKeyCounter : Seeds::kOperand;
}

std::vector<uint64_t> Words(const KernelContext& ctx, size_t i, size_t count) {
  const Tensor& x = ctx.In(i);
  if (!IsInteger(x.dtype()) || x.NumElements() != static_cast<int64_t>(count)) {
    ctx.Fail(ctx.node().def->InputName(i) + " must be " + std::to_string(count) + " integers, it is " +
             std::string(DataTypeName(x.dtype())) + " " + ToString(x.shape()));
  }
  std::vector<uint64_t> words;
  if (x.dtype() == DT_UINT64) {
    words.assign(x.Data<uint64_t>(), x.Data<uint64_t>() + count);
  } else {
    for (const int64_t value : ToInts(x)) words.push_back(static_cast<uint64_t>(value));
  }
  return words;
}

Philox GeneratorOf(const KernelContext& ctx) {
  switch (SeedsOf(*ctx.node().def)) {
    case Seeds::kOperand: {
      const auto seeds = Words(ctx, 1, 2);
      const KeyCounter mixed = Mixed(seeds[0], seeds[1]);
      return {mixed.key, mixed.low, mixed.high};
    }
    case Seeds::kKeyCounter: {
      const auto key = Words(ctx, 1, 1), counter = Words(ctx, 2, 2);
      return {key[0], counter[0], counter[1]};
    }
    case Seeds::kAttrs: break;
  }
  const auto seed = static_cast<uint64_t>(ctx.Attr<int64_t>("seed"));
  const auto seed2 = static_cast<uint64_t>(ctx.Attr<int64_t>("seed2"));
  if (seed == 0 && seed2 == 0) return {NameHash(ctx.node().name), 0, 0};
  return {seed, 0, seed2};
}

// ---- numbers from bits ----

// The fraction bits of a number in [1, 2), less 1.
double Unit32(uint32_t bits) { return static_cast<double>(bits & 0x7fffff) * 0x1p-23; }
double Unit64(uint32_t a, uint32_t b) {
  return static_cast<double>(uint64_t{a & 0xfffff} << 32 | b) * 0x1p-52;
}
double Unit16(uint32_t bits) { return static_cast<double>(bits & 0x3ff) * 0x1p-10; }
double UnitBf16(uint32_t bits) { return static_cast<double>(bits & 0x7f) * 0x1p-7; }

struct Pair {
  double first, second;
};

// Box and Muller's transform in float, as TensorFlow computes it.
Pair NormalPair(uint32_t a, uint32_t b) {
  const float u = std::max(static_cast<float>(Unit32(a)), 1.0e-7f);
  const float angle = static_cast<float>(2 * std::numbers::pi * Unit32(b));
  const float radius = std::sqrt(-2.0f * static_cast<float>(math::Log(u)));
  return {static_cast<float>(math::Sin(angle)) * radius, static_cast<float>(math::Cos(angle)) * radius};
}
Pair NormalPairDouble(const uint32_t* x) {
  const double u = std::max(Unit64(x[0], x[1]), 1.0e-7);
  const double angle = 2 * std::numbers::pi * Unit64(x[2], x[3]), radius = std::sqrt(-2 * math::Log(u));
  return {math::Sin(angle) * radius, math::Cos(angle) * radius};
}

// ---- shapes and types ----

DataType ResultType(const Node& node) { return node.Attr<DataType>("dtype"); }

void InferByShape(InferContext& ctx, DataType dtype) {
  const auto dims = ctx.Ints(0);
  if (!dims) return ctx.SetOut(0, dtype, Shape::UnknownRank());
  Shape shape;
  for (const auto& dim : dims->elements) {
    if (dim && *dim < 0) ctx.Fail("shape holds " + std::to_string(*dim));
    shape.dims().push_back(dim.value_or(kUnknownDim));
  }
  ctx.SetOut(0, dtype, shape);
}
void InferReal(InferContext& ctx) { InferByShape(ctx, ResultType(ctx.node())); }
size_t FirstBound(const OpDef& def) { return def.inputs.size() - 2; }
void InferInt(InferContext& ctx) { InferByShape(ctx, ctx.InType(FirstBound(*ctx.node().def))); }

Shape WantedShape(const KernelContext& ctx) {
  const Shape shape(ToInts(ctx.In(0)));
  if (!shape.IsKnown()) ctx.Fail("shape " + ToString(shape) + " has a negative dim");
  return shape;
}

// Writes element i of output 0 as its type has it.
class Writer {
 public:
  Writer(KernelContext& ctx, DataType dtype, const Shape& shape) : y_(ctx.Out(0, dtype, shape)) {
    if (!IsHalf(dtype) && dtype != DT_FLOAT && dtype != DT_DOUBLE) FailOnType(ctx, dtype);
  }
  int64_t count() const { return y_.NumElements(); }
  void Write(int64_t i, double value) {
    if (i >= count()) return;
    switch (y_.dtype()) {
      case DT_DOUBLE: y_.MutableData<double>()[i] = value; break;
      case DT_FLOAT16: y_.MutableData<uint16_t>()[i] = FloatToHalf(static_cast<float>(value)); break;
      case DT_BF16: y_.MutableData<uint16_t>()[i] = FloatToBFloat16(static_cast<float>(value)); break;
      default: y_.MutableData<float>()[i] = static_cast<float>(value);
    }
  }

 private:
  Tensor& y_;
};

// ---- kernels ----

// A block gives four numbers, of double two.
void UniformKernel(KernelContext& ctx) {
  const Philox generator = GeneratorOf(ctx);
  const DataType dtype = ResultType(ctx.node());
  Writer y(ctx, dtype, WantedShape(ctx));
  const int64_t each = dtype == DT_DOUBLE ? 2 : 4;
  for (int64_t i = 0; i < y.count(); i += each) {
    const Philox::Block x = generator.At(static_cast<uint64_t>(i / each));
    for (int64_t k = 0; k < each; ++k) {
      const auto at = static_cast<size_t>(k);
      y.Write(i + k, dtype == DT_DOUBLE    ? Unit64(x[2 * at], x[2 * at + 1])
                     : dtype == DT_FLOAT   ? Unit32(x[at])
                     : dtype == DT_FLOAT16 ? Unit16(x[at])
                                           : UnitBf16(x[at]));
    }
  }
}

void NormalKernel(KernelContext& ctx) {
  const Philox generator = GeneratorOf(ctx);
  const DataType dtype = ResultType(ctx.node());
  Writer y(ctx, dtype, WantedShape(ctx));
  const int64_t each = dtype == DT_DOUBLE ? 2 : 4;
  for (int64_t i = 0; i < y.count(); i += each) {
    const Philox::Block x = generator.At(static_cast<uint64_t>(i / each));
    const Pair pairs[2] = {dtype == DT_DOUBLE ? NormalPairDouble(x.data()) : NormalPair(x[0], x[1]),
                           NormalPair(x[2], x[3])};
    for (int64_t k = 0; k < each; k += 2) {
      y.Write(i + k, pairs[k / 2].first);
      y.Write(i + k + 1, pairs[k / 2].second);
    }
  }
}

// Normal numbers beyond two deviations are drawn again; 256 words stand ready for each of a group's four numbers.
void TruncatedNormalKernel(KernelContext& ctx) {
  const Philox generator = GeneratorOf(ctx);
  const DataType dtype = ResultType(ctx.node());
  Writer y(ctx, dtype, WantedShape(ctx));
  const int64_t group = dtype == DT_DOUBLE ? 2 : 4;
  for (int64_t i = 0; i < y.count(); i += group) {
    const auto skip = static_cast<uint64_t>(i / group * group * 256 / 4);
    uint64_t used = 0;
    const auto next = [&] {
      const uint32_t word = generator.At(skip + used / 4)[used % 4];
      ++used;
      return word;
    };
    for (int64_t found = 0; found < group;) {
      Pair pair{};
      if (dtype == DT_DOUBLE) {
        const uint32_t words[4] = {next(), next(), next(), next()};
        pair = NormalPairDouble(words);
      } else {
        const uint32_t a = next(), b = next();
        pair = NormalPair(a, b);
      }
      for (const double value : {pair.first, pair.second}) {
        if (std::fabs(value) < 2 && found < group) y.Write(i + found++, value);
      }
    }
  }
}

// low + a word modulo the range; of 64-bit types two words.
void UniformIntKernel(KernelContext& ctx) {
  const Philox generator = GeneratorOf(ctx);
  const size_t bound = FirstBound(*ctx.node().def);
  const DataType dtype = ctx.InType(bound);
  if (ctx.InType(bound + 1) != dtype) ctx.Fail("minval and maxval must have one type");
  for (const size_t i : {bound, bound + 1}) OneInt(ctx, i, ctx.node().def->InputName(i).c_str());
  const Shape shape = WantedShape(ctx);
  Dispatch(Types<int32_t, int64_t, uint32_t, uint64_t>{}, ctx, dtype, [&]<typename T>() {
    using U = std::make_unsigned_t<T>;
    const T low = *ctx.In(bound).Data<T>(), high = *ctx.In(bound + 1).Data<T>();
    T* y = ctx.Out(0, dtype, shape).template MutableData<T>();
    const int64_t count = shape.NumElements();
    if (low >= high && count > 0) ctx.Fail("minval must be below maxval");
    const U range = static_cast<U>(static_cast<U>(high) - static_cast<U>(low));
    const int64_t each = sizeof(T) == 8 ? 2 : 4;
    for (int64_t i = 0; i < count; ++i) {
      const Philox::Block x = generator.At(static_cast<uint64_t>(i / each));
      const auto k = static_cast<size_t>(i % each);
      const U word = sizeof(T) == 8 ? static_cast<U>(Join(x[2 * k], x[2 * k + 1])) : static_cast<U>(x[k]);
      y[i] = static_cast<T>(static_cast<U>(static_cast<U>(low) + word % range));
    }
  });
}

void FullIntKernel(KernelContext& ctx) {
  const Philox generator = GeneratorOf(ctx);
  const DataType dtype = ResultType(ctx.node());
  const Shape shape = WantedShape(ctx);
  Dispatch(Types<int32_t, int64_t, uint32_t, uint64_t>{}, ctx, dtype, [&]<typename T>() {
    T* y = ctx.Out(0, dtype, shape).template MutableData<T>();
    const int64_t each = sizeof(T) == 8 ? 2 : 4;
    for (int64_t i = 0; i < shape.NumElements(); ++i) {
      const Philox::Block x = generator.At(static_cast<uint64_t>(i / each));
      const auto k = static_cast<size_t>(i % each);
      y[i] = sizeof(T) == 8 ? static_cast<T>(Join(x[2 * k], x[2 * k + 1])) : static_cast<T>(x[k]);
    }
  });
}

// ---- choices ----

// Numbers in [0, 1) one after the other.
class Stream {
 public:
  explicit Stream(const Philox& generator) : generator_(generator) {}
  double Next() {
    const Philox::Block x = generator_.At(used_++);
    return Unit64(x[0], x[1]);
  }
  int64_t Below(int64_t count) { return std::min(static_cast<int64_t>(Next() * static_cast<double>(count)), count - 1); }

 private:
  Philox generator_;
  uint64_t used_ = 0;
};

void InferMultinomial(InferContext& ctx) {
  const Shape& logits = ctx.InShape(0);
  if (logits.HasRank() && logits.rank() != 2) ctx.Fail("logits " + ToString(logits) + " must have rank 2");
  const auto samples = ctx.KnownInts(1);
  ctx.SetOut(0, ResultType(ctx.node()), {logits.HasRank() ? logits[0] : kUnknownDim,
                                         samples && samples->size() == 1 ? (*samples)[0] : kUnknownDim});
}

// Classes drawn by the softmax of each row of logarithms.
void MultinomialKernel(KernelContext& ctx) {
  const int64_t samples = OneInt(ctx, 1, "num_samples"), rows = ctx.InShape(0)[0], classes = ctx.InShape(0)[1];
  if (classes < 1 || samples < 0) ctx.Fail("logits have no classes, or num_samples is negative");
  Stream stream([&] {
    if (ctx.HasInput(2)) {
      const auto seeds = Words(ctx, 2, 2);
      const KeyCounter mixed = Mixed(seeds[0], seeds[1]);
      return Philox(mixed.key, mixed.low, mixed.high);
    }
    return GeneratorOf(ctx);
  }());
  std::vector<double> sums = ToDoubles(ctx.In(0));
  const DataType dtype = ResultType(ctx.node());
  Dispatch(IndexTypes{}, ctx, dtype, [&]<typename T>() {
    T* y = ctx.Out(0, dtype, {rows, samples}).template MutableData<T>();
    for (int64_t row = 0; row < rows; ++row) {
      double* p = sums.data() + row * classes;
      const double largest = *std::max_element(p, p + classes);
      double sum = 0;
      for (int64_t c = 0; c < classes; ++c) p[c] = sum += math::Exp(p[c] - largest);
      for (int64_t s = 0; s < samples; ++s) {
        const int64_t c = std::upper_bound(p, p + classes, stream.Next() * sum) - p;
        *y++ = static_cast<T>(std::min(c, classes - 1));
      }
    }
  });
}

void InferShuffle(InferContext& ctx) { ctx.SetOut(0, ctx.InType(0), ctx.InShape(0)); }

// Rows in another order (Fisher and Yates).
void ShuffleKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  if (x.rank() == 0 || x.NumElements() == 0) return ctx.SetOut(0, x);
  const int64_t rows = x.dim(0);
  std::vector<int64_t> order(static_cast<size_t>(rows));
  for (int64_t i = 0; i < rows; ++i) order[static_cast<size_t>(i)] = i;
  Stream stream(GeneratorOf(ctx));
  for (int64_t i = rows - 1; i > 0; --i) {
    std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(stream.Below(i + 1))]);
  }
  Shape row = x.shape();
  row[0] = 1;
  Tensor& y = ctx.Out(0, x.dtype(), x.shape());
  const std::vector<int64_t> strides = x.shape().Strides();
  for (int64_t i = 0; i < rows; ++i) {
    MoveRegion(ctx, row, x, {order[static_cast<size_t>(i)] * strides[0], strides}, &y, {i * strides[0], strides});
  }
}

void InferChoice(InferContext& ctx) {
  const auto count = ctx.KnownInts(1);
  const int64_t n = count && count->size() == 1 ? (*count)[0] : kUnknownDim;
  const Shape& x = ctx.InShape(0);
  ctx.SetOut(0, DT_INT32, {n, x.HasRank() ? static_cast<int64_t>(x.rank()) : kUnknownDim});
  ctx.SetOut(1, DT_BOOL, {n});
}

// Places of at most `count` true elements, chosen at random; what is left over is 0, and false in the mask.
void ChoiceKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  if (x.dtype() != DT_BOOL) FailOnType(ctx, x.dtype());
  const int64_t count = OneInt(ctx, 1, "count"), rank = static_cast<int64_t>(x.rank());
  if (count < 0 || rank < 1) ctx.Fail("count is negative, or x is a scalar");
  std::vector<int64_t> places;
  for (int64_t i = 0; i < x.NumElements(); ++i) {
    if (x.Data<bool>()[i]) places.push_back(i);
  }
  Stream stream(Philox(Words(ctx, 2, 1)[0], Words(ctx, 3, 1)[0], 0));
  const auto found = static_cast<int64_t>(places.size());
  int32_t* y = ctx.Out(0, DT_INT32, {count, rank}).MutableData<int32_t>();
  bool* mask = ctx.Out(1, DT_BOOL, {count}).MutableData<bool>();
  std::fill_n(y, count * rank, 0);
  const std::vector<int64_t> strides = x.shape().Strides();
  for (int64_t i = 0; i < count; ++i) {
    mask[i] = i < found;
    if (!mask[i]) continue;
    std::swap(places[static_cast<size_t>(i)], places[static_cast<size_t>(i + stream.Below(found - i))]);
    int64_t rest = places[static_cast<size_t>(i)];
    for (int64_t d = 0; d < rank; ++d) {
      y[i * rank + d] = static_cast<int32_t>(rest / strides[static_cast<size_t>(d)]);
      rest %= strides[static_cast<size_t>(d)];
    }
  }
}

void InferKeyCounter(InferContext& ctx) {
  ctx.SetOut(0, DT_UINT64, {1});
  ctx.SetOut(1, DT_UINT64, {2});
}
void KeyCounterKernel(KernelContext& ctx) {
  const auto seeds = Words(ctx, 0, 2);
  const KeyCounter mixed = Mixed(seeds[0], seeds[1]);
  *ctx.Out(0, DT_UINT64, {1}).MutableData<uint64_t>() = mixed.key;
  uint64_t* counter = ctx.Out(1, DT_UINT64, {2}).MutableData<uint64_t>();
  counter[0] = mixed.low;
  counter[1] = mixed.high;
}

struct Distribution {
  const char *stateful, *of_seed, *of_key;
  bool integer;  // between operands, of their type
  KernelFn kernel;
};

constexpr Distribution kDistributions[] = {
    {"RandomStandardNormal", "tf::StatelessRandomNormal", "StatelessRandomNormalV2", false, NormalKernel},
    {"RandomUniform", "tf::StatelessRandomUniform", "StatelessRandomUniformV2", false, UniformKernel},
    {"TruncatedNormal", "tf::StatelessTruncatedNormal", "StatelessTruncatedNormalV2", false, TruncatedNormalKernel},
    {"RandomUniformInt", "tf::StatelessRandomUniformInt", "StatelessRandomUniformIntV2", true, UniformIntKernel},
    {nullptr, "tf::StatelessRandomUniformFullInt", "tf::StatelessRandomUniformFullIntV2", false, FullIntKernel},
};

OpDef Seeded(OpDef def) {
  return def.Attr("seed", 0).Attr("seed2", 0).Traits(kStateful).On(Unit::kAiCpu);
}

}  // namespace

void RegisterSeededRandomOps(OpRegistry& registry) {
  for (const Distribution& d : kDistributions) {
    const auto finish = [&](OpDef def) {
      if (d.integer) {
        def.In("min").In("max");
      } else {
        def.Attr("dtype", AttrValue(DT_FLOAT));
      }
      return def.Out("y").On(Unit::kAiCpu).Infer(d.integer ? InferInt : InferReal).Kernel(d.kernel);
    };
    if (d.stateful) registry.Add(finish(Seeded(OpDef(d.stateful).In("shape"))));
    registry.Add(finish(OpDef(d.of_seed).In("shape").In("seed")));
    registry.Add(finish(OpDef(d.of_key).In("shape").In("key").In("counter").In("alg")));
  }
  registry.Add(Seeded(OpDef("Multinomial").In("logits").In("num_samples").Out("y"))
                   .Attr("dtype", AttrValue(DT_INT64)).Infer(InferMultinomial).Kernel(MultinomialKernel));
  registry.Add(OpDef("tf::StatelessMultinomial").In("logits").In("num_samples").In("seed").Out("y").On(Unit::kAiCpu)
                   .Attr("dtype", AttrValue(DT_INT64)).Infer(InferMultinomial).Kernel(MultinomialKernel));
  registry.Add(Seeded(OpDef("RandomShuffle").In("x").Out("y")).Traits(kHalfNative).Infer(InferShuffle)
                   .Kernel(ShuffleKernel));
  registry.Add(OpDef("StatelessRandomChoiceWithMask").In("x").In("count").In("seed").In("offset").Out("y").Out("mask")
                   .On(Unit::kAiCpu).Infer(InferChoice).Kernel(ChoiceKernel));
  registry.Add(OpDef("tf::StatelessRandomGetKeyCounter").In("seed").Out("key").Out("counter").On(Unit::kAiCpu)
                   .Infer(InferKeyCounter).Kernel(KeyCounterKernel));
}

}  // namespace atc
