// Recurrent cells whose one matrix multiplies [x, h]: TensorFlow's tf::LSTMBlockCell and tf::GRUBlockCell for one step,
// tf::BlockLSTM and tf::BlockLSTMV2 for all, and AscendIR's DynamicRNN.
#include <algorithm>
#include <cmath>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/axis_loop.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/tensorflow_families.h"
#include "compiler/ops/math.h"
#include "compiler/ops/matrix_product.h"

namespace atc {
namespace {

double Sigmoid(double x) { return 1.0 / (1.0 + math::Exp(-x)); }

bool HasSteps(const OpDef& def) { return def.inputs[0].name == "seq_len_max"; }

// Number of the first operand behind seq_len_max, which cells of one step do not have.
size_t First(const OpDef& def) { return HasSteps(def) ? 1 : 0; }

// Operands of an LSTM, counted from First.
enum Operand : size_t { kX, kCell, kHidden, kW, kWci, kWcf, kWco, kB };

template <typename Context>
Shape StateShape(const Context& ctx) {
  const OpDef& def = *ctx.node().def;
  const Shape &x = ctx.InShape(First(def)), &state = ctx.InShape(First(def) + kCell);
  if ((x.HasRank() && x.rank() != (HasSteps(def) ? 3u : 2u)) || (state.HasRank() && state.rank() != 2)) {
    ctx.Fail("x " + ToString(x) + " and state " + ToString(state) + " do not have the ranks of a cell's");
  }
  Shape shape = state.HasRank() ? state : Shape::UnknownDims(2);
  if (HasSteps(def)) shape.dims().insert(shape.dims().begin(), x.HasRank() ? x[0] : kUnknownDim);
  return shape;
}

void InferCell(InferContext& ctx) {
  const Shape shape = StateShape(ctx);
  for (size_t i = 0; i < ctx.num_outputs(); ++i) ctx.SetOut(i, ctx.InType(First(*ctx.node().def)), shape);
}

// Operand i, checked.
template <typename T>
const T* Checked(const KernelContext& ctx, size_t i, const Shape& shape) {
  if (ctx.InShape(i) != shape || ctx.InType(i) != kDataTypeOf<T>) {
    ctx.Fail(ctx.node().def->InputName(i) + " is " + std::string(DataTypeName(ctx.InType(i))) + " " +
             ToString(ctx.InShape(i)) + ", wanted " + std::string(DataTypeName(kDataTypeOf<T>)) + " " + ToString(shape));
  }
  return ctx.In(i).Data<T>();
}

// y = [x, h] * w, w having the rows of x before those of h.
template <typename T>
void Product(int64_t batch, int64_t input, int64_t hidden, int64_t columns, const T* x, const T* h, const T* w, T* y) {
  std::vector<T> joined(static_cast<size_t>(batch * (input + hidden)));
  for (int64_t n = 0; n < batch; ++n) {
    std::copy_n(x + n * input, input, joined.data() + n * (input + hidden));
    std::copy_n(h + n * hidden, hidden, joined.data() + n * (input + hidden) + input);
  }
  MatrixProduct<T>(batch, columns, input + hidden, {joined.data(), input + hidden, 1}, {w, columns, 1}, y, columns);
}

// An LSTM over `used` of `steps` steps: x [steps, batch, input], w [input + hidden, 4 * hidden], states [batch, hidden].
template <typename T>
struct LstmRun {
  int64_t steps, used, batch, input, hidden;
  const T *x, *cell, *state, *w, *b;
  const T* peepholes[3] = {};  // null: none
  bool forget_second = false;  // gates i, f, c, o; else i, c, f, o
  double forget_bias = 0, clip = 0;
};

// What each step computes, [steps, batch, hidden] each; steps that are not used are 0.
enum LstmResult { kI, kCs, kF, kO, kCi, kCo, kH, kLstmResults };

template <typename T>
void Run(const LstmRun<T>& run, T* const y[kLstmResults]) {
  const int64_t batch = run.batch, hidden = run.hidden;
  for (int k = 0; k < kLstmResults; ++k) std::fill_n(y[k], run.steps * batch * hidden, T{0});
  const T *cell = run.cell, *state = run.state;
  std::vector<T> gates(static_cast<size_t>(batch * 4 * hidden));
  for (int64_t step = 0; step < run.used; ++step) {
    Product<T>(batch, run.input, hidden, 4 * hidden, run.x + step * batch * run.input, state, run.w, gates.data());
    for (int64_t n = 0; n < batch; ++n) {
      for (int64_t j = 0; j < hidden; ++j) {
        const auto gate = [&](int64_t g) {
          return static_cast<double>(gates[static_cast<size_t>((n * 4 + g) * hidden + j)]) +
                 static_cast<double>(run.b[g * hidden + j]);
        };
        const auto hole = [&](int k, double c) {
          return run.peepholes[k] ? c * static_cast<double>(run.peepholes[k][j]) : 0.0;
        };
        const int64_t place = (step * batch + n) * hidden + j;
        const auto before = static_cast<double>(cell[n * hidden + j]);
        const double in = Sigmoid(gate(0) + hole(0, before));
        const double candidate = math::Tanh(gate(run.forget_second ? 2 : 1));
        const double forget = Sigmoid(gate(run.forget_second ? 1 : 2) + run.forget_bias + hole(1, before));
        double now = candidate * in + before * forget;
        if (run.clip > 0) now = std::clamp(now, -run.clip, run.clip);
        const double squashed = math::Tanh(now), open = Sigmoid(gate(3) + hole(2, now));
        const double values[kLstmResults] = {in, now, forget, open, candidate, squashed, open * squashed};
        for (int k = 0; k < kLstmResults; ++k) y[k][place] = static_cast<T>(values[k]);
      }
    }
    cell = y[kCs] + step * batch * hidden;
    state = y[kH] + step * batch * hidden;
  }
}

template <typename T>
void RunLstm(KernelContext& ctx) {
  const OpDef& def = *ctx.node().def;
  const size_t at = First(def);
  const Shape out = StateShape(ctx);
  const bool steps_given = HasSteps(def);
  LstmRun<T> run;
  run.steps = steps_given ? ctx.InShape(at)[0] : 1;
  run.used = steps_given ? std::clamp<int64_t>(OneInt(ctx, 0, "seq_len_max"), 0, run.steps) : 1;
  run.batch = ctx.InShape(at + kCell)[0];
  run.hidden = ctx.InShape(at + kCell)[1];
  run.input = ctx.InShape(at).dims().back();
  run.x = Checked<T>(ctx, at, steps_given ? Shape{run.steps, run.batch, run.input} : Shape{run.batch, run.input});
  run.w = Checked<T>(ctx, at + kW, {run.input + run.hidden, 4 * run.hidden});
  run.b = Checked<T>(ctx, at + kB, {4 * run.hidden});
  const bool peep = ctx.Attr<bool>("use_peephole");
  for (size_t k = 0; peep && k < 3; ++k) run.peepholes[k] = Checked<T>(ctx, at + kWci + k, {run.hidden});
  run.cell = Checked<T>(ctx, at + kCell, {run.batch, run.hidden});
  run.state = Checked<T>(ctx, at + kHidden, {run.batch, run.hidden});
  run.forget_second = ctx.node().type() == "tf::BlockLSTMV2";
  run.forget_bias = def.FindAttr("forget_bias") ? ctx.Attr<float>("forget_bias") : 0.0f;
  run.clip = ctx.Attr<float>("cell_clip");
  T* y[kLstmResults];
  for (size_t k = 0; k < kLstmResults; ++k) y[k] = ctx.Out(k, kDataTypeOf<T>, out).template MutableData<T>();
  Run(run, y);
}

// ---- DynamicRNN ----

// AscendIR's LSTM: x, w, b, seq_length, init_h, init_c, the peepholes wci, wcf and wco, mask; states [1, batch, hidden], gates i, j, f, o.
enum DynamicOperand : size_t { kDynX, kDynW, kDynB, kDynLength, kDynH, kDynC, kDynWci, kDynMask = kDynWci + 3 };

void InferDynamicRnn(InferContext& ctx) {
  const Shape &x = ctx.InShape(kDynX), &w = ctx.InShape(kDynW);
  if ((x.HasRank() && x.rank() != 3) || (w.HasRank() && w.rank() != 2)) {
    ctx.Fail("x " + ToString(x) + " must have rank 3 and w " + ToString(w) + " rank 2");
  }
  Shape shape = x.HasRank() ? x : Shape::UnknownDims(3);
  shape[2] = w.HasRank() && w[1] >= 0 ? w[1] / 4 : kUnknownDim;
  for (size_t i = 0; i < ctx.num_outputs(); ++i) ctx.SetOut(i, ctx.InType(kDynX), shape);
}

template <typename T>
void RunDynamicRnn(KernelContext& ctx) {
  const Shape &x = ctx.InShape(kDynX), &w = ctx.InShape(kDynW);
  if (x.rank() != 3 || w.rank() != 2 || w[1] % 4 != 0) ctx.Fail("x " + ToString(x) + " and w " + ToString(w) + " do not fit");
  const std::string gates = ctx.Attr<std::string>("gate_order");
  if (gates != "ijfo" && gates != "ifjo") ctx.Fail("gate_order is '" + gates + "', wanted ijfo or ifjo");
  for (const auto& [attr, wanted] : {std::pair{"cell_type", "LSTM"}, {"direction", "UNIDIRECTIONAL"}, {"activation", "tanh"}}) {
    const std::string value = ctx.Attr<std::string>(attr);
    if (value != wanted) ctx.Fail(std::string(attr) + " is '" + value + "'; only " + wanted + " is supported");
  }
  LstmRun<T> run;
  run.steps = run.used = x[0];
  run.batch = x[1];
  run.input = x[2];
  run.hidden = w[1] / 4;
  run.x = Checked<T>(ctx, kDynX, x);
  run.w = Checked<T>(ctx, kDynW, {run.input + run.hidden, 4 * run.hidden});
  run.b = Checked<T>(ctx, kDynB, {4 * run.hidden});
  for (const size_t i : {size_t{kDynLength}, size_t{kDynMask}}) {
    if (ctx.HasInput(i)) ctx.Fail(ctx.node().def->InputName(i) + " is not supported; leave it out");
  }
  const bool peep = ctx.Attr<bool>("use_peephole");
  for (size_t k = 0; peep && k < 3; ++k) run.peepholes[k] = Checked<T>(ctx, kDynWci + k, {run.hidden});
  const std::vector<T> zeros(static_cast<size_t>(run.batch * run.hidden), T{0});
  const auto initial = [&](size_t i) {
    return ctx.HasInput(i) ? Checked<T>(ctx, i, {1, run.batch, run.hidden}) : zeros.data();
  };
  run.state = initial(kDynH);
  run.cell = initial(kDynC);
  run.forget_second = gates == "ifjo";
  run.forget_bias = ctx.Attr<float>("forget_bias");
  run.clip = ctx.Attr<float>("cell_clip");
  // y, output_h, output_c, i, j, f, o, tanhc
  constexpr int kFrom[] = {kH, kH, kCs, kI, kCi, kF, kO, kCo};
  const Shape out{run.steps, run.batch, run.hidden};
  std::vector<T> made[kLstmResults];
  T* y[kLstmResults];
  for (int k = 0; k < kLstmResults; ++k) {
    made[k].resize(static_cast<size_t>(out.NumElements()));
    y[k] = made[k].data();
  }
  Run(run, y);
  for (size_t i = 0; i < std::size(kFrom); ++i) {
    if (!ctx.WantsOutput(i)) continue;
    std::copy(made[kFrom[i]].begin(), made[kFrom[i]].end(), ctx.Out(i, kDataTypeOf<T>, out).template MutableData<T>());
  }
}

void DynamicRnnKernel(KernelContext& ctx) {
  Dispatch(FloatTypes{}, ctx, ctx.InType(kDynX), [&]<typename T>() { RunDynamicRnn<T>(ctx); });
}

template <typename T>
void RunGru(KernelContext& ctx) {
  const int64_t batch = ctx.InShape(1)[0], hidden = ctx.InShape(1)[1], input = ctx.InShape(0).dims().back();
  const T* x = Checked<T>(ctx, 0, {batch, input});
  const T* h = Checked<T>(ctx, 1, {batch, hidden});
  const T* w_ru = Checked<T>(ctx, 2, {input + hidden, 2 * hidden});
  const T* w_c = Checked<T>(ctx, 3, {input + hidden, hidden});
  const T* b_ru = Checked<T>(ctx, 4, {2 * hidden});
  const T* b_c = Checked<T>(ctx, 5, {hidden});
  T* y[4];  // r, u, c, h
  for (size_t k = 0; k < 4; ++k) y[k] = ctx.Out(k, kDataTypeOf<T>, {batch, hidden}).template MutableData<T>();
  std::vector<T> gates(static_cast<size_t>(batch * 2 * hidden)), reset(static_cast<size_t>(batch * hidden));
  Product<T>(batch, input, hidden, 2 * hidden, x, h, w_ru, gates.data());
  for (int64_t n = 0; n < batch; ++n) {
    for (int64_t j = 0; j < hidden; ++j) {
      const auto gate = [&](int64_t g) {
        return Sigmoid(static_cast<double>(gates[static_cast<size_t>((n * 2 + g) * hidden + j)]) +
                       static_cast<double>(b_ru[g * hidden + j]));
      };
      y[0][n * hidden + j] = static_cast<T>(gate(0));
      y[1][n * hidden + j] = static_cast<T>(gate(1));
      reset[static_cast<size_t>(n * hidden + j)] = static_cast<T>(gate(0) * static_cast<double>(h[n * hidden + j]));
    }
  }
  Product<T>(batch, input, hidden, hidden, x, reset.data(), w_c, y[2]);
  for (int64_t i = 0; i < batch * hidden; ++i) {
    const double candidate = math::Tanh(static_cast<double>(y[2][i]) + static_cast<double>(b_c[i % hidden]));
    const auto update = static_cast<double>(y[1][i]);
    y[2][i] = static_cast<T>(candidate);
    y[3][i] = static_cast<T>((1 - update) * candidate + update * static_cast<double>(h[i]));
  }
}

void LstmKernel(KernelContext& ctx) {
  StateShape(ctx);
  Dispatch(FloatTypes{}, ctx, ctx.InType(First(*ctx.node().def)), [&]<typename T>() { RunLstm<T>(ctx); });
}
void GruKernel(KernelContext& ctx) {
  StateShape(ctx);
  Dispatch(FloatTypes{}, ctx, ctx.InType(0), [&]<typename T>() { RunGru<T>(ctx); });
}

OpDef Lstm(const char* type, bool steps) {
  OpDef def{Name(type)};
  if (steps) def.In("seq_len_max");
  for (const char* in : {"x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b"}) def.In(in);
  for (const char* out : {"i", "cs", "f", "o", "ci", "co", "h"}) def.Out(out);
  return def.Attr("use_peephole", false).Traits(kWidenHalf).On(Unit::kCube).Infer(InferCell).Kernel(LstmKernel);
}

}  // namespace

void RegisterBlockCellOps(OpRegistry& registry) {
  OpDef dynamic("DynamicRNN");
  dynamic.In("x").In("w").In("b").OptIn("seq_length").OptIn("init_h").OptIn("init_c");
  for (const char* in : {"wci", "wcf", "wco", "mask"}) dynamic.OptIn(in);
  dynamic.Out("y");
  for (const char* out : {"output_h", "output_c", "i", "j", "f", "o", "tanhc"}) dynamic.OptOut(out);
  registry.Add(dynamic.Attr("cell_type", "LSTM").Attr("direction", "UNIDIRECTIONAL").Attr("cell_depth", 1)
                   .Attr("use_peephole", false).Attr("keep_prob", 1.0f).Attr("cell_clip", -1.0f).Attr("num_proj", 0)
                   .Attr("time_major", true).Attr("activation", "tanh").Attr("forget_bias", 0.0f)
                   .Attr("gate_order", "ijfo").Attr("is_training", true).Traits(kWidenHalf).On(Unit::kCube)
                   .Infer(InferDynamicRnn).Kernel(DynamicRnnKernel));
  registry.Add(Lstm("tf::BlockLSTM", true).Attr("forget_bias", 1.0f).Attr("cell_clip", 3.0f));
  registry.Add(Lstm("tf::BlockLSTMV2", true).Attr("cell_clip", 0.0f));
  registry.Add(OpDef("tf::GRUBlockCell").In("x").In("h_prev").In("w_ru").In("w_c").In("b_ru").In("b_c").Out("r").Out("u")
                   .Out("c").Out("h").Traits(kWidenHalf).On(Unit::kCube).Infer(InferCell).Kernel(GruKernel));
  registry.Add(Lstm("tf::LSTMBlockCell", false).Attr("forget_bias", 1.0f).Attr("cell_clip", 3.0f));
}

}  // namespace atc
