// LSTM, GRU and RNN with their default activations: the products with the input are taken for all steps at once, those
// with the state and the cell's arithmetic step by step. Directions run side by side.
#include <algorithm>
#include <optional>

#include "backend/kernels/gates.h"
#include "backend/kernels/half_convert.h"
#include "backend/kernels/kernel.h"
#include "backend/kernels/packed_product.h"
#include "compiler/ops/evaluator.h"

namespace atc::kernels {
namespace {

enum class Cell { kRnn, kGru, kLstm };

// Operands, by number; P belongs to LSTM.
enum Operand { kX, kW, kR, kB, kLengths, kInitialH, kInitialC, kPeepholes };

struct Direction {
  bool reverse = false;
  std::optional<PackedMatrix> input;      // [gates * hidden, input]
  std::optional<PackedMatrix> state;      // [gates * hidden, hidden], or z and r alone
  std::optional<PackedMatrix> candidate;  // h of a GRU that resets before its product
  std::vector<float> bias;                // of the input products, padded
  std::vector<float> reset_bias;          // of the part that a GRU's reset gate multiplies
};

class RecurrentKernel : public Kernel {
 public:
  RecurrentKernel(const KernelSpec& spec, Cell cell)
      : cell_(cell), threads_(spec.threads), dtype_(spec.inputs[kX].dtype) {
    const Shape &x = spec.inputs[kX].shape, &r = spec.inputs[kR].shape;
    batch_first_ = spec.node.Attr<int64_t>("layout") != 0;
    steps_ = x[batch_first_ ? 1 : 0];
    batch_ = x[batch_first_ ? 0 : 1];
    terms_ = x[2];
    hidden_ = r[2];
    gates_ = cell == Cell::kLstm ? 4 : cell == Cell::kGru ? 3 : 1;
    split_ = cell == Cell::kGru && spec.node.Attr<int64_t>("linear_before_reset") == 0;
    const std::string direction = spec.node.Attr<std::string>("direction");
    const Tensor w = Widen(*spec.inputs[kW].constant), state = Widen(*spec.inputs[kR].constant);
    const bool biased = spec.inputs.size() > kB && spec.inputs[kB].present;
    const Tensor bias = biased ? Widen(*spec.inputs[kB].constant) : Tensor();
    directions_.resize(direction == "bidirectional" ? 2 : 1);
    for (size_t d = 0; d < directions_.size(); ++d) {
      directions_[d].reverse = direction == "reverse" || d == 1;
      Prepare(directions_[d], w.Data<float>() + static_cast<int64_t>(d) * Rows() * terms_,
              state.Data<float>() + static_cast<int64_t>(d) * Rows() * hidden_,
              biased ? bias.Data<float>() + static_cast<int64_t>(d) * 2 * Rows() : nullptr);
    }
    const auto given = [&](size_t port) { return spec.inputs.size() > port && spec.inputs[port].present; };
    has_h_ = given(kInitialH);
    has_c_ = given(kInitialC);
    num_outputs_ = spec.outputs.size();
    // Of one direction: products, sums of a step, and candidate, state, cell and reset state of one sequence.
    floats_ = steps_ * batch_ * Padded() + Padded() + 4 * Rounded(hidden_);
    if (dtype_ != DT_FLOAT) wide_ = Rounded(steps_ * batch_ * terms_);
  }

  size_t scratch_bytes() const override {
    return static_cast<size_t>(wide_ + directions() * floats_) * sizeof(float);
  }
  size_t prepared_bytes() const override { return prepared_; }
  bool Reads(size_t port) const override { return port != kW && port != kR && port != kB; }

  void Run(const void* const* inputs, void* const* outputs, std::byte* scratch) override {
    auto* floats = reinterpret_cast<float*>(scratch);
    const auto* x = static_cast<const float*>(inputs[kX]);
    if (dtype_ != DT_FLOAT) {
      WidenTo(floats, inputs[kX], dtype_, static_cast<size_t>(steps_ * batch_ * terms_));
      x = floats;
    }
    floats += wide_;
    const bool together = threads_ > 1 && directions_.size() > 1;
#pragma omp parallel for num_threads(2) schedule(static) if (together)
    for (size_t d = 0; d < directions_.size(); ++d) {
      RunDirection(d, x, inputs, outputs, floats + static_cast<int64_t>(d) * floats_);
    }
  }

