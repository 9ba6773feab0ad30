// Functions of vectors of floats, for files that are compiled once a target (hwy/foreach_target.h).
// Errors are below 4 units in the last place, NaN goes through, and what overflows is infinite.
#if defined(OPENATC_BACKEND_KERNELS_VECTOR_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OPENATC_BACKEND_KERNELS_VECTOR_MATH_INL_H_
#undef OPENATC_BACKEND_KERNELS_VECTOR_MATH_INL_H_
#else
#define OPENATC_BACKEND_KERNELS_VECTOR_MATH_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// At least `low` and at most `high`.
template <class V>
HWY_INLINE V Clipped(V low, V high, V value) {
  const V raised = hn::IfThenElse(hn::Lt(value, low), low, value);
  return hn::IfThenElse(hn::Lt(high, raised), high, raised);
}

// e^rest for |rest| <= ln(2) / 2, where x = n ln(2) + rest (Cephes' expf).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpOfRest(D d, V x, V n) {
  V r = hn::NegMulAdd(n, hn::Set(d, 0.693359375f), x);
  r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), r);
  V p = hn::Set(d, 1.9875691500e-4f);
  p = hn::MulAdd(p, r, hn::Set(d, 1.3981999507e-3f));
  p = hn::MulAdd(p, r, hn::Set(d, 8.3334519073e-3f));
  p = hn::MulAdd(p, r, hn::Set(d, 4.1665795894e-2f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.6666665459e-1f));
  p = hn::MulAdd(p, r, hn::Set(d, 5.0000001201e-1f));
  return hn::Add(hn::MulAdd(p, hn::Mul(r, r), r), hn::Set(d, 1.0f));
}

// e^x: 2^n times that of the rest.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpOf(D d, V x) {
  const hn::RebindToSigned<D> di;
  const V low = hn::Set(d, -104.0f), high = hn::Set(d, 88.75f);
  const V within = hn::IfThenElse(hn::Lt(x, low), low, hn::IfThenElse(hn::Gt(x, high), high, x));
  const V n = hn::Round(hn::Mul(within, hn::Set(d, 1.44269504f)));
  const V p = ExpOfRest(d, within, n);
  // 2^n in two steps, since n reaches from -150 to 128.
  const auto whole = hn::ConvertTo(di, n);
  const auto half = hn::ShiftRight<1>(whole);
  const auto power = [&](auto k) { return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(k, hn::Set(di, 127)))); };
  const V scaled = hn::Mul(hn::Mul(p, power(half)), power(hn::Sub(whole, half)));
  return hn::IfThenElse(hn::Eq(x, x), scaled, x);
}

// e^x for x <= 0, in fewer steps: zero where the result would have less than full precision.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpOfNegative(D d, V x) {
  const hn::RebindToSigned<D> di;
  const V n = hn::Round(hn::Mul(x, hn::Set(d, 1.44269504f)));
  const auto power = hn::ShiftLeft<23>(hn::ConvertTo(di, n));  // added to the exponent
  const V scaled = hn::BitCast(d, hn::Add(hn::BitCast(di, ExpOfRest(d, x, n)), power));
  const V low = hn::Set(d, -87.0f);
  return hn::IfThenElse(hn::Ge(x, low), scaled, hn::IfThenZeroElse(hn::Lt(x, low), x));  // x where it is NaN
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V LogisticOf(D d, V x) {
  return hn::Div(hn::Set(d, 1.0f), hn::Add(hn::Set(d, 1.0f), ExpOf(d, hn::Neg(x))));
}

