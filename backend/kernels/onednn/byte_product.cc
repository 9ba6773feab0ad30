#include "backend/kernels/onednn/byte_product.h"

#include <algorithm>
#include <array>

#include "backend/kernels/for_team.h"
#include "backend/kernels/onednn/byte_pieces.h"
#include "backend/kernels/onednn/byte_weights.h"
#include "backend/kernels/onednn/general_product.h"
#include "backend/kernels/team.h"

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

}  // namespace

OneDnnByteProduct::OneDnnByteProduct(DataType x_type, int threads)
    : x_type_(x_type), integer_(SumsBytesExactly()), threads_(threads) {}

dnnl::memory::data_type OneDnnByteProduct::XType() const {
  return !integer_ ? Type::f32 : x_type_ == DT_UINT8 ? Type::u8 : Type::s8;
}

template <typename Primitive, typename PrimitiveDesc>
void OneDnnByteProduct::Prepare(const std::vector<Tensor>& parts, const dnnl::memory::desc& plain,
                                const std::vector<PrimitiveDesc>& descs) {
  for (const PrimitiveDesc& desc : descs) {
    Form form{Primitive(desc), desc.src_desc(), desc.dst_desc(), desc.scratchpad_desc(), {}};
    // All want the weights alike as a rule, so that one copy serves them.
    for (const Form& other : forms_) {
      if (other.weights[0].memory.get_desc() == desc.weights_desc()) form.weights = other.weights;
    }
    for (size_t i = form.weights.size(); i < parts.size(); ++i) {
      form.weights.push_back(Rearranged(plain, parts[i].Data(), desc.weights_desc()));
      prepared_bytes_ += desc.weights_desc().get_size();
    }
    MakeReady(form.primitive, XType());
    forms_.push_back(std::move(form));
  }
}

void OneDnnByteProduct::MakeLanes(int lanes) {
  const auto padded = [](size_t bytes) { return (bytes + 63) / 64 * 64; };
  size_t scratchpad = 0, part = 0;
  for (const Form& form : forms_) {
    scratchpad = std::max(scratchpad, form.scratchpad.get_size());
    part = std::max(part, form.y.get_size());
  }
  part_at_ = padded(scratchpad);
  lane_scratch_bytes_ = part_at_ + (!integer_ || factors_.size() > 1 ? padded(part) : 0);
  if (!integer_) scratch_bytes_ = padded(static_cast<size_t>(x_count_) * sizeof(float));
  for (int lane = 0; lane < lanes; ++lane) {
    std::vector<Call>& calls = lanes_.emplace_back();
    for (const Form& form : forms_) {
      Call call{Unbound(form.x), Unbound(form.y), Unbound(form.scratchpad), {}};
      for (const KeptMemory& weights : form.weights) {
        call.arguments.push_back({{DNNL_ARG_SRC, call.x.get()},
                                  {DNNL_ARG_WEIGHTS, weights.memory.get()},
                                  {DNNL_ARG_DST, call.y.get()},
                                  {DNNL_ARG_SCRATCHPAD, call.scratchpad.get()}});
      }
      calls.push_back(std::move(call));
    }
  }
}

