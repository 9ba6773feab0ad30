// onnx::RNN, onnx::GRU and onnx::LSTM with all that ONNX gives them: directions, activations, clipping, peepholes,
// lengths of sequences, layout. AscendIR's recurrent operators cover special cases only.
#include <cmath>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/gate_activation.h"
#include "compiler/ops/matrix_product.h"
#include "compiler/ops/operand_shape.h"

namespace atc {
namespace {

enum class Cell { kRnn, kGru, kLstm };

Cell CellOf(const Node& node) {
  return node.type() == "onnx::LSTM" ? Cell::kLstm : node.type() == "onnx::GRU" ? Cell::kGru : Cell::kRnn;
}

int64_t Gates(Cell cell) { return cell == Cell::kLstm ? 4 : cell == Cell::kGru ? 3 : 1; }

// Operands, by number: X, W, R, B, sequence_lens, initial_h; of LSTM also initial_c and P.
enum Operand { kX, kW, kR, kB, kLengths, kInitialH, kInitialC, kPeepholes };

struct Sizes {
  int64_t steps, batch, input, hidden, directions;
  bool batch_first;

  Shape Sequence() const {
    return batch_first ? Shape{batch, steps, directions, hidden} : Shape{steps, directions, batch, hidden};
  }
  Shape State() const {
    return batch_first ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
  }
  // Element offsets into these.
  int64_t SequenceAt(int64_t t, int64_t d, int64_t b) const {
    return (batch_first ? (b * steps + t) * directions + d : (t * directions + d) * batch + b) * hidden;
  }
  int64_t StateAt(int64_t d, int64_t b) const { return (batch_first ? b * directions + d : d * batch + b) * hidden; }
};

template <typename Context>
Sizes FitSizes(const Context& ctx) {
  const Shape &x = ctx.InShape(kX), &w = ctx.InShape(kW), &r = ctx.InShape(kR);
  if (x.rank() != 3 || w.rank() != 3 || r.rank() != 3) {
    ctx.Fail("X " + ToString(x) + ", W " + ToString(w) + " and R " + ToString(r) + " must have rank 3");
  }
  const bool batch_first = ctx.template Attr<int64_t>("layout") != 0;
  const int64_t directions = ctx.template Attr<std::string>("direction") == "bidirectional" ? 2 : 1;
  Sizes s{x[batch_first ? 1 : 0], x[batch_first ? 0 : 1], x[2], r[2], directions, batch_first};
  const int64_t rows = s.hidden < 0 ? kUnknownDim : Gates(CellOf(ctx.node())) * s.hidden;
  const auto differs = [](int64_t a, int64_t b) { return a >= 0 && b >= 0 && a != b; };
  if (differs(w[0], directions) || differs(r[0], directions) || differs(w[1], rows) || differs(r[1], rows) ||
      differs(w[2], s.input)) {
    ctx.Fail("X " + ToString(x) + ", W " + ToString(w) + " and R " + ToString(r) + " do not fit each other and " +
             std::to_string(directions) + " directions");
  }
  const auto hidden = ctx.template Attr<int64_t>("hidden_size");
  if (hidden != 0 && differs(hidden, s.hidden)) {
    ctx.Fail("hidden_size is " + std::to_string(hidden) + ", R " + ToString(r) + " has " + std::to_string(s.hidden));
  }
  return s;
}

void InferRecurrent(InferContext& ctx) {
  const DataType dtype = ctx.InType(kX);
  if (!ctx.InShape(kX).HasRank() || !ctx.InShape(kW).HasRank() || !ctx.InShape(kR).HasRank()) {
    ctx.SetOut(0, dtype, Shape::UnknownDims(4));
    for (size_t i = 1; i < ctx.num_outputs(); ++i) ctx.SetOut(i, dtype, Shape::UnknownDims(3));
    return;
  }
  const Sizes s = FitSizes(ctx);
  const int64_t gates = Gates(CellOf(ctx.node()));
  const auto times = [](int64_t factor, int64_t dim) { return dim < 0 ? kUnknownDim : factor * dim; };
  RequireOperandShape(ctx, kB, {s.directions, times(2 * gates, s.hidden)});
  RequireElements(ctx, kLengths, s.batch);
  RequireOperandShape(ctx, kInitialH, s.State());
  RequireOperandShape(ctx, kInitialC, s.State());
  RequireOperandShape(ctx, kPeepholes, {s.directions, times(3, s.hidden)});
  ctx.SetOut(0, dtype, s.Sequence());
  for (size_t i = 1; i < ctx.num_outputs(); ++i) ctx.SetOut(i, dtype, s.State());
}

// One direction while it runs. Rows of gates stand in ONNX's order: iofc, zrh.
template <typename T>
struct Direction {
  const Sizes& sizes;
  const T* r;                 // [gates * hidden, hidden]
  const T* bias_w;            // [gates * hidden], nullptr when absent
  const T* bias_r;
  const T* peepholes;         // [3 * hidden] in order iof
  const GateActivation* act;  // f, g, h
  double clip;                // infinity when there is none
  bool linear_before_reset, input_forget;
  std::vector<T> h, c;        // [batch, hidden]

