// Sums of products by Einstein's convention, as NumPy's einsum has it.
#include <algorithm>
#include <map>
#include <string>

#include "compiler/ops/broadcast.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/integer.h"

namespace atc {
namespace {

// Labels are letters; the dims that an ellipsis stands for are labelled 0, 1, ... from the last one.
using Labels = std::vector<int>;

struct Contraction {
  std::vector<Labels> inputs;
  Labels output;
  Labels summed;              // those of the inputs that the output lacks
  std::map<int, int64_t> dims;  // by label; -1 unknown
};

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Labels of one term; `hidden` dims for its ellipsis.
template <typename Context>
Labels ReadTerm(const Context& ctx, std::string_view term, int64_t hidden) {
  Labels labels;
  for (size_t i = 0; i < term.size(); ++i) {
    if (IsLetter(term[i])) {
      labels.push_back(term[i]);
    } else if (term.substr(i, 3) == "...") {
      for (int64_t k = hidden; k > 0; --k) labels.push_back(static_cast<int>(k - 1));
      i += 2;
    } else {
      ctx.Fail("equation holds '" + std::string(1, term[i]) + "': terms are letters and an ellipsis");
    }
  }
  return labels;
}

std::vector<std::string> SplitTerms(const std::string& text) {
  std::vector<std::string> terms(1);
  for (const char c : text) {
    if (c == ',') {
      terms.emplace_back();
    } else {
      terms.back() += c;
    }
  }
  return terms;
}

template <typename Context>
Contraction Analyse(const Context& ctx) {
  std::string equation;
  for (const char c : ctx.template Attr<std::string>("equation")) {
    if (c != ' ') equation += c;
  }
  const size_t arrow = equation.find("->");
  const std::vector<std::string> terms = SplitTerms(equation.substr(0, arrow));
  if (terms.size() != ctx.num_inputs()) {
    ctx.Fail("equation '" + equation + "' has " + std::to_string(terms.size()) + " terms for " +
             std::to_string(ctx.num_inputs()) + " inputs");
  }
  Contraction c;
  int64_t hidden_dims = 0;
  std::map<int, int> uses;
  for (size_t n = 0; n < terms.size(); ++n) {
    const Shape& shape = ctx.InShape(n);
    const auto letters = static_cast<int64_t>(std::count_if(terms[n].begin(), terms[n].end(), IsLetter));
    const int64_t hidden = static_cast<int64_t>(shape.rank()) - letters;
    const bool ellipsis = terms[n].find("...") != std::string::npos;
    if (hidden < 0 || (hidden > 0 && !ellipsis)) {
      ctx.Fail("term '" + terms[n] + "' of the equation does not fit input " + ToString(shape));
    }
    hidden_dims = std::max(hidden_dims, hidden);
    c.inputs.push_back(ReadTerm(ctx, terms[n], hidden));
    for (size_t d = 0; d < shape.rank(); ++d) {
      const int label = c.inputs.back()[d];
      ++uses[label];
      const auto [it, added] = c.dims.emplace(label, shape[d]);
      if (added || it->second == shape[d] || shape[d] == 1) continue;
      if (it->second == 1 || it->second == kUnknownDim) {
        it->second = shape[d];
      } else if (shape[d] != kUnknownDim) {
        ctx.Fail("equation '" + equation + "' gives one label to dims " + std::to_string(it->second) + " and " +
                 std::to_string(shape[d]));
      }
    }
  }
  if (arrow != std::string::npos) {
    c.output = ReadTerm(ctx, equation.substr(arrow + 2), hidden_dims);
  } else {  // the dims of the ellipsis, then every letter that occurs once, sorted
    for (int64_t k = hidden_dims; k > 0; --k) c.output.push_back(static_cast<int>(k - 1));
    for (const auto& [label, count] : uses) {
      if (label >= 'A' && count == 1) c.output.push_back(label);
    }
  }
  for (const int label : c.output) {
    if (!c.dims.contains(label)) ctx.Fail("equation '" + equation + "': the result has a label that no input has");
    if (std::count(c.output.begin(), c.output.end(), label) > 1) {
      ctx.Fail("equation '" + equation + "': a label stands twice in the result");
    }
  }
  for (const auto& [label, dim] : c.dims) {
    if (std::find(c.output.begin(), c.output.end(), label) == c.output.end()) c.summed.push_back(label);
  }
  return c;
}

Shape OutputShape(const Contraction& c) {
  std::vector<int64_t> dims;
  for (const int label : c.output) dims.push_back(c.dims.at(label));
  return Shape(std::move(dims));
}

void InferEinsum(InferContext& ctx) {
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    if (!ctx.InShape(i).HasRank()) return ctx.SetOut(0, ctx.InType(0), Shape::UnknownRank());
  }
  ctx.SetOut(0, ctx.InType(0), OutputShape(Analyse(ctx)));
}

// A walk over the labels `over` with the offset of every input: a label that stands twice steps along the diagonal.
struct Walk {
  std::vector<int64_t> dims;
  std::vector<std::vector<int64_t>> strides;  // [dim][input]
};

Walk PlanWalk(const KernelContext& ctx, const Contraction& c, const Labels& over) {
  Walk walk;
  for (const int label : over) {
    walk.dims.push_back(c.dims.at(label));
    std::vector<int64_t> steps;
    for (size_t n = 0; n < c.inputs.size(); ++n) {
      const Shape& shape = ctx.InShape(n);
      const std::vector<int64_t> strides = shape.Strides();
      int64_t step = 0;
      for (size_t d = 0; d < shape.rank(); ++d) {
        if (c.inputs[n][d] == label && shape[d] != 1) step += strides[d];
      }
      steps.push_back(step);
    }
    walk.strides.push_back(std::move(steps));
  }
  return walk;
}

// Calls visit() at every place, `offsets` being moved along; they are back where they were afterwards.
template <typename Visit>
void ForEachPlace(const Walk& walk, std::vector<int64_t>& offsets, size_t d, const Visit& visit) {
  if (d == walk.dims.size()) return visit();
  for (int64_t i = 0; i < walk.dims[d]; ++i) {
    ForEachPlace(walk, offsets, d + 1, visit);
    for (size_t n = 0; n < offsets.size(); ++n) offsets[n] += walk.strides[d][n];
  }
  for (size_t n = 0; n < offsets.size(); ++n) offsets[n] -= walk.strides[d][n] * walk.dims[d];
}

void EinsumKernel(KernelContext& ctx) {
  const Contraction c = Analyse(ctx);
  for (size_t i = 1; i < ctx.num_inputs(); ++i) {
    if (ctx.InType(i) != ctx.InType(0)) ctx.Fail("the inputs must have one element type");
  }
  const Walk outer = PlanWalk(ctx, c, c.output), inner = PlanWalk(ctx, c, c.summed);
  Tensor& out = ctx.Out(0, ctx.InType(0), OutputShape(c));
  Dispatch(Types<float, double, int32_t, int64_t, uint32_t, uint64_t>{}, ctx, ctx.InType(0), [&]<typename T>() {
    using Acc = std::conditional_t<std::is_floating_point_v<T>, double, T>;
    std::vector<int64_t> offsets(ctx.num_inputs(), 0);
    T* y = out.MutableData<T>();
    ForEachPlace(outer, offsets, 0, [&] {
      Acc sum = 0;
      ForEachPlace(inner, offsets, 0, [&] {
        Acc product = 1;
        for (size_t n = 0; n < offsets.size(); ++n) {
          const auto factor = static_cast<Acc>(ctx.In(n).Data<T>()[offsets[n]]);
          if constexpr (std::is_integral_v<T>) product = integer::Mul(product, factor);
          else product *= factor;
        }
        if constexpr (std::is_integral_v<T>) sum = integer::Add(sum, product);
        else sum += product;
      });
      *y++ = static_cast<T>(sum);
    });
  });
}

}  // namespace

void RegisterEinsumOps(OpRegistry& registry) {
  registry.Add(OpDef("Einsum").DynIn("x").Out("y").RequiredAttr("equation").RequiredAttr("N").Traits(kWidenHalf)
                   .Infer(InferEinsum).Kernel(EinsumKernel));
}

}  // namespace atc
