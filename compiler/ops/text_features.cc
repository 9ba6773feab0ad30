// TensorFlow's operators that turn text into numbers: splitting, n-grams, hashing.
#include <cstring>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/axis_loop.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"

namespace atc {
namespace {

std::span<const std::string> Strings(const KernelContext& ctx, size_t i) {
  if (ctx.InType(i) != DT_STRING) ctx.Fail("input " + std::to_string(i) + " must hold strings");
  return ctx.In(i).Span<std::string>();
}

std::string OneString(const KernelContext& ctx, size_t i) {
  if (Strings(ctx, i).size() != 1) ctx.Fail(ctx.node().def->InputName(i) + " must be one string");
  return Strings(ctx, i)[0];
}

// ---- StringSplit (any character of the delimiter separates) and StringSplitV2 (the whole separator does) ----

void InferSplit(InferContext& ctx) {
  ctx.SetOut(0, DT_INT64, {kUnknownDim, 2});
  ctx.SetOut(1, DT_STRING, {kUnknownDim});
  ctx.SetOut(2, DT_INT64, {2});
}

std::vector<std::string> SplitAtAny(const std::string& text, const std::string& delimiters, bool skip_empty) {
  std::vector<std::string> tokens;
  if (delimiters.empty()) {  // every byte is a token
    for (const char c : text) tokens.emplace_back(1, c);
    return tokens;
  }
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find_first_of(delimiters, begin), text.size());
    if (end > begin || !skip_empty) tokens.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return tokens;
}

// An empty separator means whitespace, of which runs separate.
std::vector<std::string> SplitAtWhole(const std::string& text, const std::string& separator, int64_t most) {
  static constexpr const char* kSpace = " \t\n\v\f\r";
  std::vector<std::string> tokens;
  size_t begin = separator.empty() ? text.find_first_not_of(kSpace) : 0;
  while (begin != std::string::npos && begin <= text.size()) {
    const bool last = most >= 0 && static_cast<int64_t>(tokens.size()) == most;
    const size_t found = separator.empty() ? text.find_first_of(kSpace, begin) : text.find(separator, begin);
    if (last || found == std::string::npos) {
      tokens.push_back(text.substr(begin));
      break;
    }
    tokens.push_back(text.substr(begin, found - begin));
    begin = separator.empty() ? text.find_first_not_of(kSpace, found) : found + separator.size();
  }
  return tokens;
}

template <bool kWhole>
void SplitKernel(KernelContext& ctx) {
  const auto texts = Strings(ctx, 0);
  const std::string delimiter = OneString(ctx, 1);
  std::vector<int64_t> places;
  std::vector<std::string> values;
  size_t widest = 0;
  for (size_t row = 0; row < texts.size(); ++row) {
    std::vector<std::string> tokens;
    if constexpr (kWhole) {
      tokens = SplitAtWhole(texts[row], delimiter, ctx.Attr<int64_t>("maxsplit"));
    } else {
      tokens = SplitAtAny(texts[row], delimiter, ctx.Attr<bool>("skip_empty"));
    }
    widest = std::max(widest, tokens.size());
    for (size_t k = 0; k < tokens.size(); ++k) {
      places.push_back(static_cast<int64_t>(row));
      places.push_back(static_cast<int64_t>(k));
      values.push_back(std::move(tokens[k]));
    }
  }
  const auto count = static_cast<int64_t>(values.size());
  ctx.SetOut(0, Tensor::From(DT_INT64, {count, 2}, places));
  ctx.SetOut(1, Tensor::From(DT_STRING, {count}, values));
  ctx.SetOut(2, Tensor::Ints({static_cast<int64_t>(texts.size()), static_cast<int64_t>(widest)}));
}

// ---- StringNGrams ----

void InferNGrams(InferContext& ctx) {
  ctx.SetOut(0, DT_STRING, {kUnknownDim});
  ctx.SetOut(1, ctx.InType(1), ctx.InShape(1));
}

struct NGrams {
  std::string separator, left, right;
  int64_t pad;  // -1: one less than the width

  int64_t PadOf(int64_t width) const { return pad < 0 ? width - 1 : std::min(pad, width - 1); }

