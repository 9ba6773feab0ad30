// onnx::TfIdfVectorizer: counts of known n-grams in each row, weighted.
#include <algorithm>
#include <map>

#include "compiler/ir/infer_context.h"
#include "compiler/ir/kernel_context.h"
#include "compiler/ops/families.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

// Length of the output's last axis: the largest column that an n-gram is counted in, and one.
template <typename Context>
int64_t NumColumns(const Context& ctx) {
  int64_t largest = -1;
  for (const int64_t column : ctx.node().attrs.template Get<Ints>("ngram_indexes", {})) {
    if (column < 0) ctx.Fail("ngram_indexes holds " + std::to_string(column) + ", wanted at least 0");
    largest = std::max(largest, column);
  }
  return largest + 1;
}

// The n-grams of the pool: the number that each has in it.
template <typename T>
using Pool = std::map<std::vector<T>, size_t>;

// The pool lists all 1-grams, then all 2-grams, ...; ngram_counts tells where each length begins.
template <typename T, typename Context>
Pool<T> MakePool(const Context& ctx, const std::vector<T>& items, int64_t shortest, int64_t longest) {
  const Ints begins = ctx.node().attrs.template Get<Ints>("ngram_counts", {});
  Pool<T> pool;
  size_t number = 0;
  for (size_t i = 0; i < begins.size(); ++i) {
    const auto size = static_cast<int64_t>(items.size());
    const int64_t begin = begins[i], end = i + 1 < begins.size() ? begins[i + 1] : size;
    const auto length = static_cast<int64_t>(i) + 1;
    if (begin < 0 || begin > end || end > size || (end - begin) % length != 0) {
      ctx.Fail("ngram_counts: the " + std::to_string(length) + "-grams from " + std::to_string(begin) + " to " +
               std::to_string(end) + " do not fit the pool of " + std::to_string(size) + " items");
    }
    for (int64_t at = begin; at < end; at += length, ++number) {
      if (length < shortest || length > longest) continue;
      pool.emplace(std::vector<T>(items.begin() + at, items.begin() + at + length), number);
    }
  }
  return pool;
}

// What the attributes say, checked.
template <typename T>
struct Vocabulary {
  int64_t shortest, longest, most_skips;
  std::string mode;
  Pool<T> pool;
  Ints column_of;  // of each n-gram
  std::vector<float> weights;
};

template <typename T, typename Context>
Vocabulary<T> MakeVocabulary(const Context& ctx, const std::vector<T>& items) {
  Vocabulary<T> v{ctx.template Attr<int64_t>("min_gram_length"), ctx.template Attr<int64_t>("max_gram_length"),
                  ctx.template Attr<int64_t>("max_skip_count"), ctx.template Attr<std::string>("mode"), {},
                  ctx.node().attrs.template Get<Ints>("ngram_indexes", {}),
                  ctx.node().attrs.template Get<std::vector<float>>("weights", {})};
  if (v.shortest < 1 || v.longest < v.shortest || v.most_skips < 0) {
    ctx.Fail("min_gram_length " + std::to_string(v.shortest) + ", max_gram_length " + std::to_string(v.longest) +
             " and max_skip_count " + std::to_string(v.most_skips) + " must be in 1 <= min <= max and 0 <= skips");
  }
  if (v.mode != "TF" && v.mode != "IDF" && v.mode != "TFIDF") {
    ctx.Fail("mode is '" + v.mode + "', wanted TF, IDF or TFIDF");
  }
  v.pool = MakePool<T>(ctx, items, v.shortest, v.longest);
  for (const auto& [gram, number] : v.pool) {
    if (number >= v.column_of.size() || (!v.weights.empty() && number >= v.weights.size())) {
      ctx.Fail("ngram_indexes and weights must have an entry for each of the pool's n-grams");
    }
  }
  return v;
}

template <typename Context>
std::vector<std::string> StringPool(const Context& ctx) {
  return ctx.node().attrs.template Get<std::vector<std::string>>("pool_strings", {});
}

template <typename Context>
Ints IntPool(const Context& ctx) {
  return ctx.node().attrs.template Get<Ints>("pool_int64s", {});
}