// A polynomial near 0, where 1 - 2 / (e^2x + 1) would cancel (Cephes' tanhf).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V TanhOf(D d, V x) {
  const V a = hn::Abs(x), one = hn::Set(d, 1.0f);
  const V large = hn::Sub(one, hn::Div(hn::Set(d, 2.0f), hn::Add(ExpOf(d, hn::Add(a, a)), one)));
  const V s = hn::Mul(x, x);
  V p = hn::Set(d, -5.70498872745e-3f);
  p = hn::MulAdd(p, s, hn::Set(d, 2.06390887954e-2f));
  p = hn::MulAdd(p, s, hn::Set(d, -5.37397155531e-2f));
  p = hn::MulAdd(p, s, hn::Set(d, 1.33314422036e-1f));
  p = hn::MulAdd(p, s, hn::Set(d, -3.33332819422e-1f));
  const V small = hn::MulAdd(hn::Mul(p, s), x, x);
  return hn::CopySign(hn::IfThenElse(hn::Lt(a, hn::Set(d, 0.625f)), small, large), x);  // -0 stays
}

// Near 0 the Taylor series; elsewhere 1 - t * e^-x^2 * p(t) with t = 1 / (1 + c * |x|) (Abramowitz and Stegun 7.1.26),
// whose error of 1.5e-7 is below the spacing of floats near 1.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ErfOf(D d, V x) {
  const V a = hn::Abs(x), one = hn::Set(d, 1.0f);
  const V t = hn::Div(one, hn::MulAdd(a, hn::Set(d, 0.3275911f), one));
  V p = hn::Set(d, 1.061405429f);
  p = hn::MulAdd(p, t, hn::Set(d, -1.453152027f));
  p = hn::MulAdd(p, t, hn::Set(d, 1.421413741f));
  p = hn::MulAdd(p, t, hn::Set(d, -0.284496736f));
  p = hn::MulAdd(p, t, hn::Set(d, 0.254829592f));
  const V s = hn::Mul(x, x);
  const V large = hn::NegMulAdd(hn::Mul(p, t), ExpOf(d, hn::Neg(s)), one);
  V q = hn::Set(d, -7.5757576e-4f);  // 2 / sqrt(pi) of: x - x^3/3 + x^5/10 - x^7/42 + x^9/216 - x^11/1320
  q = hn::MulAdd(q, s, hn::Set(d, 4.6296296e-3f));
  q = hn::MulAdd(q, s, hn::Set(d, -2.3809524e-2f));
  q = hn::MulAdd(q, s, hn::Set(d, 0.1f));
  q = hn::MulAdd(q, s, hn::Set(d, -0.33333333f));
  q = hn::MulAdd(q, s, one);
  const V small = hn::Mul(hn::Mul(q, hn::Set(d, 1.12837917f)), x);
  return hn::IfThenElse(hn::Lt(a, hn::Set(d, 0.5f)), small, hn::CopySign(large, x));
}

// e^x - 1, also near 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpM1Of(D d, V x) {
  const V low = hn::Set(d, -104.0f), high = hn::Set(d, 88.0f);
  const V within = hn::IfThenElse(hn::Lt(x, low), low, hn::IfThenElse(hn::Gt(x, high), high, x));
  return hn::IfThenElse(hn::Gt(hn::Abs(x), hn::Set(d, 0.5f)), hn::Sub(ExpOf(d, x), hn::Set(d, 1.0f)),
                        hn::Expm1(d, within));
}

// log(x): -infinity of 0, NaN of what is below.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V LogOf(D d, V x) {
  const V infinity = hn::Inf(d), zero = hn::Zero(d);
  const V finite = hn::Log(d, x);
  const V odd = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), hn::IfThenElse(hn::Eq(x, infinity), x, hn::NaN(d)));
  return hn::IfThenElse(hn::And(hn::Gt(x, zero), hn::Lt(x, infinity)), finite, odd);
}

// log(1 + e^x)
template <class D, class V = hn::Vec<D>>
HWY_INLINE V SoftplusOf(D d, V x) {
  const V positive = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Zero(d), x);  // NaN stays
  return hn::Add(positive, hn::Log1p(d, ExpOf(d, hn::Neg(hn::Abs(x)))));
}

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once a target
