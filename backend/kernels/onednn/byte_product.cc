#include "backend/kernels/onednn/byte_product.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace atc::kernels {
namespace {

using Dims = dnnl::memory::dims;
using Tag = dnnl::memory::format_tag;
using Type = dnnl::memory::data_type;

// Whether oneDNN adds up byte products in 32 bits: without VNNI it saturates pairs of them to 16.
bool SumsBytesExactly() {
  const auto isa = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
  const auto vnni = static_cast<unsigned>(dnnl::cpu_isa::avx512_core_vnni);
  return isa != static_cast<unsigned>(dnnl::cpu_isa::all) && (isa & vnni) == vnni;
}

struct WeightParts {
  std::vector<Tensor> tensors;  // of the type that the primitive takes
  std::vector<uint32_t> factors;
};

// w = high * base + low with low in [-base / 2, base / 2).
Tensor High(const Tensor& w, int32_t base) {
  Tensor part = Tensor::Allocate(DT_INT32, w.shape());
  std::transform(w.Data<int32_t>(), w.Data<int32_t>() + w.NumElements(), part.MutableData<int32_t>(), [&](int32_t v) {
    return static_cast<int32_t>(std::floor((v + base / 2) / static_cast<double>(base)));
  });
  return part;
}

Tensor Low(const Tensor& w, const Tensor& high, int32_t base) {
  Tensor part = Tensor::Allocate(DT_INT32, w.shape());
  for (int64_t i = 0; i < w.NumElements(); ++i) {
    part.MutableData<int32_t>()[i] = w.Data<int32_t>()[i] - base * high.Data<int32_t>()[i];
  }
  return part;
}

bool FitsInt8(const Tensor& w) {
  return std::all_of(w.Data<int32_t>(), w.Data<int32_t>() + w.NumElements(), [](int32_t v) { return v >= -128 && v <= 127; });
}

// Whether no sum of products with differences of bytes can reach 2^24 along any output.
bool FitsFloat(const Tensor& w, int64_t outputs, int64_t output_stride, int64_t term_stride) {
  const int64_t terms = w.NumElements() / std::max<int64_t>(outputs, 1);
  for (int64_t o = 0; o < outputs; ++o) {
    int64_t sum = 0;
    for (int64_t t = 0; t < terms; ++t) sum += std::abs(w.Data<int32_t>()[o * output_stride + t * term_stride]);
    if (sum * 255 >= int64_t{1} << 24) return false;
  }
  return true;
}

template <typename T>
Tensor As(DataType dtype, const Tensor& w) {
  Tensor typed = Tensor::Allocate(dtype, w.shape());
  std::transform(w.Data<int32_t>(), w.Data<int32_t>() + w.NumElements(), typed.MutableData<T>(),
                 [](int32_t v) { return static_cast<T>(v); });
  return typed;
}

// Empty where two parts do not hold the weights either.
WeightParts SplitWeights(const Tensor& w, bool integer, int64_t outputs, int64_t output_stride, int64_t term_stride) {
  const auto fits = [&](const Tensor& part) {
    return integer ? FitsInt8(part) : FitsFloat(part, outputs, output_stride, term_stride);
  };
  const auto typed = [&](const Tensor& part) {
    return integer ? As<int8_t>(DT_INT8, part) : As<float>(DT_FLOAT, part);
  };
  if (fits(w)) return {{typed(w)}, {1}};
  const int32_t base = integer ? 2 : 16;
  const Tensor high = High(w, base), low = Low(w, high, base);
  if (!fits(high) || !fits(low)) return {};
  return {{typed(high), typed(low)}, {static_cast<uint32_t>(base), 1}};
}

}  // namespace

ByteProduct::ByteProduct(DataType x_type, int threads)
    : x_type_(x_type), integer_(SumsBytesExactly()), threads_(threads) {}

dnnl::memory::data_type ByteProduct::XType() const {
  return !integer_ ? Type::f32 : x_type_ == DT_UINT8 ? Type::u8 : Type::s8;
}

size_t ByteProduct::Reserve(size_t bytes) {
  const size_t at = scratch_bytes_;
  scratch_bytes_ += (bytes + 63) / 64 * 64;
  return at;
}