void InferTfIdf(InferContext& ctx) {
  if (ctx.InType(0) == DT_STRING) {
    MakeVocabulary(ctx, StringPool(ctx));
  } else {
    MakeVocabulary(ctx, IntPool(ctx));
  }
  Shape shape = ctx.InShape(0);
  if (shape.HasRank()) {
    if (shape.rank() != 1 && shape.rank() != 2) ctx.Fail("input " + ToString(shape) + " must be [C] or [N,C]");
    shape.dims().back() = NumColumns(ctx);
  }
  ctx.SetOut(0, DT_FLOAT, shape);
}

// Adds to `counts` each n-gram of the row whose items are `skip` + 1 apart.
template <typename T>
void CountRow(const Pool<T>& pool, const T* row, int64_t columns, int64_t length, int64_t skip,
              std::vector<int64_t>& counts) {
  const int64_t step = skip + 1;
  std::vector<T> gram(static_cast<size_t>(length));
  for (int64_t begin = 0; begin < columns - (length - 1) * step; ++begin) {
    for (int64_t i = 0; i < length; ++i) gram[static_cast<size_t>(i)] = row[begin + i * step];
    const auto found = pool.find(gram);
    if (found != pool.end()) ++counts[found->second];
  }
}

template <typename T>
void Vectorize(KernelContext& ctx, const std::vector<T>& items, const std::vector<T>& x) {
  const Vocabulary<T> vocabulary = MakeVocabulary(ctx, items);
  const auto& [shortest, longest, most_skips, mode, pool, column_of, weights] = vocabulary;
  const Shape& in = ctx.InShape(0);
  const int64_t columns = in[in.rank() - 1], rows = in.rank() == 1 ? 1 : in[0];
  Shape shape = in;
  const int64_t width = shape.dims().back() = NumColumns(ctx);
  Tensor& out = ctx.Out(0, DT_FLOAT, shape);
  float* y = out.MutableData<float>();
  std::fill_n(y, out.NumElements(), 0.0f);
  for (int64_t r = 0; r < rows; ++r) {
    std::vector<int64_t> counts(column_of.size(), 0);
    for (int64_t length = shortest; length <= std::min(longest, columns); ++length) {
      // Single items have nothing to skip between; further apart than the row is long there is nothing.
      const int64_t skips = length == 1 ? 0 : std::min(most_skips, columns);
      for (int64_t skip = 0; skip <= skips; ++skip)
        CountRow(pool, x.data() + r * columns, columns, length, skip, counts);
    }
    for (size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      const float weight = mode == "TF" || weights.empty() ? 1.0f : weights[i];
      y[r * width + column_of[i]] += mode == "IDF" ? weight : static_cast<float>(counts[i]) * weight;
    }
  }
}

void TfIdfKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  if (x.rank() != 1 && x.rank() != 2) ctx.Fail("input " + ToString(x.shape()) + " must be [C] or [N,C]");
  if (x.dtype() == DT_STRING) {
    Vectorize<std::string>(ctx, StringPool(ctx), {x.Span<std::string>().begin(), x.Span<std::string>().end()});
  } else if (x.dtype() == DT_INT32 || x.dtype() == DT_INT64) {
    Vectorize<int64_t>(ctx, IntPool(ctx), ToInts(x));
  } else {
    ctx.Fail("input is " + std::string(DataTypeName(x.dtype())) + ", wanted DT_STRING, DT_INT32 or DT_INT64");
  }
}

}  // namespace

void RegisterTfidfOps(OpRegistry& registry) {
  registry.Add(OpDef("onnx::TfIdfVectorizer")
                   .In("X")
                   .Out("Y")
                   .Attr("max_gram_length", 1)
                   .Attr("max_skip_count", 0)
                   .Attr("min_gram_length", 1)
                   .Attr("mode", "TF")
                   .Attr("opset", 9)
                   .On(Unit::kHostCpu)
                   .Infer(InferTfIdf)
                   .Kernel(TfIdfKernel));
}

}  // namespace atc
