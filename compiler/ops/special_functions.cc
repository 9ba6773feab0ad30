// Functions of one operand from mathematical physics and statistics. Each is computed in double from a series, a
// continued fraction or Newton steps with a remainder below a float's precision, and rounded once.
#include <bit>
#include <cmath>
#include <complex>
#include <limits>

#include "compiler/ops/elementwise.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/math.h"
#include "compiler/ops/families.h"

namespace atc {
namespace {

constexpr double kPi = 3.14159265358979323846, kEuler = 0.57721566490153286061, kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// The quantile of the standard normal distribution for p in (0, 0.5]: a rational start (Abramowitz and Stegun 26.2.23,
// off by at most 4.5e-4), then Halley steps on erfc, each of which triples the digits.
double LowerQuantile(double p) {
  const double t = std::sqrt(-2 * math::Log(p));
  double x = (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
  for (int i = 0; i < 3; ++i) {
    const double error = 0.5 * math::Erfc(-x / std::sqrt(2.0)) - p;
    const double step = error * std::sqrt(2 * kPi) * math::Exp(x * x / 2);
    x -= step / (1 + x * step / 2);
  }
  return x;
}

double Ndtri(double p) {
  if (!(p >= 0 && p <= 1)) return kNaN;
  if (p == 0 || p == 1) return p == 0 ? -kInf : kInf;
  return p <= 0.5 ? LowerQuantile(p) : -LowerQuantile(1 - p);
}

double Erfinv(double x) {
  if (std::fabs(x) < 1e-3) {  // where (1 - x) / 2 would lose digits; the next term is below 1e-18 of the result
    const double square = kPi * x * x;
    return std::sqrt(kPi) / 2 * x * (1 + square * (1.0 / 12 + square * (7.0 / 480 + square * 127.0 / 40320)));
  }
  const double y = Ndtri((1 - std::fabs(x)) / 2) / -std::sqrt(2.0);
  return x < 0 ? -y : y;
}

// ln|Gamma(x)|: Stirling's series from 10 on, lower arguments by recurrence, negative ones by reflection.
double Lgamma(double x) {
  if (x <= 0 && x == std::floor(x)) return kInf;
  if (std::isinf(x)) return kInf;
  if (x < 0) return math::Log(kPi / std::fabs(math::Sin(kPi * (x - 2 * std::round(x / 2))))) - Lgamma(1 - x);
  double product = 1;
  for (; x < 10; ++x) product *= x;
  const double r = 1 / (x * x);
  const double tail = (1.0 / 12 - r * (1.0 / 360 - r * (1.0 / 1260 - r * (1.0 / 1680 - r * (1.0 / 1188 - r * 691.0 / 360360))))) / x;
  return (x - 0.5) * math::Log(x) - x + 0.5 * math::Log(2 * kPi) + tail - math::Log(product);
}

// The derivative of Lgamma, by the same means.
double Digamma(double x) {
  if (x == 0) return std::signbit(x) ? kInf : -kInf;
  if (x < 0) {
    if (x == std::floor(x)) return kNaN;
    return Digamma(1 - x) - kPi / math::Tan(kPi * (x - std::round(x)));
  }
  double sum = 0;
  for (; x < 10; ++x) sum -= 1 / x;
  const double r = 1 / (x * x);
  return sum + math::Log(x) - 0.5 / x -
         r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r * (1.0 / 132 - r * 691.0 / 32760)))));
}

// exp(-|x|) I_order(x): the power series up to 30, all of whose terms are positive, the asymptotic one beyond.
template <int kOrder>
double BesselIe(double x) {
  const double a = std::fabs(x), sign = kOrder == 1 && x < 0 ? -1 : 1;
  if (std::isinf(a)) return 0;
  double term = 1, sum = 1;
  if (a <= 30) {
    for (int k = 1; term > sum * 1e-18; ++k) sum += term *= a * a / 4 / (static_cast<double>(k) * (k + kOrder));
    return sign * sum * math::Exp(-a) * (kOrder == 1 ? a / 2 : 1);
  }
  for (int k = 1; k < 30 && std::fabs(term) > 1e-18; ++k) {
    sum += term *= -(4.0 * kOrder - (2.0 * k - 1) * (2.0 * k - 1)) / (8 * k * a);
  }
  return sign * sum / std::sqrt(2 * kPi * a);
}

// Dawson's integral: its series near 0, else a sum of shifted Gaussians (Rybicki), whose error at this step is e^-61.
double Dawsn(double x) {
  if (std::fabs(x) < 0.2) {
    double term = x, sum = x;
    for (int k = 1; k < 20; ++k) sum += term *= -2 * x * x / (2 * k + 1);
    return sum;
  }
  if (std::fabs(x) > 1e4) return 0.5 / x;
  constexpr double kStep = 0.2;
  const double centre = 2 * std::round((x / kStep - 1) / 2) + 1;
  double sum = 0;
  for (int k = -40; k <= 40; k += 2) {
    const double n = centre + k, distance = x - n * kStep;
    sum += math::Exp(-distance * distance) / n;
  }
  return sum / std::sqrt(kPi);
}