template <typename PrimitiveDesc, typename Primitive, typename Describe>
void ByteProduct::Prepare(const std::vector<Tensor>& parts, const std::vector<uint32_t>& factors,
                          const dnnl::memory::desc& plain, Describe describe) {
  const PrimitiveDesc desc = describe(dnnl::memory::desc(plain.dims(), plain.data_type(), Tag::any), Attributes());
  for (size_t i = 0; i < parts.size(); ++i) {
    const dnnl::memory from(plain, Engine(), const_cast<std::byte*>(parts[i].Data()));
    Part part{factors[i], Primitive(desc), dnnl::memory(desc.weights_desc(), Engine()), {}};
    dnnl::reorder(from, part.weights).execute(ThreadStream(), const_cast<dnnl::memory&>(from), part.weights);
    ThreadStream().wait();
    prepared_bytes_ += desc.weights_desc().get_size();
    parts_.push_back(std::move(part));
  }
  x_ = Unbound(desc.src_desc());
  y_ = Unbound(desc.dst_desc());
  scratchpad_ = Unbound(desc.scratchpad_desc());
  scratchpad_at_ = Reserve(desc.scratchpad_desc().get_size());
  for (Part& part : parts_) {
    part.arguments = {{DNNL_ARG_SRC, x_},
                      {DNNL_ARG_WEIGHTS, part.weights},
                      {DNNL_ARG_DST, y_},
                      {DNNL_ARG_SCRATCHPAD, scratchpad_}};
  }
  if (!integer_) x_at_ = Reserve(static_cast<size_t>(x_count_) * sizeof(float));
  if (!integer_ || parts_.size() > 1) part_at_ = Reserve(static_cast<size_t>(rows_ * channels_) * sizeof(int32_t));
}

std::unique_ptr<ByteProduct> ByteProduct::Convolution(const ConvSizes& sizes, DataType x_type, const Tensor& w,
                                                      int threads) {
  if (sizes.axes.size() != 2) return nullptr;
  std::unique_ptr<ByteProduct> made(new ByteProduct(x_type, threads));
  const int64_t groups = sizes.groups, m = sizes.out_channels, c = sizes.in_channels;
  const WindowAxis &h = sizes.axes[0], &v = sizes.axes[1];
  const int64_t terms = w.NumElements() / std::max<int64_t>(m, 1);
  const WeightParts parts = SplitWeights(w, made->integer_, m, terms, 1);
  if (parts.tensors.empty()) return nullptr;
  made->places_ = h.out * v.out;
  made->rows_ = sizes.batch * made->places_;
  made->channels_ = m;
  made->x_count_ = sizes.batch * c * h.in * v.in;

  const Type type = made->XType(), w_type = made->integer_ ? Type::s8 : Type::f32;
  const Type y_type = made->integer_ ? Type::s32 : Type::f32;
  const Dims w_dims = groups == 1 ? Dims{m, c, h.kernel, v.kernel}
                                  : Dims{groups, m / groups, c / groups, h.kernel, v.kernel};
  const dnnl::memory::desc x_desc({sizes.batch, c, h.in, v.in}, type, Tag::nhwc);
  const dnnl::memory::desc y_desc({sizes.batch, m, h.out, v.out}, y_type, Tag::nhwc);
  const dnnl::memory::desc plain(w_dims, w_type, groups == 1 ? Tag::oihw : Tag::goihw);
  const Dims strides = {h.stride, v.stride}, dilates = {h.dilation - 1, v.dilation - 1};
  const Dims begin = {h.pad_begin, v.pad_begin}, end = {h.pad_end, v.pad_end};
  using Desc = dnnl::convolution_forward::primitive_desc;
  made->Prepare<Desc, dnnl::convolution_forward>(
      parts.tensors, parts.factors, plain, [&](const dnnl::memory::desc& w_any, const dnnl::primitive_attr& attr) {
        const auto kind = dnnl::prop_kind::forward_inference;
        const auto algorithm = dnnl::algorithm::convolution_direct;
#if DNNL_VERSION_MAJOR >= 3
        return Desc(Engine(), kind, algorithm, x_desc, w_any, y_desc, strides, dilates, begin, end, attr);
#else
        return Desc({kind, algorithm, x_desc, w_any, y_desc, strides, dilates, begin, end}, attr, Engine());
#endif
      });
  made->SumTaps(sizes, w);
  return made;
}

std::unique_ptr<ByteProduct> ByteProduct::Product(int64_t m, DataType x_type, const Tensor& w, bool transpose,
                                                  int threads) {
  std::unique_ptr<ByteProduct> made(new ByteProduct(x_type, threads));
  const int64_t k = w.dim(transpose ? 1 : 0), n = w.dim(transpose ? 0 : 1);
  const int64_t term_stride = transpose ? 1 : n, output_stride = transpose ? k : 1;
  const WeightParts parts = SplitWeights(w, made->integer_, n, output_stride, term_stride);
  if (parts.tensors.empty()) return nullptr;
  made->rows_ = m;
  made->channels_ = n;
  made->x_count_ = m * k;
  const Type y_type = made->integer_ ? Type::s32 : Type::f32;
  const dnnl::memory::desc x_desc({m, k}, made->XType(), Tag::ab);
  const dnnl::memory::desc y_desc({m, n}, y_type, Tag::ab);
  const dnnl::memory::desc plain({k, n}, made->integer_ ? Type::s8 : Type::f32, transpose ? Tag::ba : Tag::ab);
  using Desc = dnnl::matmul::primitive_desc;
  made->Prepare<Desc, dnnl::matmul>(parts.tensors, parts.factors, plain,
                                    [&](const dnnl::memory::desc& w_any, const dnnl::primitive_attr& attr) {
#if DNNL_VERSION_MAJOR >= 3
                                      return Desc(Engine(), x_desc, w_any, y_desc, attr);
#else
                                      return Desc({x_desc, w_any, y_desc}, attr, Engine());
#endif
                                    });
  made->tap_sums_.assign(static_cast<size_t>(n), 0);
  for (int64_t p = 0; p < k; ++p) {
    for (int64_t j = 0; j < n; ++j) made->tap_sums_[j] += w.Data<int32_t>()[p * term_stride + j * output_stride];
  }
  return made;
}

