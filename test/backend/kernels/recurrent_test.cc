#include "test/backend/kernels/kernel_fixture.h"

using namespace atc;
using namespace atc::test;

namespace {

struct Cell {
  const char* type;
  int64_t gates;
};

KernelCase Recurrent(const Cell& cell, int64_t steps, int64_t batch, int64_t input, int64_t hidden,
                     const std::string& direction, int64_t layout, bool biased, bool states, int64_t linear) {
  const int64_t d = direction == "bidirectional" ? 2 : 1, rows = cell.gates * hidden;
  const bool lstm = std::string(cell.type) == "onnx::LSTM";
  const Shape state = layout ? Shape{batch, d, hidden} : Shape{d, batch, hidden};
  KernelCase c;
  c.type = cell.type;
  c.inputs = {RandomFloats(layout ? Shape{batch, steps, input} : Shape{steps, batch, input}, 1),
              RandomFloats({d, rows, input}, 2), RandomFloats({d, rows, hidden}, 3),
              biased ? RandomFloats({d, 2 * rows}, 4) : Tensor(), Tensor(), states ? RandomFloats(state, 5) : Tensor()};
  if (lstm) c.inputs.push_back(states ? RandomFloats(state, 6) : Tensor());
  if (lstm) c.inputs.push_back(Tensor());
  c.constant = {false, true, true, true};
  c.outputs = lstm ? 3 : 2;
  c.set_attrs = [=](Node& node) {
    node.attrs.Set("direction", direction);
    node.attrs.Set("hidden_size", hidden);
    node.attrs.Set("layout", layout);
    if (std::string(node.type().str()) == "onnx::GRU") node.attrs.Set("linear_before_reset", linear);
  };
  return c;
}

}  // namespace

TEST_CASE("recurrent cells are those of the reference") {
  const Cell cell = GENERATE(Cell{"onnx::LSTM", 4}, Cell{"onnx::GRU", 3}, Cell{"onnx::RNN", 1});
  const std::string direction = GENERATE("forward", "reverse", "bidirectional");
  const int64_t layout = GENERATE(0, 1);
  const bool full = GENERATE(false, true);
  for (const int64_t hidden : {7, 131}) {
    for (const int64_t linear : {0, 1}) {
      KernelCase c = Recurrent(cell, hidden > 7 ? 2 : 5, 3, 9, hidden, direction, layout, full, full, linear);
      CheckAgainstReference(c, 1e-4);
      for (const int threads : {2, 4}) {  // directions side by side, then parts of each
        if (threads == 4 && (hidden == 7 || layout != 0 || !full)) continue;
        c.threads = threads;
        CheckAgainstReference(c, 1e-4);
      }
    }
  }
}

TEST_CASE("recurrent cells of half types round their results alone") {
  KernelCase c = Recurrent({"onnx::LSTM", 4}, 3, 2, 8, 16, "bidirectional", 0, true, true, 0);
  for (Tensor& input : c.inputs) {
    if (input.defined()) input = Narrow(input, DT_FLOAT16);
  }
  CheckAgainstReference(c, 1e-3);
}
