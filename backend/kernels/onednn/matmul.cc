// Matrix products, batched and with a broadcast batch.
#include "backend/kernels/onednn/primitive_kernel.h"

namespace atc::kernels {
namespace {

using Dims = dnnl::memory::dims;
constexpr auto kFloat = dnnl::memory::data_type::f32;

struct TransposeNames {
  const char* type;
  const char* first;
  const char* second;
};

constexpr TransposeNames kTypes[] = {
    {"BatchMatMulV2", "adj_x1", "adj_x2"},
    {"MatMulV2", "transpose_x1", "transpose_x2"},
};

// A matrix of the operand as oneDNN sees it: `rank` dims, leading ones of 1, the last two swapped by strides if transposed.
dnnl::memory::desc MatrixDesc(const Shape& shape, size_t rank, bool transpose) {
  Dims dims(rank - shape.rank(), 1);
  dims.insert(dims.end(), shape.dims().begin(), shape.dims().end());
  Dims strides(rank, 1);
  for (size_t i = rank; i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  if (transpose) {
    std::swap(dims[rank - 1], dims[rank - 2]);
    std::swap(strides[rank - 1], strides[rank - 2]);
  }
  return dnnl::memory::desc(dims, kFloat, strides);
}

}  // namespace

std::unique_ptr<Kernel> MakeOneDnnMatMul(const KernelSpec& spec) {
  const TransposeNames* names = nullptr;
  for (const TransposeNames& row : kTypes) {
    if (spec.node.type() == row.type) names = &row;
  }
  if (names == nullptr || spec.outputs.size() != 1) return nullptr;
  HeavyParts parts = SplitHeavy(spec);
  if (!parts.fits || parts.ports.size() > 3) return nullptr;
  const int a = parts.ports[0];
  const int b = parts.ports[1];
  const int bias = parts.ports.size() > 2 ? parts.ports[2] : -1;
  for (const int port : {a, b, bias}) {
    if (port >= 0 && (spec.inputs[port].channels_last ||
                      (spec.inputs[port].dtype != DT_FLOAT && !IsHalf(spec.inputs[port].dtype)))) {
      return nullptr;
    }
  }
  const Shape& left = spec.inputs[a].shape;
  const Shape& right = spec.inputs[b].shape;
  const Shape& out = spec.outputs[0].shape;
  if (spec.outputs[0].channels_last || left.rank() < 2 || right.rank() < 2 || out.NumElements() == 0) return nullptr;
  if (left.NumElements() == 0 || (bias >= 0 && spec.inputs[bias].constant == nullptr)) return nullptr;
  const size_t rank = std::max(left.rank(), right.rank());
  if (out.rank() != rank || rank > 6) return nullptr;

  const dnnl::memory::desc a_desc = MatrixDesc(left, rank, parts.heavy->Attr<bool>(names->first));
  const dnnl::memory::desc b_desc = MatrixDesc(right, rank, parts.heavy->Attr<bool>(names->second));
  const dnnl::memory::desc y_desc = MatrixDesc(out, rank, false);
  Dims bias_dims(rank, 1);
  bias_dims[rank - 1] = out[rank - 1];
  Dims bias_strides(rank, out[rank - 1]);
  bias_strides[rank - 1] = 1;
  const dnnl::memory::desc bias_desc(bias_dims, kFloat, bias_strides);
  if (bias >= 0 && spec.inputs[bias].shape.NumElements() != out[rank - 1]) return nullptr;
  // Only a constant operand of full rank may be laid out anew.
  const bool prepare = spec.inputs[b].constant != nullptr;
  const dnnl::memory::desc b_wanted =
      prepare ? dnnl::memory::desc(b_desc.dims(), kFloat, dnnl::memory::format_tag::any) : b_desc;

  const auto describe = [=](const dnnl::primitive_attr& attr, const dnnl::memory::desc& weights) {
#if DNNL_VERSION_MAJOR >= 3
    return bias >= 0 ? dnnl::matmul::primitive_desc(Engine(), a_desc, weights, bias_desc, y_desc, attr)
                     : dnnl::matmul::primitive_desc(Engine(), a_desc, weights, y_desc, attr);
#else
    const dnnl::matmul::desc op = bias >= 0 ? dnnl::matmul::desc(a_desc, weights, bias_desc, y_desc)
                                            : dnnl::matmul::desc(a_desc, weights, y_desc);
    return dnnl::matmul::primitive_desc(op, attr, Engine());
#endif
  };
  PostOps post = FindPostOps(spec, *parts.heavy, y_desc, rank - 1);
  const auto desc =
      DescribeWithTail(spec, parts, post, [&](const dnnl::primitive_attr& attr) { return describe(attr, b_wanted); });
  if (!desc) return nullptr;
  auto kernel = std::make_unique<PrimitiveKernel>(spec, std::move(parts));
  kernel->AddInput(spec, DNNL_ARG_SRC, a, a_desc);
  if (prepare) {
    kernel->AddConstant(spec, DNNL_ARG_WEIGHTS, b, b_desc, desc->weights_desc());
  } else {
    kernel->AddInput(spec, DNNL_ARG_WEIGHTS, b, b_desc);
  }
  if (bias >= 0) kernel->AddConstant(spec, DNNL_ARG_BIAS, bias, bias_desc, bias_desc);
  kernel->AddOperands(spec, post);
  const auto again = [describe, weights = desc->weights_desc()](const dnnl::primitive_attr& attr) {
    return describe(attr, weights);
  };
  kernel->Finish(Made<dnnl::matmul>(*desc), y_desc, MakesAgain<dnnl::matmul>(*desc, post, again));
  return kernel;
}

}  // namespace atc::kernels
