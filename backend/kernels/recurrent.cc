// LSTM, GRU and RNN with their default activations: the products with the input are taken for all steps at once, those
// with the state and the cell's arithmetic step by step, of all sequences together. Directions run side by side; where the
// team has members left they share out the hidden units of each direction and meet at every step.
#include <algorithm>
#include <memory>
#include <optional>

#include "backend/kernels/gates.h"
#include "backend/kernels/half_convert.h"
#include "backend/kernels/kernel.h"
#include "backend/kernels/packed_product.h"
#include "backend/kernels/step_barrier.h"
#include "compiler/ops/evaluator.h"

namespace atc::kernels {
namespace {

enum class Cell { kRnn, kGru, kLstm };

// Operands, by number; P belongs to LSTM.
enum Operand { kX, kW, kR, kB, kLengths, kInitialH, kInitialC, kPeepholes };

// Some hidden units of a direction with all their gates; `count` of each gate lie together.
struct Part {
  int64_t direction = 0;
  int64_t begin = 0, count = 0;
  std::unique_ptr<PackedMatrix> input;      // [gates * count, input]
  std::unique_ptr<PackedMatrix> state;      // [gates * count, hidden], or z and r alone
  std::unique_ptr<PackedMatrix> candidate;  // h of a GRU that resets before its product
  std::vector<float> bias;                  // of the input products, padded
  std::vector<float> reset_bias;            // of the part that a GRU's reset gate multiplies
};

class RecurrentKernel : public Kernel {
 public:
  RecurrentKernel(const KernelSpec& spec, Cell cell) : cell_(cell), dtype_(spec.inputs[kX].dtype) {
    const Shape &x = spec.inputs[kX].shape, &r = spec.inputs[kR].shape;
    batch_first_ = spec.node.Attr<int64_t>("layout") != 0;
    steps_ = x[batch_first_ ? 1 : 0];
    batch_ = x[batch_first_ ? 0 : 1];
    terms_ = x[2];
    hidden_ = r[2];
    gates_ = cell == Cell::kLstm ? 4 : cell == Cell::kGru ? 3 : 1;
    split_ = cell == Cell::kGru && spec.node.Attr<int64_t>("linear_before_reset") == 0;
    const std::string direction = spec.node.Attr<std::string>("direction");
    directions_ = direction == "bidirectional" ? 2 : 1;
    reverse_ = direction == "reverse";
    const auto given = [&](size_t port) { return spec.inputs.size() > port && spec.inputs[port].present; };
    has_h_ = given(kInitialH);
    has_c_ = given(kInitialC);
    num_outputs_ = spec.outputs.size();
    // Below so many units a member has too little to do between two meetings.
    constexpr int64_t kLeastUnits = 64;
    const int64_t per_direction = std::clamp<int64_t>(spec.threads / directions_, 1, std::max<int64_t>(1, hidden_ / kLeastUnits));
    const Tensor w = Widen(*spec.inputs[kW].constant), state = Widen(*spec.inputs[kR].constant);
    const Tensor bias = given(kB) ? Widen(*spec.inputs[kB].constant) : Tensor();
    const int64_t blocks = (hidden_ + PackedMatrix::kPart - 1) / PackedMatrix::kPart;
    for (int64_t d = 0; d < directions_; ++d) {
      for (int64_t p = 0; p < per_direction; ++p) {
        Part& part = parts_.emplace_back();
        part.direction = d;
        part.begin = blocks * p / per_direction * PackedMatrix::kPart;
        part.count = std::min(hidden_, blocks * (p + 1) / per_direction * PackedMatrix::kPart) - part.begin;
        Prepare(part, w.Data<float>() + d * Rows() * terms_, state.Data<float>() + d * Rows() * hidden_,
                bias.defined() ? bias.Data<float>() + d * 2 * Rows() : nullptr);
      }
      barriers_.push_back(std::make_unique<StepBarrier>(static_cast<uint32_t>(per_direction)));
    }
    together_ = spec.threads >= static_cast<int>(parts_.size()) && parts_.size() > 1;
    // Of each direction: two states, reset states. Of each part: products, sums of a step, candidate, cell.
    shared_ = 3 * batch_ * Rounded(hidden_);
    for (const Part& part : parts_) {
      own_ = std::max(own_, (steps_ + 1) * batch_ * Width(part) + 2 * batch_ * Rounded(part.count) + PackedMatrix::kPart);
    }
    own_ = Rounded(own_);
    if (dtype_ != DT_FLOAT) wide_ = Rounded(steps_ * batch_ * terms_);
  }