  void Add(std::span<const std::string> tokens, int64_t width, int64_t pads, std::vector<std::string>* out) const {
    const auto length = static_cast<int64_t>(tokens.size());
    for (int64_t start = -pads; start + width <= length + pads; ++start) {
      std::string gram;
      for (int64_t k = start; k < start + width; ++k) {
        if (k > start) gram += separator;
        gram += k < 0 ? left : k >= length ? right : tokens[static_cast<size_t>(k)];
      }
      out->push_back(std::move(gram));
    }
  }
};

void NGramsKernel(KernelContext& ctx) {
  const auto data = Strings(ctx, 0);
  const std::vector<int64_t> splits = ToInts(ctx.In(1));
  const NGrams grams{ctx.Attr<std::string>("separator"), ctx.Attr<std::string>("left_pad"),
                     ctx.Attr<std::string>("right_pad"), ctx.Attr<int64_t>("pad_width")};
  const auto widths = ctx.Attr<std::vector<int64_t>>("ngram_widths");
  std::vector<std::string> out;
  std::vector<int64_t> out_splits = splits.empty() ? splits : std::vector<int64_t>{0};
  for (size_t row = 0; row + 1 < splits.size(); ++row) {
    if (splits[row] < 0 || splits[row + 1] < splits[row] || splits[row + 1] > static_cast<int64_t>(data.size())) {
      ctx.Fail("data_splits do not rise from 0 to the " + std::to_string(data.size()) + " strings");
    }
    const auto tokens = data.subspan(static_cast<size_t>(splits[row]), static_cast<size_t>(splits[row + 1] - splits[row]));
    const size_t before = out.size();
    for (const int64_t width : widths) {
      if (width < 1) ctx.Fail("an n-gram of " + std::to_string(width) + " strings is wanted");
      grams.Add(tokens, width, grams.PadOf(width), &out);
    }
    if (out.size() == before && !tokens.empty() && ctx.Attr<bool>("preserve_short_sequences")) {
      const int64_t pads = std::max<int64_t>(0, grams.pad);
      grams.Add(tokens, static_cast<int64_t>(tokens.size()) + 2 * pads, pads, &out);
    }
    out_splits.push_back(static_cast<int64_t>(out.size()));
  }
  ctx.SetOut(0, Tensor::From(DT_STRING, {static_cast<int64_t>(out.size())}, out));
  if (ctx.InType(1) == DT_INT64) return ctx.SetOut(1, Tensor::Ints(out_splits).Reshaped(ctx.InShape(1)));
  ctx.SetOut(1, Tensor::From(DT_INT32, ctx.InShape(1), std::vector<int32_t>(out_splits.begin(), out_splits.end())));
}

// ---- StringToHashBucketFast: FarmHash's 64-bit fingerprint, modulo the number of buckets ----

namespace farm {

constexpr uint64_t k0 = 0xc3a5c85c97cb3127, k1 = 0xb492b66fbe98f273, k2 = 0x9ae16a3b2f90404f;

template <typename T>
uint64_t Fetch(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}
uint64_t Fetch64(const char* at) { return Fetch<uint64_t>(at); }
uint64_t Rotate(uint64_t v, int by) { return v >> by | v << (64 - by); }
uint64_t Mix(uint64_t v) { return v ^ (v >> 47); }
uint64_t Join(uint64_t u, uint64_t v, uint64_t mul) {
  const uint64_t a = Mix((u ^ v) * mul);
  return Mix((v ^ a) * mul) * mul;
}

uint64_t UpTo16(const char* s, uint64_t length) {
  const uint64_t mul = k2 + length * 2;
  if (length >= 8) {
    const uint64_t a = Fetch64(s) + k2, b = Fetch64(s + length - 8);
    return Join(Rotate(b, 37) * mul + a, (Rotate(a, 25) + b) * mul, mul);
  }
  if (length >= 4) return Join(length + (Fetch<uint32_t>(s) << 3), Fetch<uint32_t>(s + length - 4), mul);
  if (length == 0) return k2;
  const auto at = [&](uint64_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(s[i])); };
  const uint32_t y = at(0) + (at(length >> 1) << 8), z = static_cast<uint32_t>(length) + (at(length - 1) << 2);
  return Mix(y * k2 ^ z * k0) * k2;
}

uint64_t UpTo32(const char* s, uint64_t length) {
  const uint64_t mul = k2 + length * 2, a = Fetch64(s) * k1, b = Fetch64(s + 8);
  const uint64_t c = Fetch64(s + length - 8) * mul, d = Fetch64(s + length - 16) * k2;
  return Join(Rotate(a + b, 43) + Rotate(c, 30) + d, a + Rotate(b + k2, 18) + c, mul);
}

uint64_t UpTo64(const char* s, uint64_t length) {
  const uint64_t mul = k2 + length * 2, a = Fetch64(s) * k2, b = Fetch64(s + 8);
  const uint64_t c = Fetch64(s + length - 8) * mul, d = Fetch64(s + length - 16) * k2;
  const uint64_t y = Rotate(a + b, 43) + Rotate(c, 30) + d, z = Join(y, a + Rotate(b + k2, 18) + c, mul);
  const uint64_t e = Fetch64(s + 16) * mul, f = Fetch64(s + 24);
  const uint64_t g = (y + Fetch64(s + length - 32)) * mul, h = (z + Fetch64(s + length - 24)) * mul;
  return Join(Rotate(e + f, 43) + Rotate(g, 30) + h, e + Rotate(f + a, 18) + g, mul);
}

struct Pair {
  uint64_t first = 0, second = 0;
};

Pair Weak(const char* s, uint64_t a, uint64_t b) {
  const uint64_t w = Fetch64(s), x = Fetch64(s + 8), y = Fetch64(s + 16), z = Fetch64(s + 24);
  a += w;
  b = Rotate(b + a + z, 21);
  const uint64_t c = a;
  a += x + y;
  b += Rotate(a, 44);
  return {a + z, b + c};
}

uint64_t Fingerprint(const std::string& text) {
  const char* s = text.data();
  const uint64_t length = text.size();
  if (length <= 16) return UpTo16(s, length);
  if (length <= 32) return UpTo32(s, length);
  if (length <= 64) return UpTo64(s, length);
  uint64_t x = 81, y = 81 * k1 + 113, z = Mix(y * k2 + 113) * k2;
  Pair v, w;
  x = x * k2 + Fetch64(s);
  const char* const end = s + (length - 1) / 64 * 64;
  const char* const last = end + ((length - 1) & 63) - 63;
  const auto round = [&](uint64_t mul, uint64_t nine) {
    x = Rotate(x + y + v.first + Fetch64(s + 8), 37) * mul;
    y = Rotate(y + v.second + Fetch64(s + 48), 42) * mul;
    x ^= w.second * nine;
    y += v.first * nine + Fetch64(s + 40);
    z = Rotate(z + w.first, 33) * mul;
    v = Weak(s, v.second * mul, x + w.first);
    w = Weak(s + 32, z + w.second, y + Fetch64(s + 16));
    std::swap(z, x);
  };
  for (; s != end; s += 64) round(k1, 1);
  const uint64_t mul = k1 + ((z & 0xff) << 1);
  s = last;
  w.first += (length - 1) & 63;
  v.first += w.first;
  w.first += v.first;
  round(mul, 9);
  return Join(Join(v.first, w.first, mul) + Mix(y) * k0 + z, Join(v.second, w.second, mul) + x, mul);
}

}  // namespace farm