// The exponential integral Ei of what is not negative; no number below, as TensorFlow has it.
double Expint(double x) {
  if (x < 0) return kNaN;
  if (x == 0 || std::isinf(x)) return x == 0 ? -kInf : kInf;
  if (x > 40) {
    double term = 1, sum = 1;
    for (int k = 1; k < x && term > 1e-18; ++k) sum += term *= k / x;
    return math::Exp(x) / x * sum;
  }
  double term = 1, sum = 0;
  for (int k = 1; k < 200; ++k) {
    term *= x / k;
    sum += term / k;
  }
  return kEuler + math::Log(x) + sum;
}

// The dilogarithm of z <= 1 / 2 in absolute value.
double DilogarithmSeries(double z) {
  double power = 1, sum = 0;
  for (int k = 1; k < 64; ++k) {
    power *= z;
    sum += power / (static_cast<double>(k) * k);
  }
  return sum;
}

// Spence's function: the dilogarithm of 1 - x, by the identities that bring the argument of the series below 1 / 2.
double Spence(double x) {
  if (!(x >= 0)) return kNaN;
  if (x == 0) return kPi * kPi / 6;
  if (x == 1) return 0;
  if (x < 0.5) return kPi * kPi / 6 - math::Log(x) * math::Log1p(-x) - DilogarithmSeries(x);
  const double log = math::Log(x);
  if (x <= 1.5) return DilogarithmSeries(1 - x);
  if (x <= 2) return -DilogarithmSeries((x - 1) / x) - log * log / 2;
  return -kPi * kPi / 6 - math::Log(x - 1) * log + log * log / 2 + DilogarithmSeries(1 / x);
}

// C(x) + i S(x): the power series up to 2, beyond it the continued fraction of erfc (Lentz).
std::complex<double> Fresnel(double x) {
  const double a = std::fabs(x);
  std::complex<double> value;
  if (std::isinf(a)) {
    value = {0.5, 0.5};
  } else if (a <= 2) {
    std::complex<double> term(a, 0);
    for (int k = 0; k < 60; ++k) {
      value += term / static_cast<double>(2 * k + 1);
      term *= std::complex<double>(0, kPi / 2 * a * a / (k + 1));
    }
  } else {
    std::complex<double> b(1, -kPi * a * a), c(1e300, 0), d = 1.0 / b, h = d;
    for (int k = 1; k < 200; ++k) {
      const double n = 2.0 * k - 1;
      b += 4.0;
      d = 1.0 / (-n * (n + 1) * d + b);
      c = b - n * (n + 1) / c;
      h *= c * d;
    }
    const double angle = std::fmod(a * a, 4.0) * kPi / 2;
    h *= std::complex<double>(a, -a);
    const std::complex<double> turn(math::Cos(angle), math::Sin(angle));
    value = std::complex<double>(0.5, 0.5) * (1.0 - turn * h);
  }
  return x < 0 ? -value : value;
}

double FresnelCos(double x) { return Fresnel(x).real(); }
double FresnelSin(double x) { return Fresnel(x).imag(); }

template <double (*Fn)(double)>
struct Function {
  template <typename T>
  T operator()(T x) const {
    return std::isnan(x) ? x : static_cast<T>(Fn(static_cast<double>(x)));
  }
};

struct Row {
  const char* type;
  const char* input;
  const char* output;
  KernelFn kernel;
};

constexpr Row kFunctions[] = {
    {"BesselI0e", "x", "y", UnaryKernel<Function<BesselIe<0>>, FloatTypes>},
    {"BesselI1e", "x", "y", UnaryKernel<Function<BesselIe<1>>, FloatTypes>},
    {"Dawsn", "x", "y", UnaryKernel<Function<Dawsn>, FloatTypes>},
    {"Erfinv", "input_x", "output_y", UnaryKernel<Function<Erfinv>, FloatTypes>},
    {"Expint", "x", "y", UnaryKernel<Function<Expint>, FloatTypes>},
    {"FresnelCos", "x", "y", UnaryKernel<Function<FresnelCos>, FloatTypes>},
    {"FresnelSin", "x", "y", UnaryKernel<Function<FresnelSin>, FloatTypes>},
    {"Ndtri", "x", "y", UnaryKernel<Function<Ndtri>, FloatTypes>},
    {"Spence", "x", "y", UnaryKernel<Function<Spence>, FloatTypes>},
    {"tf::Digamma", "x", "y", UnaryKernel<Function<Digamma>, FloatTypes>},
    {"tf::Lgamma", "x", "y", UnaryKernel<Function<Lgamma>, FloatTypes>},
};

void InferPopulationCount(InferContext& ctx) { ctx.SetOut(0, DT_UINT8, ctx.InShape(0)); }

void PopulationCountKernel(KernelContext& ctx) {
  Dispatch(IntTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    MapElements<T, uint8_t>(ctx, [](T x) { return static_cast<uint8_t>(std::popcount(static_cast<std::make_unsigned_t<T>>(x))); });
  });
}

}  // namespace

void RegisterSpecialFunctionsOps(OpRegistry& registry) {
  for (const Row& row : kFunctions) {
    registry.Add(OpDef(row.type).In(row.input).Out(row.output).Traits(kElementwiseTraits).Infer(InferSameAsInput)
                     .Kernel(row.kernel));
  }
  registry.Add(OpDef("PopulationCount").In("x").Out("y").Traits(kElementwise | kLayoutAgnostic).Infer(InferPopulationCount)
                   .Kernel(PopulationCountKernel));
}

}  // namespace atc
