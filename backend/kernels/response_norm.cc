// Local response normalisation across channels.
#include <algorithm>

#include "backend/kernels/for_team.h"
#include "backend/kernels/kernel.h"
#include "backend/kernels/rows.h"

namespace atc::kernels {
namespace {

constexpr int64_t kTeamElements = 16 * 1024;
constexpr int64_t kPiece = 512;  // places of a plane that are done at a time

class ResponseNormKernel : public Kernel {
 public:
  // x as [images, channels, plane], or [images * plane, channels] where `last`.
  ResponseNormKernel(int64_t before, int64_t after, float bias, float alpha, float beta, bool last, int64_t images,
                     int64_t channels, int64_t plane, int threads)
      : before_(before), after_(after), bias_(bias), alpha_(alpha), beta_(beta), last_(last), images_(images),
        channels_(channels), plane_(plane), threads_(threads) {}

  size_t scratch_bytes() const override { return static_cast<size_t>(threads_ * Room()) * sizeof(float); }
  void Run(const void* const* inputs, void* const* outputs, std::byte* scratch) override {
    const auto* x = static_cast<const float*>(inputs[0]);
    auto* y = static_cast<float*>(outputs[0]);
    const int64_t pieces = (plane_ + kPiece - 1) / kPiece;
    const int64_t tasks = last_ ? images_ * plane_ : images_ * pieces;
    const int parts = threads_ > 1 && images_ * channels_ * plane_ >= kTeamElements ? threads_ : 1;
    ForTeam(parts, parts, [&](int part) {
      float* sums = reinterpret_cast<float*>(scratch) + part * Room();
      for (int64_t i = tasks * part / parts; i < tasks * (part + 1) / parts; ++i) {
        if (last_) {
          SumSquaresAround(sums, x + i * channels_, before_, after_, channels_);
          DivideByPower(y + i * channels_, x + i * channels_, sums, bias_, alpha_, beta_, channels_);
        } else {
          const int64_t begin = i % pieces * kPiece;
          const int64_t at = i / pieces * channels_ * plane_ + begin;
          Piece(x + at, y + at, std::min(kPiece, plane_ - begin), sums);
        }
      }
    });
  }

 private:
  int64_t Room() const { return (std::max(channels_, kPiece) + 15) / 16 * 16; }

  void Piece(const float* x, float* y, int64_t count, float* sums) const {
    for (int64_t c = 0; c < channels_; ++c) {
      std::fill_n(sums, count, 0.0f);
      for (int64_t k = std::max<int64_t>(0, c - before_); k <= std::min(channels_ - 1, c + after_); ++k) {
        AddSquares(sums, x + k * plane_, count);
      }
      DivideByPower(y + c * plane_, x + c * plane_, sums, bias_, alpha_, beta_, count);
    }
  }

  int64_t before_, after_;
  float bias_, alpha_, beta_;
  bool last_;
  int64_t images_, channels_, plane_;
  int threads_;
};

}  // namespace

std::unique_ptr<Kernel> MakeResponseNorm(const KernelSpec& spec) {
  const Node& node = spec.node;
  const bool plain = node.type() == "LRN";
  if ((!plain && !(node.type() == "onnx::LRN")) || node.fused || spec.outputs.size() != 1) return nullptr;
  const Port& x = spec.inputs[0];
  if (x.dtype != DT_FLOAT || spec.outputs[0].dtype != DT_FLOAT || x.shape.rank() < 2 || x.shape.NumElements() == 0) return nullptr;
  if (x.channels_last != spec.outputs[0].channels_last) return nullptr;
  int64_t before, after;
  float alpha = node.Attr<float>("alpha");
  if (plain) {
    before = after = node.Attr<int64_t>("depth_radius");
    if (node.Attr<std::string>("norm_region") != "ACROSS_CHANNELS" || before < 0) return nullptr;
  } else {
    const int64_t size = node.Attr<int64_t>("size");
    if (size < 1) return nullptr;
    before = (size - 1) / 2;
    after = size / 2;
    alpha = static_cast<float>(static_cast<double>(alpha) / static_cast<double>(size));
  }
  const float bias = node.Attr<float>("bias"), beta = node.Attr<float>("beta");
  if (!(bias > 0) || !(alpha >= 0)) return nullptr;  // powers of what may be negative are the reference's affair
  const int64_t images = x.shape[0], channels = x.shape[1];
  return std::make_unique<ResponseNormKernel>(before, after, bias, alpha, beta, x.channels_last, images, channels,
                                              x.shape.NumElements() / (images * channels), spec.threads);
}

}  // namespace atc::kernels