void InferHash(InferContext& ctx) { ctx.SetOut(0, DT_INT64, ctx.InShape(0)); }

void HashKernel(KernelContext& ctx) {
  const int64_t buckets = ctx.Attr<int64_t>("num_buckets");
  if (buckets < 1) ctx.Fail("num_buckets is " + std::to_string(buckets) + ", wanted at least 1");
  const auto texts = Strings(ctx, 0);
  int64_t* out = ctx.Out(0, DT_INT64, ctx.InShape(0)).MutableData<int64_t>();
  for (const std::string& text : texts) {
    *out++ = static_cast<int64_t>(farm::Fingerprint(text) % static_cast<uint64_t>(buckets));
  }
}

}  // namespace

void RegisterTextFeaturesOps(OpRegistry& registry) {
  registry.Add(OpDef("tf::StringNGrams").In("data").In("data_splits").Out("ngrams").Out("ngrams_splits")
                   .Attr("separator", "").Attr("ngram_widths", std::vector<int64_t>{}).Attr("left_pad", "")
                   .Attr("right_pad", "").Attr("pad_width", 0).Attr("preserve_short_sequences", false)
                   .On(Unit::kAiCpu).Infer(InferNGrams).Kernel(NGramsKernel));
  registry.Add(OpDef("tf::StringSplit").In("input").In("delimiter").Out("indices").Out("values").Out("shape")
                   .Attr("skip_empty", true).On(Unit::kAiCpu).Infer(InferSplit).Kernel(SplitKernel<false>));
  registry.Add(OpDef("tf::StringSplitV2").In("input").In("sep").Out("indices").Out("values").Out("shape")
                   .Attr("maxsplit", -1).On(Unit::kAiCpu).Infer(InferSplit).Kernel(SplitKernel<true>));
  registry.Add(OpDef("tf::StringToHashBucketFast").In("input").Out("output").RequiredAttr("num_buckets")
                   .On(Unit::kAiCpu).Infer(InferHash).Kernel(HashKernel));
}

}  // namespace atc
