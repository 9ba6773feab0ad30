// Softmax of 8-bit tensors: fused nodes that dequantise, take the softmax and quantise.
#include <algorithm>

#include "backend/kernels/elementwise_program.h"
#include "backend/kernels/for_team.h"
#include "backend/kernels/kernel.h"
#include "backend/kernels/quantize_scale.h"
#include "backend/kernels/score_rows.h"

namespace atc::kernels {
namespace {

// Below so many elements a team costs more than it gains.
constexpr int64_t kTeamElements = 16 * 1024;

class ByteSoftmaxKernel : public Kernel {
 public:
  // Rows of `keys` elements, `inner` apart from each other.
  ByteSoftmaxKernel(const KernelSpec& spec, int port, int64_t keys, int64_t inner, const QuantizeScale& scale,
                    std::unique_ptr<ElementwiseProgram> tail)
      : port_(port),
        count_(spec.outputs[0].shape.NumElements()),
        keys_(keys),
        inner_(inner),
        threads_(spec.threads),
        is_signed_(spec.inputs[static_cast<size_t>(port)].dtype == DT_INT8),
        scale_(scale),
        tail_(std::move(tail)) {}

  // The result as floats, and a row for each member of the team where elements of a row lie apart.
  size_t scratch_bytes() const override {
    return static_cast<size_t>(count_ + (inner_ > 1 ? threads_ * keys_ : 0)) * sizeof(float);
  }

  void Run(const void* const* inputs, void* const* outputs, std::byte* scratch) override {
    const auto* x = static_cast<const uint8_t*>(inputs[port_]);
    auto* floats = reinterpret_cast<float*>(scratch);
    const int64_t rows = count_ / keys_, share = (rows + threads_ - 1) / threads_;
    ForTeam(count_ >= kTeamElements ? threads_ : 1, threads_, [&](int member) {
      float* own = floats + count_ + member * keys_;
      for (int64_t row = member * share; row < std::min(rows, (member + 1) * share); ++row) {
        const int64_t begin = row / inner_ * keys_ * inner_ + row % inner_;
        float* to = inner_ > 1 ? own : floats + begin;
        if (is_signed_) {
          Dequantize(to, reinterpret_cast<const int8_t*>(x + begin));
        } else {
          Dequantize(to, x + begin);
        }
        SoftmaxRow(to, to, keys_, nullptr, 0);
        if (inner_ == 1) {
          tail_->RunRange(inputs, floats, outputs[0], begin, keys_);
        } else {
          for (int64_t i = 0; i < keys_; ++i) floats[begin + i * inner_] = own[i];
        }
      }
    });
    if (inner_ > 1) tail_->Run(inputs, floats, outputs[0], threads_);
  }

 private:
  // A row, in steps of one or of inner_; plain locals, so that the loop of neighbours is one over vectors.
  template <typename Byte>
  void Dequantize(float* __restrict to, const Byte* __restrict from) const {
    const float zero = scale_.zero, by = scale_.scale;
    const int64_t count = keys_, step = inner_;
    if (step == 1) {
      for (int64_t i = 0; i < count; ++i) to[i] = (static_cast<float>(from[i]) - zero) * by;
    } else {
      for (int64_t i = 0; i < count; ++i) to[i] = (static_cast<float>(from[i * step]) - zero) * by;
    }
  }

  int port_;
  int64_t count_, keys_, inner_;
  int threads_;
  bool is_signed_;
  QuantizeScale scale_;
  std::unique_ptr<ElementwiseProgram> tail_;
};

}  // namespace

std::unique_ptr<Kernel> MakeByteSoftmax(const KernelSpec& spec) {
  if (!(spec.node.type() == "SoftmaxV2") || !spec.node.fused || spec.outputs.size() != 1) return nullptr;
  const Graph& graph = *spec.node.fused;
  const Node* softmax = nullptr;
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    if (graph.node(id).alive && graph.node(id).type() == "SoftmaxV2") softmax = &graph.node(id);
  }
  if (softmax == nullptr || !(graph.producer(softmax->inputs[0]).type() == "onnx::DequantizeLinear")) return nullptr;
  const Node& dequantize = graph.producer(softmax->inputs[0]);
  const Node& source = graph.producer(dequantize.inputs[0]);
  const std::optional<QuantizeScale> scale = FindQuantizeScale(spec, dequantize);
  if (!scale || !(source.type() == "Data")) return nullptr;
  const auto port = static_cast<int>(source.Attr<int64_t>("index"));
  const Port& x = spec.inputs[static_cast<size_t>(port)];
  const auto rank = static_cast<int64_t>(x.shape.rank());
  const std::vector<int64_t> axes = softmax->Attr<std::vector<int64_t>>("axes");
  if (axes.size() != 1 || rank == 0 || x.shape.NumElements() == 0 || x.channels_last || spec.outputs[0].channels_last)
    return nullptr;
  const auto axis = static_cast<size_t>(axes[0] < 0 ? axes[0] + rank : axes[0]);
  std::unique_ptr<ElementwiseProgram> tail = ElementwiseProgram::Make(spec, softmax);
  if (tail == nullptr) return nullptr;
  return std::make_unique<ByteSoftmaxKernel>(spec, port, x.shape[axis], x.shape.Strides()[axis], *scale,
                                             std::move(tail));
}

}  // namespace atc::kernels