std::unique_ptr<ByteProduct> OneDnnByteProduct::Convolution(const ConvSizes& sizes, DataType x_type, const Tensor& w,
                                                            int threads) {
  if (sizes.axes.size() != 2) return nullptr;
  std::unique_ptr<OneDnnByteProduct> made(new OneDnnByteProduct(x_type, threads));
  const int64_t m = sizes.out_channels, c = sizes.in_channels, groups = sizes.groups;
  const int64_t terms = w.NumElements() / std::max<int64_t>(m, 1);
  WeightParts parts = SplitWeights(w, made->integer_, m, terms, 1);
  if (parts.tensors.empty()) return nullptr;
  made->factors_ = std::move(parts.factors);
  made->rows_ = sizes.batch * sizes.axes[0].out * sizes.axes[1].out;
  made->channels_ = m;
  made->x_count_ = sizes.batch * c * sizes.axes[0].in * sizes.axes[1].in;

  const ByteCut cut = CutSums(sizes, w.NumElements() * (made->integer_ ? 1 : 4), threads);
  const bool whole = cut.pieces.size() == 1;
  const Team team(whole ? threads : 1);
  const WindowAxis& v = cut.sizes.axes[1];
  const Type type = made->XType(), w_type = made->integer_ ? Type::s8 : Type::f32;
  const Type y_type = made->integer_ ? Type::s32 : Type::f32;
  using Desc = dnnl::convolution_forward::primitive_desc;
  std::vector<Desc> descs;
  std::vector<std::array<int64_t, 4>> known;
  const int64_t kh = cut.sizes.axes[0].kernel;
  const Dims w_dims = groups == 1 ? Dims{m, c, kh, v.kernel} : Dims{groups, m / groups, c / groups, kh, v.kernel};
  for (const BytePiece& piece : cut.pieces) {
    const WindowAxis& h = piece.rows;
    const std::array<int64_t, 4> key = {h.in, h.out, h.pad_begin, h.pad_end};
    const auto found = std::find(known.begin(), known.end(), key);
    const auto form = static_cast<size_t>(found - known.begin());
    made->pieces_.push_back({(piece.image * cut.sizes.axes[0].out + piece.y_row) * v.out,
                             whole ? made->rows_ : h.out * v.out,
                             (piece.image * cut.sizes.axes[0].in + piece.x_row) * v.in * c, form});
    if (found != known.end()) continue;
    known.push_back(key);
    const int64_t batch = whole ? sizes.batch : 1;
    const dnnl::memory::desc x_desc({batch, c, h.in, v.in}, type, Tag::nhwc);
    const dnnl::memory::desc y_desc({batch, m, h.out, v.out}, y_type, Tag::nhwc);
    const dnnl::memory::desc w_any(w_dims, w_type, Tag::any);
    const Dims strides = {h.stride, v.stride}, dilates = {h.dilation - 1, v.dilation - 1};
    const Dims begin = {h.pad_begin, v.pad_begin}, end = {h.pad_end, v.pad_end};
    const auto kind = dnnl::prop_kind::forward_inference;
    const auto algorithm = dnnl::algorithm::convolution_direct;
#if DNNL_VERSION_MAJOR >= 3
    descs.push_back(Desc(Engine(), kind, algorithm, x_desc, w_any, y_desc, strides, dilates, begin, end, Attributes()));
#else
    descs.push_back(
        Desc({kind, algorithm, x_desc, w_any, y_desc, strides, dilates, begin, end}, Attributes(), Engine()));
#endif
  }
  const dnnl::memory::desc plain(w_dims, w_type, groups == 1 ? Tag::oihw : Tag::goihw);
  made->Prepare<dnnl::convolution_forward>(parts.tensors, plain, descs);
  made->MakeLanes(whole ? 1 : threads);
  made->SumTaps(sizes, w);
  return made;
}

std::unique_ptr<ByteProduct> OneDnnByteProduct::Matrix(int64_t m, DataType x_type, const Tensor& w, bool transpose,
                                                       int threads) {
  std::unique_ptr<OneDnnByteProduct> made(new OneDnnByteProduct(x_type, threads));
  const int64_t k = w.dim(transpose ? 1 : 0), n = w.dim(transpose ? 0 : 1);
  const int64_t term_stride = transpose ? 1 : n, output_stride = transpose ? k : 1;
  WeightParts parts = SplitWeights(w, made->integer_, n, output_stride, term_stride);
  if (parts.tensors.empty()) return nullptr;
  made->factors_ = std::move(parts.factors);
  made->rows_ = m;
  made->channels_ = n;
  made->x_count_ = m * k;
  made->pieces_ = {{0, m, 0, 0}};
  const Type y_type = made->integer_ ? Type::s32 : Type::f32, w_type = made->integer_ ? Type::s8 : Type::f32;
  const dnnl::memory::desc x_desc({m, k}, made->XType(), Tag::ab);
  const dnnl::memory::desc y_desc({m, n}, y_type, Tag::ab);
  const dnnl::memory::desc w_any({k, n}, w_type, Tag::any);
  using Desc = dnnl::matmul::primitive_desc;
#if DNNL_VERSION_MAJOR >= 3
  const std::vector<Desc> descs = {Desc(Engine(), x_desc, w_any, y_desc, Attributes())};
#else
  const std::vector<Desc> descs = {Desc({x_desc, w_any, y_desc}, Attributes(), Engine())};
#endif
  made->Prepare<dnnl::matmul>(parts.tensors, dnnl::memory::desc({k, n}, w_type, transpose ? Tag::ba : Tag::ab), descs);
  made->MakeLanes(1);
  // [n][k], or [1][k][n].
  made->tap_sums_ = transpose ? SumWeights(w, n, k, 1) : SumWeights(w, 1, k, n);
  return made;
}