  double Clip(double v) const { return std::clamp(v, -clip, clip); }

  // Pre-activation of gate row `i`: input part, recurrent part, both biases.
  double Sum(const T* xw, const T* hr, int64_t i) const {
    return static_cast<double>(xw[i]) + static_cast<double>(hr[i]) +
           (bias_w ? static_cast<double>(bias_w[i]) + static_cast<double>(bias_r[i]) : 0.0);
  }

  void StepRnn(const T* xw, const T* hr, T* state) const {
    for (int64_t i = 0; i < sizes.hidden; ++i) state[i] = static_cast<T>(act[0](Clip(Sum(xw, hr, i))));
  }

  void StepLstm(const T* xw, const T* hr, T* state, T* cell) const {
    const int64_t n = sizes.hidden;
    for (int64_t i = 0; i < n; ++i) {
      const double old = static_cast<double>(cell[i]);
      const auto peep = [&](int64_t gate, double value) {
        return peepholes ? static_cast<double>(peepholes[gate * n + i]) * value : 0.0;
      };
      const double in = act[0](Clip(Sum(xw, hr, i) + peep(0, old)));
      const double forget = input_forget ? 1 - in : act[0](Clip(Sum(xw, hr, 2 * n + i) + peep(2, old)));
      const double candidate = act[1](Clip(Sum(xw, hr, 3 * n + i)));
      const double now = forget * old + in * candidate;
      const double out = act[0](Clip(Sum(xw, hr, n + i) + peep(1, now)));
      cell[i] = static_cast<T>(now);
      state[i] = static_cast<T>(out * act[2](now));
    }
  }

