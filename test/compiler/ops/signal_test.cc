// STFT, against numpy.fft.
#include <catch2/catch.hpp>

#include "compiler/ir/error.h"
#include "test/compiler/ops/run_op.h"

namespace atc::test {
namespace {

const std::vector<float> kSignal = {1, 2, 0, -1, 3, 5};

Tensor Int(int64_t value) { return Tensor::From<int64_t>(DT_INT64, {}, {value}); }

// [numpy.fft.rfft(signal[i : i + 4]) for i in (0, 2)]: the frames [1, 2, 0, -1] and [0, -1, 3, 5].
const std::vector<double> kFrames = {2, 0, 1, -3, 0, 0, 7, 0, -3, 6, -1, 0};

TEST_CASE("STFT takes a real signal with and without the axis of parts") {
  for (const Shape& shape : {Shape{1, 6, 1}, Shape{1, 6}}) {
    const Tensor y = RunOp("onnx::STFT", {Floats(shape, kSignal), Int(2), Tensor(), Int(4)}, {})[0];
    CHECK(y.shape() == Shape{1, 2, 3, 2});
    CheckClose(y, kFrames);
  }
  CHECK_THROWS_AS(RunOp("onnx::STFT", {Floats({6}, kSignal), Int(2), Tensor(), Int(4)}, {}), Error);
}

}  // namespace
}  // namespace atc::test