// Places are of one kind when the same taps of their windows lie on x.
void OneDnnByteProduct::SumTaps(const ConvSizes& sizes, const Tensor& w) {
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
  // By channel and tap, over all inputs.
  const std::vector<int32_t> sums = SumWeights(w, channels_, sizes.in_channels / sizes.groups, window);
  for (const auto& [first_row, last_row] : rows.taps) {
    for (const auto& [first_column, last_column] : columns.taps) {
      for (int64_t m = 0; m < channels_; ++m) {
        int32_t sum = 0;
        for (int64_t r = first_row; r < last_row; ++r) {
          for (int64_t v = first_column; v < last_column; ++v) sum += sums[m * window + r * width + v];
        }
        tap_sums_.push_back(sum);
      }
    }
  }
  if (rows.taps.size() * columns.taps.size() == 1) return;
  for (int64_t image = 0; image < sizes.batch; ++image) {
    for (const uint32_t row : rows.of) {
      for (const uint32_t column : columns.of) {
        kinds_.push_back(row * static_cast<uint32_t>(columns.taps.size()) + column);
      }
    }
  }
}

SumRows OneDnnByteProduct::RowsOf(const Piece& piece, const int32_t* sums) const {
  return {sums, piece.rows, corrections_.empty() ? nullptr : corrections_.data(),
          kinds_.empty() ? nullptr : kinds_.data() + piece.row};
}

void OneDnnByteProduct::SetCorrections(int32_t zero) {
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

const void* OneDnnByteProduct::Begin(const void* x, int32_t zero, std::byte* scratch) {
  SetCorrections(integer_ ? zero : 0);
  if (integer_) return x;
  // Differences at once: padding is a float 0.
  auto* wide = reinterpret_cast<float*>(scratch);
  const auto widen = [&](const auto* from) {
    ForTeam(x_count_ > 32768 ? threads_ : 1, x_count_,
            [&](int64_t i) { wide[i] = static_cast<float>(from[i] - zero); });
  };
  x_type_ == DT_UINT8 ? widen(static_cast<const uint8_t*>(x)) : widen(static_cast<const int8_t*>(x));
  return wide;
}

void OneDnnByteProduct::Sum(const Piece& piece, int lane, const void* begun, int32_t* sums, std::byte* lane_scratch) {
  Call& call = lanes_[static_cast<size_t>(lane)][piece.form];
  const Form& form = forms_[piece.form];
  const int64_t count = piece.rows * channels_;
  const bool straight = integer_ && factors_.size() == 1;
  void* result = straight ? static_cast<void*>(sums) : lane_scratch + part_at_;
  call.x.set_data_handle(
      const_cast<std::byte*>(static_cast<const std::byte*>(begun) + piece.x_at * (integer_ ? 1 : 4)));
  call.y.set_data_handle(result);
  call.scratchpad.set_data_handle(lane_scratch);
  const Team team(lanes() == 1 ? threads_ : 1);  // as when the primitives were made, also where the caller is alone
  for (size_t i = 0; i < factors_.size(); ++i) {
    const std::vector<dnnl_exec_arg_t>& arguments = call.arguments[i];
    dnnl::error::wrap_c_api(dnnl_primitive_execute(form.primitive.get(), ThreadStream().get(),
                                                   static_cast<int>(arguments.size()), arguments.data()),
                            "cannot take sums of 8-bit products");
    ThreadStream().wait();
    if (straight) return;
    const auto join = [&](const auto* from) {
      ForTeam(count > 32768 && lanes() == 1 ? threads_ : 1, count, [&](int64_t j) {
        const uint32_t product = static_cast<uint32_t>(static_cast<int32_t>(from[j])) * factors_[i];
        sums[j] = static_cast<int32_t>(i == 0 ? product : static_cast<uint32_t>(sums[j]) + product);
      });
    };
    integer_ ? join(static_cast<const int32_t*>(result)) : join(static_cast<const float*>(result));
  }
}

std::unique_ptr<ByteProduct> MakeOneDnnByteConvolution(const ConvSizes& sizes, DataType x_type, const Tensor& w,
                                                       int threads) {
  return OneDnnByteProduct::Convolution(sizes, x_type, w, threads);
}

std::unique_ptr<ByteProduct> MakeByteMatrix(int64_t m, DataType x_type, const Tensor& w, bool transpose, int threads) {
  return OneDnnByteProduct::Matrix(m, x_type, w, transpose, threads);
}

}  // namespace atc::kernels
