// Formulas over values of a call, written with operators: each makes a node of the call's graph.
#pragma once

#include "backend/aclnn/builder.h"

namespace atc::aclnn {

struct Term {
  Builder* builder = nullptr;
  Value value;

  DataType dtype() const { return builder->TypeOf(value); }
  Term Number(double number) const { return {builder, builder->Number(number, dtype())}; }
};

inline Term Apply(const char* op, Term x) { return {x.builder, x.builder->Op(op, {x.value})}; }
inline Term Apply(const char* op, Term a, Term b) { return {a.builder, a.builder->Op(op, {a.value, b.value})}; }

inline Term operator+(Term a, Term b) { return Apply("Add", a, b); }
inline Term operator-(Term a, Term b) { return Apply("Sub", a, b); }
inline Term operator*(Term a, Term b) { return Apply("Mul", a, b); }
inline Term operator/(Term a, Term b) { return Apply("RealDiv", a, b); }
inline Term operator>(Term a, Term b) { return Apply("Greater", a, b); }
inline Term operator<(Term a, Term b) { return Apply("Less", a, b); }
inline Term operator<=(Term a, Term b) { return Apply("LessEqual", a, b); }
inline Term operator-(Term x) { return Apply("Neg", x); }

inline Term operator+(Term a, double b) { return a + a.Number(b); }
inline Term operator-(Term a, double b) { return a - a.Number(b); }
inline Term operator*(Term a, double b) { return b == 1 ? a : a * a.Number(b); }
inline Term operator/(Term a, double b) { return b == 1 ? a : a / a.Number(b); }
inline Term operator>(Term a, double b) { return a > a.Number(b); }
inline Term operator<(Term a, double b) { return a < a.Number(b); }
inline Term operator<=(Term a, double b) { return a <= a.Number(b); }
inline Term operator+(double a, Term b) { return b.Number(a) + b; }
inline Term operator-(double a, Term b) { return b.Number(a) - b; }
inline Term operator*(double a, Term b) { return b * a; }

inline Term Where(Term condition, Term yes, Term no) {
  return {yes.builder, yes.builder->Op("SelectV2", {condition.value, yes.value, no.value})};
}
inline Term Where(Term condition, Term yes, double no) { return Where(condition, yes, yes.Number(no)); }
inline Term Where(Term condition, double yes, Term no) { return Where(condition, no.Number(yes), no); }
inline Term Abs(Term x) { return Apply("Abs", x); }
inline Term Exp(Term x) { return Apply("Exp", x); }
inline Term Log(Term x) { return Apply("Log", x); }
inline Term Sigmoid(Term x) { return Apply("Sigmoid", x); }
inline Term Tanh(Term x) { return Apply("Tanh", x); }
inline Term Softplus(Term x) { return Apply("Softplus", x); }  // log(1 + exp(x))
inline Term Erf(Term x) { return Apply("Erf", x); }
inline Term Sign(Term x) { return Apply("Sign", x); }
inline Term AtLeast(Term x, double least) { return Apply("Maximum", x, x.Number(least)); }
inline Term AtMost(Term x, double most) { return Apply("Minimum", x, x.Number(most)); }

}  // namespace atc::aclnn
