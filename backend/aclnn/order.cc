// Elements in order, and those at a place of it.
#include "backend/aclnn/recipes.h"
#include "backend/aclnn/type_rules.h"

namespace atc::aclnn {
namespace {

using Ints = std::vector<int64_t>;

struct Sorted {
  Value values, places;  // places as INT64
};

// All elements along a dim; the places of equal ones keep their order.
Sorted SortAlong(Builder& b, Value x, int64_t axis, bool descending) {
  const Value count = b.Const(atc::Tensor::Scalar(b.ShapeOf(x)[axis]));
  const auto found = b.Ops("TopKV2", {x, count}, {{"dim", axis}, {"largest", descending}, {"indices_dtype", static_cast<int>(DT_INT64)}}, 2);
  return {found[0], b.Cast(found[1], DT_INT64)};
}

// Argument self, a scalar as a vector of one.
Value Vector(Builder& b) {
  const Value x = b.Wide("self");
  return b.Rank(x) == 0 ? b.Reshape(x, {1}) : x;
}

void Sort(Builder& b) {
  const Value x = Vector(b);
  const Ints& shape = b.ViewOf("self").shape.dims();
  const Sorted sorted = SortAlong(b, x, b.Axis(b.Int("dim"), shape.size()), b.Flag("descending"));
  b.Out("valuesOut", b.Reshape(sorted.values, shape));
  b.WantType("indicesOut", {DT_INT64});
  b.Out("indicesOut", b.Reshape(sorted.places, shape));
}

void Argsort(Builder& b) {
  const Value x = Vector(b);
  const Ints& shape = b.ViewOf("self").shape.dims();
  b.WantType("out", {DT_INT64});
  b.Out(b.Reshape(SortAlong(b, x, b.Axis(b.Int("dim"), shape.size()), b.Flag("descending")).places, shape));
}

Value At(Builder& b, Value x, int64_t axis, int64_t place) {
  return b.Op("StridedSliceV2", {x, b.ConstInts({place}), b.ConstInts({place + 1}), b.ConstInts({axis}), b.ConstInts({1})});
}

// The value at a place of the order along a dim, and where it stood.
void GiveAt(Builder& b, int64_t axis, int64_t place, bool keep) {
  const Value x = Vector(b);
  const Sorted sorted = SortAlong(b, x, axis, false);
  Ints dims = b.ViewOf("self").shape.dims();
  if (!dims.empty()) {
    if (keep) dims[axis] = 1;
    else dims.erase(dims.begin() + axis);
  }
  b.Out("valuesOut", b.Reshape(At(b, sorted.values, axis, place), dims));
  b.WantType("indicesOut", {DT_INT64});
  b.Out("indicesOut", b.Reshape(At(b, sorted.places, axis, place), dims));
}

// The k-th smallest, from 1.
void Kthvalue(Builder& b) {
  const Shape shape = b.ViewOf("self").shape;
  const int64_t axis = b.Axis(b.Int("dim"), shape.rank());
  const int64_t count = shape.rank() == 0 ? 1 : shape[axis];
  const int64_t k = b.Int("k");
  if (k < 1 || k > count) b.Refuse("argument k is " + std::to_string(k) + "; 1 to " + std::to_string(count) + " is wanted");
  GiveAt(b, axis, k - 1, b.Flag("keepdim"));
}

// The one in the middle; of two the lower.
void MedianDim(Builder& b) {
  const Shape shape = b.ViewOf("self").shape;
  const int64_t axis = b.Axis(b.Int("dim"), shape.rank());
  const int64_t count = shape.rank() == 0 ? 1 : shape[axis];
  if (count == 0) b.Refuse("dim " + std::to_string(axis) + " has no element, so no median");
  GiveAt(b, axis, (count - 1) / 2, b.Flag("keepDim"));
}

void Median(Builder& b) {
  const Value x = b.Wide("self");
  const int64_t count = b.ShapeOf(x).NumElements();
  if (count == 0) b.Refuse("argument self has no element, so no median");
  const Sorted sorted = SortAlong(b, b.Reshape(x, {count}), 0, false);
  const Value middle = At(b, sorted.values, 0, (count - 1) / 2);
  b.OutWhole("valuesOut", b.Reshape(middle, {}));
}

}  // namespace

std::vector<Recipe> OrderRecipes() {
  return {
      {"Argsort", Argsort},
      {"Kthvalue", Kthvalue},
      {"Median", Median},
      {"MedianDim", MedianDim},
      {"Sort", Sort},
  };
}

}  // namespace atc::aclnn