// Places are of one kind when the same taps of their windows lie on x.
void ByteProduct::SumTaps(const ConvSizes& sizes, const Tensor& w) {
  struct Kinds {
    std::vector<std::pair<int64_t, int64_t>> taps;
    std::vector<uint32_t> of;  // by output position
  };
  const auto kinds_of = [](const WindowAxis& axis) {
    Kinds kinds;
    for (int64_t at = 0; at < axis.out; ++at) {
      const auto taps = TapsInside(axis, at * axis.stride - axis.pad_begin, 0, axis.in);
      const auto found = std::find(kinds.taps.begin(), kinds.taps.end(), taps);
      kinds.of.push_back(static_cast<uint32_t>(found - kinds.taps.begin()));
      if (found == kinds.taps.end()) kinds.taps.push_back(taps);
    }
    return kinds;
  };
  const Kinds rows = kinds_of(sizes.axes[0]), columns = kinds_of(sizes.axes[1]);
  const int64_t width = sizes.axes[1].kernel, window = sizes.axes[0].kernel * width;
  const int64_t inputs = sizes.in_channels / sizes.groups;
  for (const auto& [first_row, last_row] : rows.taps) {
    for (const auto& [first_column, last_column] : columns.taps) {
      for (int64_t m = 0; m < channels_; ++m) {
        int32_t sum = 0;
        for (int64_t c = 0; c < inputs; ++c) {
          const int32_t* taps = w.Data<int32_t>() + (m * inputs + c) * window;
          for (int64_t r = first_row; r < last_row; ++r) {
            for (int64_t v = first_column; v < last_column; ++v) sum += taps[r * width + v];
          }
        }
        tap_sums_.push_back(sum);
      }
    }
  }
  if (rows.taps.size() * columns.taps.size() == 1) return;
  for (const uint32_t row : rows.of) {
    for (const uint32_t column : columns.of) {
      kinds_.push_back(row * static_cast<uint32_t>(columns.taps.size()) + column);
    }
  }
}

const int32_t* ByteProduct::Correction(int64_t place) const {
  if (corrections_.empty()) return nullptr;
  return corrections_.data() + (kinds_.empty() ? 0 : kinds_[static_cast<size_t>(place)] * channels_);
}

void ByteProduct::SetCorrections(int32_t zero) {
  if (zero_ == zero) return;
  zero_ = zero;
  corrections_.clear();
  if (zero == 0 && bias_.empty()) return;
  for (size_t i = 0; i < tap_sums_.size(); ++i) {
    const int32_t bias = bias_.empty() ? 0 : bias_[i % static_cast<size_t>(channels_)];
    corrections_.push_back(static_cast<int32_t>(static_cast<uint32_t>(bias) -
                                                static_cast<uint32_t>(zero) * static_cast<uint32_t>(tap_sums_[i])));
  }
}

void ByteProduct::Run(const void* x, int32_t zero, int32_t* sums, std::byte* scratch) {
  if (!integer_) {  // differences at once: padding is a float 0
    auto* wide = reinterpret_cast<float*>(scratch + x_at_);
    const auto widen = [&](const auto* from) {
#pragma omp parallel for num_threads(threads_) schedule(static) if (threads_ > 1 && x_count_ > 32768)
      for (int64_t i = 0; i < x_count_; ++i) wide[i] = static_cast<float>(from[i] - zero);
    };
    x_type_ == DT_UINT8 ? widen(static_cast<const uint8_t*>(x)) : widen(static_cast<const int8_t*>(x));
    x = wide;
  }
  SetCorrections(integer_ ? zero : 0);
  x_.set_data_handle(const_cast<void*>(x));
  scratchpad_.set_data_handle(scratch + scratchpad_at_);
  const int64_t count = rows_ * channels_;
  const bool straight = integer_ && parts_.size() == 1;
  for (size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    void* result = straight ? static_cast<void*>(sums) : scratch + part_at_;
    y_.set_data_handle(result);
    part.primitive.execute(ThreadStream(), part.arguments);
    ThreadStream().wait();
    if (straight) return;
    const auto join = [&](const auto* from) {
#pragma omp parallel for num_threads(threads_) schedule(static) if (threads_ > 1 && count > 32768)
      for (int64_t j = 0; j < count; ++j) {
        const uint32_t product = static_cast<uint32_t>(static_cast<int32_t>(from[j])) * part.factor;
        sums[j] = static_cast<int32_t>(i == 0 ? product : static_cast<uint32_t>(sums[j]) + product);
      }
    };
    integer_ ? join(static_cast<const int32_t*>(result)) : join(static_cast<const float*>(result));
  }
}

}  // namespace atc::kernels
