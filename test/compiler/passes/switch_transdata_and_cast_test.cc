// Casts beside TransData: which of the two comes first, by the bytes of the tensor between them.
#include "compiler/passes/switch_transdata_and_cast.h"

#include "compiler/layout/choose_formats.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

namespace {

ValueId CastTo(PassFixture& f, const char* name, ValueId value, DataType to) {
  const ValueId result = f.Op("Cast", name, {value});
  f.graph.producer(result).attrs.Set("dst_type", static_cast<int64_t>(to));
  return result;
}

// A convolution over `in` channels of half data, or of float ones.
ValueId Convolve(PassFixture& f, const char* name, ValueId x, int64_t in, int64_t out, DataType dtype) {
  const Tensor filter = test::RandomFloats({out, in, 3, 3}, 1);
  return f.Conv(name, x, f.graph.AddConst("w", dtype == DT_FLOAT ? filter : Narrow(filter, dtype)));
}

ValueId HalfInput(PassFixture& f, const Shape& shape) {
  f.inputs.push_back(Narrow(test::RandomFloats(shape, 3), DT_FLOAT16));
  return f.graph.AddData("", static_cast<int64_t>(f.inputs.size()) - 1, TensorDesc(DT_FLOAT16, shape, FORMAT_NCHW));
}

const TensorDesc& Result(const PassFixture& f, const char* name) {
  return f.graph.desc(f.graph.Find(name)->outputs[0]);
}

}  // namespace

TEST_CASE("a Cast between floats stays in blocks: no TransData stands between two convolutions of different types") {
  PassFixture f;
  const ValueId half = CastTo(f, "half", f.Input({1, 16, 5, 5}), DT_FLOAT16);
  const ValueId first = Convolve(f, "conv", half, 16, 4, DT_FLOAT16);
  const ValueId wide = f.Op("Exp", "exp", {CastTo(f, "wide", first, DT_FLOAT)});
  f.Output({Convolve(f, "conv2", wide, 4, 4, DT_FLOAT)});
  ChooseFormats(f.graph, f.journal);
  f.KeepsResults([&] { SwitchTransDataAndCastPass(f.graph, f.context); }, 0);
  CHECK(f.Count("TransData") == 2);  // at the interface
  CHECK(Result(f, "wide").format == FORMAT_NC1HWC0);
  CHECK(Result(f, "wide").shape == Shape{1, 1, 5, 5, 16});
  CHECK(Result(f, "wide").dtype == DT_FLOAT);
  CHECK(Result(f, "exp").format == FORMAT_NC1HWC0);
}

TEST_CASE("a half becomes a float behind the TransData that takes it out of its blocks") {
  PassFixture f;
  const ValueId y = Convolve(f, "conv", HalfInput(f, {1, 3, 5, 5}), 3, 32, DT_FLOAT16);
  f.Output({CastTo(f, "wide", y, DT_FLOAT)});
  ChooseFormats(f.graph, f.journal);
  f.KeepsResults([&] { SwitchTransDataAndCastPass(f.graph, f.context); }, 0);
  CHECK(f.graph.producer(f.graph.Find("wide")->inputs[0]).type() == "TransData");
  CHECK(Result(f, "wide").format == FORMAT_NCHW);
}

TEST_CASE("a float that leaves its blocks as a half is cast on the smaller of both sides") {
  struct Row {
    int64_t channels;
    bool blocked;  // by hand: a block of 16 halves takes no more than the floats of 8 channels
  };
  for (const Row& row : {Row{3, false}, Row{7, false}, Row{8, true}, Row{32, true}}) {
    PassFixture f;
    const ValueId y = Convolve(f, "conv", f.Input({1, 3, 5, 5}), 3, row.channels, DT_FLOAT);
    f.Output({CastTo(f, "half", y, DT_FLOAT16)});
    ChooseFormats(f.graph, f.journal);
    f.KeepsResults([&] { SwitchTransDataAndCastPass(f.graph, f.context); }, 0);
    INFO(row.channels);
    CHECK((f.graph.producer(f.graph.Find("half")->inputs[0]).name == "conv") == row.blocked);
    CHECK(f.Count("TransData") == 2);
  }
}

TEST_CASE("a half input enters blocks before it becomes a float where that is smaller") {
  for (const int64_t channels : {3, 32}) {
    PassFixture f;
    const ValueId wide = CastTo(f, "wide", HalfInput(f, {1, channels, 5, 5}), DT_FLOAT);
    f.Output({Convolve(f, "conv", wide, channels, 4, DT_FLOAT)});
    ChooseFormats(f.graph, f.journal);
    f.KeepsResults([&] { SwitchTransDataAndCastPass(f.graph, f.context); }, 0);
    INFO(channels);
    CHECK((f.graph.producer(f.graph.Find("wide")->inputs[0]).type() == "TransData") == (channels == 32));
    CHECK((Result(f, "wide").format == FORMAT_NC1HWC0) == (channels == 32));
    CHECK(f.Count("TransData") == 2);
  }
}