  void StepGru(const T* xw, const T* hr, T* state) const {
    const int64_t n = sizes.hidden;
    std::vector<double> update(n), reset(n);
    for (int64_t i = 0; i < n; ++i) {
      update[i] = act[0](Clip(Sum(xw, hr, i)));
      reset[i] = act[0](Clip(Sum(xw, hr, n + i)));
    }
    std::vector<T> gated(n), product(n);
    if (!linear_before_reset) {
      for (int64_t i = 0; i < n; ++i) gated[i] = static_cast<T>(reset[i] * static_cast<double>(state[i]));
      MatrixProduct<T>(1, n, n, {gated.data(), n, 1}, {r + 2 * n * n, 1, n}, product.data(), n);
    }
    for (int64_t i = 0; i < n; ++i) {
      const int64_t row = 2 * n + i;
      const double bw = bias_w ? static_cast<double>(bias_w[row]) : 0, br = bias_w ? static_cast<double>(bias_r[row]) : 0;
      const double recurrent = linear_before_reset ? reset[i] * (static_cast<double>(hr[row]) + br)
                                                   : static_cast<double>(product[i]) + br;
      const double candidate = act[1](Clip(static_cast<double>(xw[row]) + recurrent + bw));
      state[i] = static_cast<T>((1 - update[i]) * candidate + update[i] * static_cast<double>(state[i]));
    }
  }
};

std::vector<std::string> ActivationNames(const KernelContext& ctx, Cell cell, int64_t directions) {
  auto names = ctx.Attr<std::vector<std::string>>("activations");
  static const std::vector<std::string> kDefaults[] = {{"Tanh"}, {"Sigmoid", "Tanh"}, {"Sigmoid", "Tanh", "Tanh"}};
  const std::vector<std::string>& one = kDefaults[static_cast<int>(cell)];
  if (names.empty()) {
    for (int64_t d = 0; d < directions; ++d) names.insert(names.end(), one.begin(), one.end());
  }
  if (names.size() != one.size() * static_cast<size_t>(directions)) {
    ctx.Fail("activations has " + std::to_string(names.size()) + " entries, wanted " + std::to_string(one.size()) +
             " a direction");
  }
  return names;
}

// Lengths of the sequences of a batch; all steps where the operand is absent.
std::vector<int64_t> Lengths(const KernelContext& ctx, const Sizes& s) {
  std::vector<int64_t> lengths(static_cast<size_t>(s.batch), s.steps);
  if (!ctx.HasInput(kLengths)) return lengths;
  lengths = ToInts(ctx.In(kLengths));
  if (static_cast<int64_t>(lengths.size()) != s.batch) {
    ctx.Fail("sequence_lens has " + std::to_string(lengths.size()) + " entries, wanted " + std::to_string(s.batch));
  }
  for (const int64_t length : lengths) {
    if (length < 0 || length > s.steps) {
      ctx.Fail("sequence length " + std::to_string(length) + " is outside [0, " + std::to_string(s.steps) + "]");
    }
  }
  return lengths;
}

// X as [steps * batch, input] times the direction's W: [steps * batch, gates * hidden].
template <typename T>
std::vector<T> InputProducts(const Sizes& s, const T* x, const T* w, int64_t rows) {
  std::vector<T> products(static_cast<size_t>(s.steps * s.batch * rows));
  MatrixProduct<T>(s.steps * s.batch, rows, s.input, {x, s.input, 1}, {w, 1, s.input}, products.data(), rows);
  return products;
}

template <typename T>
void RunRecurrent(KernelContext& ctx) {
  const Cell cell = CellOf(ctx.node());
  const Sizes s = FitSizes(ctx);
  const int64_t rows = Gates(cell) * s.hidden;
  const size_t functions = cell == Cell::kLstm ? 3 : cell == Cell::kGru ? 2 : 1;
  std::string unknown;
  const auto activations =
      FindGateActivations(ActivationNames(ctx, cell, s.directions), ctx.Attr<std::vector<float>>("activation_alpha"),
                          ctx.Attr<std::vector<float>>("activation_beta"), &unknown);
  if (!activations) ctx.Fail("activation '" + unknown + "' is none of a recurrent cell");
  // Optional operand i, checked to have this shape and X's type; nullptr when absent.
  const auto operand = [&](size_t i, const Shape& shape) -> const T* {
    if (!ctx.HasInput(i)) return nullptr;
    if (ctx.InShape(i) != shape || ctx.InType(i) != ctx.InType(kX)) {
      ctx.Fail(ctx.node().def->InputName(i) + " has shape " + ToString(ctx.InShape(i)) + ", wanted " +
               ToString(shape) + " and the type of X");
    }
    return ctx.In(i).Data<T>();
  };
  const T* w = operand(kW, {s.directions, rows, s.input});
  const T* r = operand(kR, {s.directions, rows, s.hidden});
  const T* b = operand(kB, {s.directions, 2 * rows});
  const T* h0 = operand(kInitialH, s.State());
  const T* c0 = cell == Cell::kLstm ? operand(kInitialC, s.State()) : nullptr;
  const T* p = cell == Cell::kLstm ? operand(kPeepholes, {s.directions, 3 * s.hidden}) : nullptr;
  const float clip = ctx.Attr<float>("clip");
  const std::vector<int64_t> lengths = Lengths(ctx, s);
  const bool reverse_only = ctx.Attr<std::string>("direction") == "reverse";

  const auto make = [&](size_t i, const Shape& shape) -> T* {
    return ctx.WantsOutput(i) ? ctx.Out(i, ctx.InType(kX), shape).template MutableData<T>() : nullptr;
  };
  T* y = make(0, s.Sequence());
  T* y_h = make(1, s.State());
  T* y_c = cell == Cell::kLstm ? make(2, s.State()) : nullptr;
  if (y) std::fill_n(y, s.Sequence().NumElements(), T{0});

  std::vector<T> hr(static_cast<size_t>(s.batch * rows));
  for (int64_t d = 0; d < s.directions; ++d) {
    const bool reverse = reverse_only || d == 1;
    Direction<T> run{s,
                     r + d * rows * s.hidden,
                     b ? b + d * 2 * rows : nullptr,
                     b ? b + (d * 2 + 1) * rows : nullptr,
                     p ? p + d * 3 * s.hidden : nullptr,
                     activations->data() + static_cast<size_t>(d) * functions,
                     clip > 0 ? static_cast<double>(clip) : std::numeric_limits<double>::infinity(),
                     cell == Cell::kGru && ctx.Attr<int64_t>("linear_before_reset") != 0,
                     cell == Cell::kLstm && ctx.Attr<int64_t>("input_forget") != 0,
                     std::vector<T>(static_cast<size_t>(s.batch * s.hidden), T{0}),
                     std::vector<T>(static_cast<size_t>(s.batch * s.hidden), T{0})};
    for (int64_t n = 0; n < s.batch; ++n) {
      if (h0) std::copy_n(h0 + s.StateAt(d, n), s.hidden, run.h.data() + n * s.hidden);
      if (c0) std::copy_n(c0 + s.StateAt(d, n), s.hidden, run.c.data() + n * s.hidden);
    }
    const std::vector<T> xw = InputProducts<T>(s, ctx.In(kX).template Data<T>(), w + d * rows * s.input, rows);
    for (int64_t step = 0; step < s.steps; ++step) {
      MatrixProduct<T>(s.batch, rows, s.hidden, {run.h.data(), s.hidden, 1}, {run.r, 1, s.hidden}, hr.data(), rows);
      for (int64_t n = 0; n < s.batch; ++n) {
        if (step >= lengths[n]) continue;
        const int64_t t = reverse ? lengths[n] - 1 - step : step;
        const T* input = xw.data() + (s.batch_first ? n * s.steps + t : t * s.batch + n) * rows;
        T* state = run.h.data() + n * s.hidden;
        switch (cell) {
          case Cell::kRnn: run.StepRnn(input, hr.data() + n * rows, state); break;
          case Cell::kGru: run.StepGru(input, hr.data() + n * rows, state); break;
          case Cell::kLstm: run.StepLstm(input, hr.data() + n * rows, state, run.c.data() + n * s.hidden); break;
        }
        if (y) std::copy_n(state, s.hidden, y + s.SequenceAt(t, d, n));
      }
    }
    for (int64_t n = 0; n < s.batch; ++n) {
      if (y_h) std::copy_n(run.h.data() + n * s.hidden, s.hidden, y_h + s.StateAt(d, n));
      if (y_c) std::copy_n(run.c.data() + n * s.hidden, s.hidden, y_c + s.StateAt(d, n));
    }
  }
}

void RecurrentKernel(KernelContext& ctx) {
  Dispatch(FloatTypes{}, ctx, ctx.InType(kX), [&]<typename T>() { RunRecurrent<T>(ctx); });
}

OpDef Definition(Name type) {
  OpDef def(type);
  def.In("X").In("W").In("R").OptIn("B").OptIn("sequence_lens").OptIn("initial_h");
  def.OptOut("Y").OptOut("Y_h");
  def.Attr("direction", "forward").Attr("hidden_size", 0).Attr("layout", 0).Attr("clip", 0.0f);
  def.Attr("activations", std::vector<std::string>{});
  def.Attr("activation_alpha", std::vector<float>{}).Attr("activation_beta", std::vector<float>{});
  def.Attr("opset", 1);
  return def.Traits(kWidenHalf).On(Unit::kCube).Infer(InferRecurrent).Kernel(RecurrentKernel);
}

}  // namespace

void RegisterRecurrentOps(OpRegistry& registry) {
  registry.Add(Definition("onnx::GRU").Attr("linear_before_reset", 0));
  registry.Add(Definition("onnx::LSTM").OptIn("initial_c").OptIn("P").OptOut("Y_c").Attr("input_forget", 0));
  registry.Add(Definition("onnx::RNN"));
}

}  // namespace atc
