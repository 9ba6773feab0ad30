#include "compiler/ops/math.h"

#include <sleef.h>

namespace atc::math {

double Exp(double x) { return Sleef_cinz_expd1_u10purec(x); }
double Expm1(double x) { return Sleef_cinz_expm1d1_u10purec(x); }
double Log(double x) { return Sleef_cinz_logd1_u10purec(x); }
double Log1p(double x) { return Sleef_cinz_log1pd1_u10purec(x); }
double Pow(double x, double y) { return Sleef_cinz_powd1_u10purec(x, y); }
double Sin(double x) { return Sleef_cinz_sind1_u10purec(x); }
double Cos(double x) { return Sleef_cinz_cosd1_u10purec(x); }
double Tan(double x) { return Sleef_cinz_tand1_u10purec(x); }
double Asin(double x) { return Sleef_cinz_asind1_u10purec(x); }
double Acos(double x) { return Sleef_cinz_acosd1_u10purec(x); }
double Atan(double x) { return Sleef_cinz_atand1_u10purec(x); }
double Sinh(double x) { return Sleef_cinz_sinhd1_u10purec(x); }
double Cosh(double x) { return Sleef_cinz_coshd1_u10purec(x); }
double Tanh(double x) { return Sleef_cinz_tanhd1_u10purec(x); }
double Asinh(double x) { return Sleef_cinz_asinhd1_u10purec(x); }
double Acosh(double x) { return Sleef_cinz_acoshd1_u10purec(x); }
double Atanh(double x) { return Sleef_cinz_atanhd1_u10purec(x); }
double Atan2(double y, double x) { return Sleef_cinz_atan2d1_u10purec(y, x); }
double Erf(double x) { return Sleef_cinz_erfd1_u10purec(x); }

double Erfc(double x) { return Sleef_cinz_erfcd1_u15purec(x); }

}  // namespace atc::math