  size_t scratch_bytes() const override {
    return static_cast<size_t>(wide_ + directions_ * shared_ + static_cast<int64_t>(parts_.size()) * own_) * sizeof(float);
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
    const auto places = [&](size_t number) {
      return PlacesOf(parts_[number], inputs, outputs, floats + parts_[number].direction * shared_,
                      floats + directions_ * shared_ + static_cast<int64_t>(number) * own_);
    };
    const auto run = [&](int member) {
      const Part& part = parts_[static_cast<size_t>(member)];
      StepBarrier& barrier = *barriers_[static_cast<size_t>(part.direction)];
      Places at = places(static_cast<size_t>(member));
      Begin(part, x, at);
      barrier.Wait();
      for (int64_t step = 0; step < steps_; ++step) {
        StepSums(part, step, at);
        if (split_) barrier.Wait();
        StepState(part, step, at);
        barrier.Wait();
      }
      End(part, at);
    };
    if (together_ && RunTogether(static_cast<int>(parts_.size()), run)) return;
    // One after the other, step by step.
    std::vector<Places> all;
    for (size_t i = 0; i < parts_.size(); ++i) all.push_back(places(i));
    for (size_t i = 0; i < parts_.size(); ++i) Begin(parts_[i], x, all[i]);
    for (int64_t step = 0; step < steps_; ++step) {
      for (size_t i = 0; i < parts_.size(); ++i) StepSums(parts_[i], step, all[i]);
      for (size_t i = 0; i < parts_.size(); ++i) StepState(parts_[i], step, all[i]);
    }
    for (size_t i = 0; i < parts_.size(); ++i) End(parts_[i], all[i]);
  }

 private:
  struct Places {
    const void* h0;
    const void* c0;
    void* const* outputs;
    float *states[2], *reset;                  // of the direction: [batch][Rounded(hidden)]
    float *products, *sums, *candidate, *cell;  // of the part
  };

  static int64_t Rounded(int64_t count) { return (count + PackedMatrix::kPart - 1) / PackedMatrix::kPart * PackedMatrix::kPart; }
  int64_t Rows() const { return gates_ * hidden_; }
  int64_t Width(const Part& part) const { return Rounded(gates_ * part.count); }

  // Rows of the gates from `first` to `last` for the units of the part, packed.
  std::unique_ptr<PackedMatrix> Pack(const Part& part, const float* rows, int64_t terms, int64_t first, int64_t last) {
    std::vector<float> own;
    for (int64_t gate = first; gate < last; ++gate) {
      const float* from = rows + (gate * hidden_ + part.begin) * terms;
      own.insert(own.end(), from, from + part.count * terms);
    }
    auto packed = std::make_unique<PackedMatrix>(MatrixPlace{own.data(), terms, 1}, (last - first) * part.count, terms);
    prepared_ += packed->bytes();
    return packed;
  }

  void Prepare(Part& part, const float* w, const float* r, const float* bias) {
    part.input = Pack(part, w, terms_, 0, gates_);
    part.state = Pack(part, r, hidden_, 0, split_ ? 2 : gates_);
    if (split_) part.candidate = Pack(part, r, hidden_, 2, 3);
    part.bias.assign(static_cast<size_t>(Width(part)), 0.0f);
    part.reset_bias.assign(static_cast<size_t>(Width(part)), 0.0f);
    if (bias == nullptr) return;
    for (int64_t gate = 0; gate < gates_; ++gate) {
      const bool apart = cell_ == Cell::kGru && !split_ && gate == 2;
      for (int64_t i = 0; i < part.count; ++i) {
        const int64_t row = gate * hidden_ + part.begin + i;
        const auto at = static_cast<size_t>(gate * part.count + i);
        part.bias[at] = bias[row] + (apart ? 0.0f : bias[Rows() + row]);
        if (apart) part.reset_bias[at] = bias[Rows() + row];
      }
    }
  }

  Places PlacesOf(const Part& part, const void* const* inputs, void* const* outputs, float* shared, float* own) const {
    const int64_t state = batch_ * Rounded(hidden_), width = batch_ * Width(part);
    float* sums = own + steps_ * width;
    float* candidate = sums + width + PackedMatrix::kPart;
    return {has_h_ ? inputs[kInitialH] : nullptr,
            has_c_ ? inputs[kInitialC] : nullptr,
            outputs,
            {shared, shared + state},
            shared + 2 * state,
            own,
            sums,
            candidate,
            candidate + batch_ * Rounded(part.count)};
  }

  int64_t SequenceAt(int64_t t, int64_t d, int64_t b) const {
    return (batch_first_ ? (b * steps_ + t) * directions_ + d : (t * directions_ + d) * batch_ + b) * hidden_;
  }
  int64_t StateAt(int64_t d, int64_t b) const { return (batch_first_ ? b * directions_ + d : d * batch_ + b) * hidden_; }

