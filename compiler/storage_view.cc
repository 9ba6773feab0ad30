#include "compiler/storage_view.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "compiler/ir/blocked_formats.h"

namespace atc {
namespace {

constexpr int64_t kFractalRows = 16;  // N0 of FRACTAL_Z, M0 of FRACTAL_NZ

enum class Part { kWhole, kOuter, kInner };

// One dim of the storage, all of an axis or one of the two parts that its blocks cut it into.
struct Factor {
  char axis;
  Part part = Part::kWhole;
  bool joins = false;  // it is one dim with the factor before it
};

// An axis letter for each dim of the origin view. Of FRACTAL_NZ the last two are M and N, those before it a, b, ...
std::string Axes(Format storage, Format plain, size_t rank) {
  if (storage != FORMAT_FRACTAL_NZ) return std::string(FormatName(plain));
  std::string axes;
  for (size_t i = 0; i + 2 < rank; ++i) axes += static_cast<char>('a' + i);
  return axes + "MN";
}

// Empty for a format that is not known here.
std::vector<Factor> FactorsOf(Format storage, size_t rank) {
  using enum Part;
  if (IsBlocked(storage)) return {{'N'}, {'C', kOuter}, {'H'}, {'W'}, {'C', kInner}};
  switch (storage) {
    case FORMAT_NDC1HWC0: return {{'N'}, {'D'}, {'C', kOuter}, {'H'}, {'W'}, {'C', kInner}};
    case FORMAT_FRACTAL_Z:
      return {{'C', kOuter}, {'H', kWhole, true}, {'W', kWhole, true}, {'N', kOuter}, {'N', kInner}, {'C', kInner}};
    case FORMAT_FRACTAL_Z_3D:
      return {{'D'}, {'C', kOuter, true}, {'H', kWhole, true}, {'W', kWhole, true}, {'N', kOuter}, {'N', kInner},
              {'C', kInner}};
    case FORMAT_FRACTAL_NZ: {
      std::vector<Factor> factors;
      for (size_t i = 0; i + 2 < rank; ++i) factors.push_back({static_cast<char>('a' + i)});
      for (const Factor& factor : {Factor{'N', kOuter}, {'M', kOuter}, {'M', kInner}, {'N', kInner}}) {
        factors.push_back(factor);
      }
      return factors;
    }
    case FORMAT_NCHW:
    case FORMAT_NHWC:
    case FORMAT_HWCN:
    case FORMAT_NCDHW:
    case FORMAT_NDHWC: {
      std::vector<Factor> factors;
      for (const char axis : FormatName(storage)) factors.push_back({axis});
      return factors;
    }
    default: return {};
  }
}

// How the two views lie to each other.
struct Views {
  std::vector<Factor> factors;
  std::vector<int64_t> factor_dims;  // of the storage, factors that are one dim there taken apart
  std::vector<int64_t> by_axis;      // numbers of factors in the order of the origin's axes, outer before inner
  std::vector<int64_t> padded;       // the origin's dims, filled up to whole blocks
  std::vector<int64_t> stored;       // the storage's dims
};

std::optional<Views> Fit(Format storage, Format plain, const Shape& origin, int64_t inner) {
  if (!origin.IsKnown() || inner <= 0 || (storage == FORMAT_FRACTAL_NZ && origin.rank() < 2)) return std::nullopt;
  const std::string axes = Axes(storage, plain, origin.rank());
  Views views;
  views.factors = FactorsOf(storage, origin.rank());
  if (views.factors.empty() || axes.size() != origin.rank()) return std::nullopt;
  views.padded = origin.dims();
  for (const Factor& factor : views.factors) {
    const size_t axis = axes.find(factor.axis);
    if (axis == std::string::npos) return std::nullopt;
    const bool rows = factor.axis == (storage == FORMAT_FRACTAL_NZ ? 'M' : 'N');
    const int64_t block = rows ? kFractalRows : inner;
    const int64_t blocks = (origin[axis] + block - 1) / block;
    if (factor.part != Part::kWhole) views.padded[axis] = blocks * block;
    const int64_t dim = factor.part == Part::kWhole ? origin[axis] : factor.part == Part::kOuter ? blocks : block;
    views.factor_dims.push_back(dim);
    if (factor.joins) {
      views.stored.back() *= dim;
    } else {
      views.stored.push_back(dim);
    }
  }
  for (const char axis : axes) {
    size_t found = 0;
    for (const Part part : {Part::kWhole, Part::kOuter, Part::kInner}) {
      for (size_t i = 0; i < views.factors.size(); ++i) {
        if (views.factors[i].axis != axis || views.factors[i].part != part) continue;
        views.by_axis.push_back(static_cast<int64_t>(i));
        ++found;
      }
    }
    if (found == 0) return std::nullopt;
  }
  return views;
}

// Adds nodes of one conversion.
class Chain {
 public:
  explicit Chain(const ViewPlace& place) : place_(place) {}

