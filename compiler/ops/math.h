// Transcendental functions whose bits do not depend on the CPU, for the reference kernels: constants are folded with
// them, and an om must be the same on every machine. SLEEF's pure-C double versions without fused multiply-add, at most
// 1.0 ulp; a float result is the double one rounded once.
#pragma once

namespace atc::math {

double Exp(double x);
double Expm1(double x);
double Log(double x);
double Log1p(double x);
double Pow(double x, double y);
double Sin(double x);
double Cos(double x);
double Tan(double x);
double Asin(double x);
double Acos(double x);
double Atan(double x);
double Sinh(double x);
double Cosh(double x);
double Tanh(double x);
double Asinh(double x);
double Acosh(double x);
double Atanh(double x);
double Atan2(double y, double x);
double Erf(double x);
double Erfc(double x);  // at most 1.5 ulp

}  // namespace atc::math