  void Get(float* to, const void* from, int64_t at, int64_t count) const {
    if (from == nullptr) return std::fill_n(to, count, 0.0f), void();
    WidenTo(to, static_cast<const char*>(from) + at * static_cast<int64_t>(TileElementBytes(dtype_)), dtype_,
            static_cast<size_t>(count));
  }
  void Put(void* to, int64_t at, const float* from, int64_t count) const {
    if (to == nullptr) return;
    NarrowTo(static_cast<char*>(to) + at * static_cast<int64_t>(TileElementBytes(dtype_)), dtype_, from,
             static_cast<size_t>(count));
  }

  void Begin(const Part& part, const float* x, const Places& at) const {
    part.input->Multiply(steps_ * batch_, x, terms_, part.bias.data(), 0, at.products, Width(part));
    for (int64_t b = 0; b < batch_; ++b) {
      const int64_t from = StateAt(part.direction, b) + part.begin;
      Get(at.states[0] + b * Rounded(hidden_) + part.begin, at.h0, from, part.count);
      Get(at.cell + b * Rounded(part.count), at.c0, from, part.count);
    }
  }

  int64_t Time(const Part& part, int64_t step) const {
    return reverse_ || part.direction == 1 ? steps_ - 1 - step : step;
  }

  // The sums of the gates, and a GRU's reset state where that comes before its product.
  void StepSums(const Part& part, int64_t step, const Places& at) const {
    const int64_t width = Width(part), t = Time(part, step);
    const float* input = at.products + (batch_first_ ? t : t * batch_) * width;
    const int64_t stride = batch_first_ ? steps_ * width : width;
    const float* old = at.states[step % 2];
    if (cell_ == Cell::kGru && !split_) {
      for (int64_t b = 0; b < batch_; ++b) {
        std::copy_n(input + b * stride, 2 * part.count, at.sums + b * width);
        std::copy_n(part.reset_bias.data() + 2 * part.count, width - 2 * part.count, at.sums + b * width + 2 * part.count);
      }
      part.state->Multiply(batch_, old, Rounded(hidden_), at.sums, width, at.sums, width);
      return;
    }
    // Starts are read up to the end of a block: what lies behind them are other sums.
    part.state->Multiply(batch_, old, Rounded(hidden_), input, stride, at.sums, width);
    for (int64_t b = 0; split_ && b < batch_; ++b) {
      const int64_t units = b * Rounded(hidden_) + part.begin;
      GruReset(at.sums + b * width, part.count, old + units, at.reset + units);
    }
  }

  void StepState(const Part& part, int64_t step, const Places& at) const {
    const int64_t width = Width(part), t = Time(part, step), own = Rounded(part.count);
    const float* input = at.products + (batch_first_ ? t : t * batch_) * width;
    const int64_t stride = batch_first_ ? steps_ * width : width;
    if (split_) {
      part.candidate->Multiply(batch_, at.reset, Rounded(hidden_), input + 2 * part.count, stride, at.candidate, own);
    }
    for (int64_t b = 0; b < batch_; ++b) {
      const int64_t units = b * Rounded(hidden_) + part.begin;
      const float *sums = at.sums + b * width, *old = at.states[step % 2] + units;
      float* state = at.states[(step + 1) % 2] + units;
      if (cell_ == Cell::kLstm) {
        LstmStep(sums, part.count, at.cell + b * own, state);
      } else if (cell_ == Cell::kRnn) {
        RnnStep(sums, part.count, state);
      } else if (split_) {
        GruUpdate(sums, at.candidate + b * own, part.count, old, state);
      } else {
        GruStep(sums, input + b * stride + 2 * part.count, part.count, old, state);
      }
      Put(at.outputs[0], SequenceAt(t, part.direction, b) + part.begin, state, part.count);
    }
  }

  void End(const Part& part, const Places& at) const {
    for (int64_t b = 0; b < batch_; ++b) {
      const int64_t to = StateAt(part.direction, b) + part.begin;
      if (num_outputs_ > 1) Put(at.outputs[1], to, at.states[steps_ % 2] + b * Rounded(hidden_) + part.begin, part.count);
      if (num_outputs_ > 2) Put(at.outputs[2], to, at.cell + b * Rounded(part.count), part.count);
    }
  }

  Cell cell_;
  DataType dtype_;
  bool batch_first_ = false, split_ = false, has_h_ = false, has_c_ = false, reverse_ = false, together_ = false;
  size_t num_outputs_ = 1;
  int64_t steps_, batch_, terms_, hidden_, gates_, directions_ = 1;
  std::vector<Part> parts_;
  std::vector<std::unique_ptr<StepBarrier>> barriers_;  // by direction
  int64_t shared_ = 0, own_ = 0, wide_ = 0;
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