 private:
  static int64_t Rounded(int64_t count) { return (count + PackedMatrix::kPart - 1) / PackedMatrix::kPart * PackedMatrix::kPart; }
  int64_t Rows() const { return gates_ * hidden_; }
  int64_t Padded() const { return Rounded(Rows()); }
  int64_t directions() const { return static_cast<int64_t>(directions_.size()); }

  void Prepare(Direction& d, const float* w, const float* r, const float* bias) {
    d.input.emplace(w, Rows(), terms_);
    if (split_) {
      d.state.emplace(r, 2 * hidden_, hidden_);
      d.candidate.emplace(r + 2 * hidden_ * hidden_, hidden_, hidden_);
      prepared_ += d.candidate->bytes();
    } else {
      d.state.emplace(r, Rows(), hidden_);
    }
    prepared_ += d.input->bytes() + d.state->bytes();
    d.bias.assign(static_cast<size_t>(Padded()), 0.0f);
    d.reset_bias.assign(static_cast<size_t>(Padded()), 0.0f);
    if (bias == nullptr) return;
    for (int64_t i = 0; i < Rows(); ++i) {
      const bool apart = cell_ == Cell::kGru && !split_ && i >= 2 * hidden_;
      d.bias[static_cast<size_t>(i)] = bias[i] + (apart ? 0.0f : bias[Rows() + i]);
      if (apart) d.reset_bias[static_cast<size_t>(i)] = bias[Rows() + i];
    }
  }

  int64_t SequenceAt(int64_t t, int64_t d, int64_t b) const {
    return (batch_first_ ? (b * steps_ + t) * directions() + d : (t * directions() + d) * batch_ + b) * hidden_;
  }
  int64_t StateAt(int64_t d, int64_t b) const { return (batch_first_ ? b * directions() + d : d * batch_ + b) * hidden_; }

  void Get(float* to, const void* from, int64_t at) const {
    if (from == nullptr) return std::fill_n(to, hidden_, 0.0f), void();
    WidenTo(to, static_cast<const char*>(from) + at * static_cast<int64_t>(TileElementBytes(dtype_)), dtype_,
            static_cast<size_t>(hidden_));
  }
  void Put(void* to, int64_t at, const float* from) const {
    if (to == nullptr) return;
    NarrowTo(static_cast<char*>(to) + at * static_cast<int64_t>(TileElementBytes(dtype_)), dtype_, from,
             static_cast<size_t>(hidden_));
  }

  void RunDirection(size_t index, const float* x, const void* const* inputs, void* const* outputs, float* scratch) {
    const Direction& run = directions_[index];
    const auto d = static_cast<int64_t>(index);
    const int64_t width = Padded();
    float* products = scratch;
    float* sums = products + steps_ * batch_ * width;
    float* candidate = sums + width;
    float* state = candidate + Rounded(hidden_);
    float* cell = state + Rounded(hidden_);
    float* reset = cell + Rounded(hidden_);
    run.input->Multiply(steps_ * batch_, x, terms_, run.bias.data(), 0, products, width);
    const void* h0 = has_h_ ? inputs[kInitialH] : nullptr;
    const void* c0 = has_c_ ? inputs[kInitialC] : nullptr;
    for (int64_t b = 0; b < batch_; ++b) {
      Get(state, h0, StateAt(d, b));
      Get(cell, c0, StateAt(d, b));
      for (int64_t step = 0; step < steps_; ++step) {
        const int64_t t = run.reverse ? steps_ - 1 - step : step;
        const float* input = products + (batch_first_ ? b * steps_ + t : t * batch_ + b) * width;
        Step(run, input, sums, candidate, state, cell, reset);
        Put(outputs[0], SequenceAt(t, d, b), state);
      }
      if (num_outputs_ > 1) Put(outputs[1], StateAt(d, b), state);
      if (num_outputs_ > 2) Put(outputs[2], StateAt(d, b), cell);
    }
  }