  ValueId Add(const char* type, std::vector<ValueId> inputs) {
    Node& node = place_.graph.Add(type, place_.name + "_" + type, std::move(inputs), 1);
    node.origin = place_.origin;
    node.Because("format", "the user's layout of " + place_.name);
    return node.outputs[0];
  }
  ValueId Ints(const char* what, std::vector<int64_t> values) {
    return place_.graph.AddConst(place_.name + "_" + what, Tensor::Ints(values), place_.origin);
  }
  ValueId Reshape(ValueId value, const std::vector<int64_t>& dims, const std::vector<int64_t>& from) {
    return dims == from ? value : Add("Reshape", {value, Ints("shape", dims)});
  }
  ValueId Transpose(ValueId value, std::vector<int64_t> perm) {
    if (std::is_sorted(perm.begin(), perm.end())) return value;
    return Add("Transpose", {value, Ints("perm", std::move(perm))});
  }

 private:
  const ViewPlace& place_;
};

std::vector<int64_t> Permuted(const std::vector<int64_t>& dims, const std::vector<int64_t>& perm) {
  std::vector<int64_t> permuted;
  for (const int64_t i : perm) permuted.push_back(dims[static_cast<size_t>(i)]);
  return permuted;
}

}  // namespace

Shape StorageShape(Format storage, Format plain, const Shape& origin, int64_t inner) {
  const std::optional<Views> views = Fit(storage, plain, origin, inner);
  return views ? Shape(views->stored) : Shape({kUnknownRank});
}

int64_t InnerOf(Format storage, const Shape& stored) {
  const std::vector<Factor> factors = FactorsOf(storage, 2);
  const bool blocked = std::any_of(factors.begin(), factors.end(), [](const Factor& f) { return f.part != Part::kWhole; });
  return blocked && stored.HasRank() && stored.rank() > 0 ? stored[stored.rank() - 1] : 1;
}

ValueId FromStorage(const ViewPlace& place, ValueId value, Format storage, const Shape& stored, Format plain,
                    const Shape& origin) {
  const Views views = *Fit(storage, plain, origin, InnerOf(storage, stored));
  Chain chain(place);
  value = chain.Reshape(value, views.factor_dims, stored.dims());
  value = chain.Transpose(value, views.by_axis);
  value = chain.Reshape(value, views.padded, Permuted(views.factor_dims, views.by_axis));
  if (views.padded == origin.dims()) return value;
  std::vector<int64_t> axes(origin.rank());
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i);
  return chain.Add("StridedSliceV2", {value, chain.Ints("begin", std::vector<int64_t>(origin.rank(), 0)),
                                      chain.Ints("end", origin.dims()), chain.Ints("axes", axes),
                                      chain.Ints("strides", std::vector<int64_t>(origin.rank(), 1))});
}

ValueId ToStorage(const ViewPlace& place, ValueId value, Format storage, const Shape& stored, Format plain,
                  const Shape& origin) {
  const Views views = *Fit(storage, plain, origin, InnerOf(storage, stored));
  Chain chain(place);
  if (views.padded != origin.dims()) {
    std::vector<int64_t> paddings;
    for (size_t i = 0; i < origin.rank(); ++i) {
      paddings.push_back(0);
      paddings.push_back(views.padded[i] - origin[i]);
    }
    value = chain.Add("PadV3", {value, chain.Ints("paddings", std::move(paddings))});
  }
  const std::vector<int64_t> apart = Permuted(views.factor_dims, views.by_axis);
  value = chain.Reshape(value, apart, views.padded);
  std::vector<int64_t> inverse(views.by_axis.size());
  for (size_t i = 0; i < inverse.size(); ++i) inverse[static_cast<size_t>(views.by_axis[i])] = static_cast<int64_t>(i);
  value = chain.Transpose(value, std::move(inverse));
  return chain.Reshape(value, stored.dims(), views.factor_dims);
}

}  // namespace atc
