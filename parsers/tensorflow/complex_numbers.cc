// Complex numbers and Fourier transforms. What computes with them is put together from real operators on the two parts of
// each number, which a Bitcast takes apart and joins; what only moves elements takes complex ones as they are.
#include "compiler/ir/user_dtype.h"
#include "compiler/ops/scalar.h"
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {
namespace {

struct Parts {
  ValueId real, imaginary;
};

// Emits the nodes of one operator, numbered in order.
class Maker {
 public:
  explicit Maker(NodeContext& ctx) : ctx_(ctx) {}

  ValueId Make(const char* type, std::vector<ValueId> inputs) { return Add(type, std::move(inputs)).outputs[0]; }
  Node& Add(const char* type, std::vector<ValueId> inputs) {
    return ctx_.Emit(type, std::move(inputs), 1, "part" + std::to_string(number_++));
  }
  ValueId Ints(const std::vector<int64_t>& ints) { return ctx_.ConstInts(ints, "constant" + std::to_string(number_++)); }

  // [..., 2] of a complex tensor, and back.
  ValueId Pairs(ValueId complex) { return Cast(complex, RealType(ctx_.DescOf(complex).dtype)); }
  ValueId Complex(ValueId pairs) {
    return Cast(pairs, ctx_.DescOf(pairs).dtype == DT_DOUBLE ? DT_COMPLEX128 : DT_COMPLEX64);
  }
  Parts Split(ValueId complex) {
    const ValueId pairs = Pairs(complex);
    return {Part(pairs, 0), Part(pairs, 1)};
  }
  ValueId Part(ValueId pairs, int64_t which) {
    return Make("GatherV2", {pairs, ctx_.Const(Tensor::Ints({which}).Reshaped(Shape{}), "which" + std::to_string(number_++)),
                             Ints({-1})});
  }
  ValueId Join(const Parts& parts) {
    Node& pack = Add("Pack", {parts.real, parts.imaginary});
    pack.attrs.Set("axis", int64_t{-1});
    pack.attrs.Set("N", int64_t{2});
    return Complex(pack.outputs[0]);
  }

  static DataType RealType(DataType complex) { return complex == DT_COMPLEX128 ? DT_DOUBLE : DT_FLOAT; }

 private:
  ValueId Cast(ValueId value, DataType to) {
    Node& cast = Add("Bitcast", {value});
    cast.attrs.Set("type", AttrValue(to));
    cast.attrs.Set(kKeepDtype, int64_t{1});
    return cast.outputs[0];
  }

  NodeContext& ctx_;
  int number_ = 0;
};

// Gives the node's output; an Identity bears its name.
void Finish(NodeContext& ctx, ValueId value) { ctx.SetOutput(0, ctx.Emit("Identity", {value}).outputs[0]); }

// The parts broadcast: a choice that is always one operand has the shape of both.
void ConvertComplex(NodeContext& ctx) {
  Maker m(ctx);
  const ValueId always = ctx.Const(ScalarOf(DT_BOOL, 1), "always"), never = ctx.Const(ScalarOf(DT_BOOL, 0), "never");
  const ValueId real = m.Make("SelectV2", {always, ctx.In(0), ctx.In(1)});
  Finish(ctx, m.Join({real, m.Make("SelectV2", {never, ctx.In(0), ctx.In(1)})}));
}

void ConvertPart(NodeContext& ctx, int64_t which) {
  Maker m(ctx);
  Finish(ctx, m.Part(m.Pairs(ctx.In(0)), which));
}

void ConvertAbs(NodeContext& ctx) {
  Maker m(ctx);
  const ValueId square = m.Make("Square", {m.Pairs(ctx.In(0))});
  Finish(ctx, m.Make("Sqrt", {m.Make("ReduceSum", {square, m.Ints({-1})})}));
}

void ConvertAngle(NodeContext& ctx) {
  Maker m(ctx);
  const Parts x = m.Split(ctx.In(0));
  Finish(ctx, m.Make("Atan2", {x.imaginary, x.real}));
}

void ConvertConjugate(NodeContext& ctx) {
  Maker m(ctx);
  const Parts x = m.Split(ctx.In(0));
  Finish(ctx, m.Join({x.real, m.Make("Neg", {x.imaginary})}));
}

// Of each part by itself.
void ConvertLinear(NodeContext& ctx, const char* type) {
  Maker m(ctx);
  std::vector<ValueId> pairs;
  for (const ValueId input : ctx.Inputs()) pairs.push_back(m.Pairs(input));
  Finish(ctx, m.Complex(m.Make(type, std::move(pairs))));
}

Parts Product(Maker& m, const Parts& a, const Parts& b) {
  return {m.Make("Sub", {m.Make("Mul", {a.real, b.real}), m.Make("Mul", {a.imaginary, b.imaginary})}),
          m.Make("Add", {m.Make("Mul", {a.real, b.imaginary}), m.Make("Mul", {a.imaginary, b.real})})};
}

void ConvertMul(NodeContext& ctx) {
  Maker m(ctx);
  Finish(ctx, m.Join(Product(m, m.Split(ctx.In(0)), m.Split(ctx.In(1)))));
}

void ConvertSquare(NodeContext& ctx) {
  Maker m(ctx);
  const Parts x = m.Split(ctx.In(0));
  Finish(ctx, m.Join(Product(m, x, x)));
}

// a / b = a * conjugate(b) / |b|^2
void ConvertDiv(NodeContext& ctx) {
  Maker m(ctx);
  const Parts b = m.Split(ctx.In(1));
  const Parts product = Product(m, m.Split(ctx.In(0)), {b.real, m.Make("Neg", {b.imaginary})});
  const ValueId norm = m.Make("Add", {m.Make("Square", {b.real}), m.Make("Square", {b.imaginary})});
  Finish(ctx, m.Join({m.Make("RealDiv", {product.real, norm}), m.Make("RealDiv", {product.imaginary, norm})}));
}

void ConvertExp(NodeContext& ctx) {
  Maker m(ctx);
  const Parts x = m.Split(ctx.In(0));
  const ValueId length = m.Make("Exp", {x.real});
  Finish(ctx, m.Join({m.Make("Mul", {length, m.Make("Cos", {x.imaginary})}),
                      m.Make("Mul", {length, m.Make("Sin", {x.imaginary})})}));
}

// Between real and complex numbers.
void ConvertCast(NodeContext& ctx) {
  Maker m(ctx);
  const DataType from = ctx.Type("SrcT"), to = ctx.Type("DstT");
  const auto cast = [&](ValueId value, DataType dtype) {
    Node& node = m.Add("Cast", {value});
    node.attrs.Set("dst_type", static_cast<int64_t>(dtype));
    return node.outputs[0];
  };
  const bool from_complex = from == DT_COMPLEX64 || from == DT_COMPLEX128;
  const bool to_complex = to == DT_COMPLEX64 || to == DT_COMPLEX128;
  if (from_complex && !to_complex) return Finish(ctx, cast(m.Part(m.Pairs(ctx.In(0)), 0), to));
  const DataType part = Maker::RealType(to);
  if (from_complex) return Finish(ctx, m.Complex(cast(m.Pairs(ctx.In(0)), part)));
  const ValueId real = cast(ctx.In(0), part);
  const ValueId never = ctx.Const(ScalarOf(DT_BOOL, 0), "never"), zero = ctx.Const(ScalarOf(part, 0), "zero");
  Finish(ctx, m.Join({real, m.Make("SelectV2", {never, real, zero})}));
}

// Along the last axis, which is cut or filled up to the length that a real transform names.
void ConvertTransform(NodeContext& ctx, bool inverse, bool real) {
  Maker m(ctx);
  ValueId x = ctx.In(0), length = kNoId;
  if (real) {
    const std::vector<int64_t> lengths = ctx.RequiredInts(1, "fft_length");
    if (lengths.size() != 1) ctx.Fail("fft_length must be one number");
    length = m.Ints(lengths);
  }
  if (real && !inverse) {
    Node& single = m.Add("Unsqueeze", {x});
    single.attrs.Set("axes", std::vector<int64_t>{-1});
    x = single.outputs[0];
  } else {
    x = m.Pairs(x);
  }
  Node& transform = m.Add("onnx::DFT", {x, length, m.Ints({-2})});
  transform.attrs.Set("inverse", static_cast<int64_t>(inverse));
  transform.attrs.Set("onesided", static_cast<int64_t>(real));
  transform.attrs.Set("opset", int64_t{20});
  if (!(real && inverse)) return Finish(ctx, m.Complex(transform.outputs[0]));
  Node& single = m.Add("Squeeze", {transform.outputs[0]});
  single.attrs.Set("axis", std::vector<int64_t>{-1});
  Finish(ctx, single.outputs[0]);
}

}  // namespace

void RegisterComplexNumbersConverters(ConverterRegistry& registry) {
  registry.Add("Angle", ConvertAngle);
  registry.Add("Complex", ConvertComplex);
  registry.Add("ComplexAbs", ConvertAbs);
  registry.Add("Conj", ConvertConjugate);
  registry.Add("Imag", [](NodeContext& ctx) { ConvertPart(ctx, 1); });
  registry.Add("Real", [](NodeContext& ctx) { ConvertPart(ctx, 0); });
  for (const bool inverse : {false, true}) {
    const std::string name = inverse ? "IFFT" : "FFT", real_name = inverse ? "IRFFT" : "RFFT";
    registry.Add(name, [inverse](NodeContext& ctx) { ConvertTransform(ctx, inverse, false); });
    registry.Add(real_name, [inverse](NodeContext& ctx) { ConvertTransform(ctx, inverse, true); });
  }
  for (const char* op : {"Add", "AddV2"}) {
    registry.AddComplex(op, [](NodeContext& ctx) { ConvertLinear(ctx, "Add"); });
  }
  registry.AddComplex("Cast", ConvertCast);
  registry.AddComplex("Exp", ConvertExp);
  registry.AddComplex("Mul", ConvertMul);
  registry.AddComplex("Neg", [](NodeContext& ctx) { ConvertLinear(ctx, "Neg"); });
  registry.AddComplex("RealDiv", ConvertDiv);
  registry.AddComplex("Square", ConvertSquare);
  registry.AddComplex("Sub", [](NodeContext& ctx) { ConvertLinear(ctx, "Sub"); });
}

}  // namespace atc::tf_parser