  void Step(const Direction& run, const float* input, float* sums, float* candidate, float* state, float* cell,
            float* reset) const {
    if (cell_ != Cell::kGru) {
      run.state->Multiply(1, state, hidden_, input, 0, sums, 0);
      if (cell_ == Cell::kLstm) return LstmStep(sums, hidden_, cell, state);
      return RnnStep(sums, hidden_, state);
    }
    if (split_) {
      // Starts are read up to the end of a block: what lies behind them are other sums.
      run.state->Multiply(1, state, hidden_, input, 0, sums, 0);
      GruReset(sums, hidden_, state, reset);
      run.candidate->Multiply(1, reset, hidden_, input + 2 * hidden_, 0, candidate, 0);
      return GruUpdate(sums, candidate, hidden_, state);
    }
    std::copy_n(input, 2 * hidden_, sums);
    std::copy_n(run.reset_bias.data() + 2 * hidden_, Padded() - 2 * hidden_, sums + 2 * hidden_);
    run.state->Multiply(1, state, hidden_, sums, 0, sums, 0);
    GruStep(sums, input + 2 * hidden_, hidden_, state);
  }

  Cell cell_;
  int threads_;
  DataType dtype_;
  bool batch_first_ = false, split_ = false, has_h_ = false, has_c_ = false;
  size_t num_outputs_ = 1;
  int64_t steps_, batch_, terms_, hidden_, gates_;
  std::vector<Direction> directions_;
  int64_t floats_ = 0, wide_ = 0;
  size_t prepared_ = 0;
};

std::optional<Cell> CellOf(const Node& node) {
  if (node.type() == "onnx::LSTM") return Cell::kLstm;
  if (node.type() == "onnx::GRU") return Cell::kGru;
  if (node.type() == "onnx::RNN") return Cell::kRnn;
  return std::nullopt;
}

bool HasDefaultActivations(const Node& node, Cell cell) {
  const auto names = node.Attr<std::vector<std::string>>("activations");
  const std::vector<std::string> one = cell == Cell::kLstm  ? std::vector<std::string>{"Sigmoid", "Tanh", "Tanh"}
                                       : cell == Cell::kGru ? std::vector<std::string>{"Sigmoid", "Tanh"}
                                                            : std::vector<std::string>{"Tanh"};
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] != one[i % one.size()]) return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<Kernel> MakeRecurrent(const KernelSpec& spec) {
  const std::optional<Cell> cell = CellOf(spec.node);
  if (!cell || spec.node.fused || spec.inputs.size() < 3) return nullptr;
  const DataType dtype = spec.inputs[kX].dtype;
  if (dtype != DT_FLOAT && !IsHalf(dtype)) return nullptr;
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    const Port& port = spec.inputs[i];
    if (!port.present) continue;
    if (port.dtype != dtype || port.channels_last || i == kLengths || i == kPeepholes) return nullptr;
    if ((i == kW || i == kR || i == kB) && port.constant == nullptr) return nullptr;
  }
  for (const Port& port : spec.outputs) {
    if (port.dtype != dtype) return nullptr;
  }
  if (spec.node.Attr<float>("clip") > 0 || !HasDefaultActivations(spec.node, *cell)) return nullptr;
  if (*cell == Cell::kLstm && spec.node.Attr<int64_t>("input_forget") != 0) return nullptr;
  const Shape &x = spec.inputs[kX].shape, &w = spec.inputs[kW].shape, &r = spec.inputs[kR].shape;
  if (x.rank() != 3 || w.rank() != 3 || r.rank() != 3 || x.NumElements() == 0 || r.NumElements() == 0) return nullptr;
  return std::make_unique<RecurrentKernel>(spec, *cell);
}

}  // namespace atc::kernels
