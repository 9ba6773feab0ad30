#include "compiler/ops/reshape.h"

#include <algorithm>

namespace atc {
namespace {

// Marks the axes; empty when all are within `rank` and none comes twice.
std::string Mark(const std::vector<int64_t>& axes, size_t rank, std::vector<bool>* marked) {
  marked->assign(rank, false);
  const auto n = static_cast<int64_t>(rank);
  for (const int64_t axis : axes) {
    const int64_t at = axis < 0 ? axis + n : axis;
    if (at < 0 || at >= n) return "axis " + std::to_string(axis) + " is outside of rank " + std::to_string(rank);
    if ((*marked)[at]) return "axis " + std::to_string(axis) + " is given twice";
    (*marked)[at] = true;
  }
  return "";
}

}  // namespace

std::string ResolveReshape(const Shape& x, const std::vector<std::optional<int64_t>>& target, bool allow_zero,
                           Shape* shape) {
  *shape = Shape::UnknownDims(target.size());
  // Dims of x that a 0 copies cancel out, known or not.
  std::vector<bool> copied(x.HasRank() ? x.rank() : 0, false);
  int open = 0;  // dims of the result to be told: -1, and values that are not known
  size_t open_at = 0;
  int64_t placed = 1;  // product of the result's dims that are known and not copied
  bool inferred = false;
  for (size_t i = 0; i < target.size(); ++i) {
    if (!target[i] || *target[i] == -1) {
      if (target[i] && inferred) return "shape has more than one -1";
      inferred |= target[i].has_value();
      ++open;
      open_at = i;
      continue;
    }
    const int64_t dim = *target[i];
    if (dim < -1) return "shape has the dim " + std::to_string(dim);
    if (dim == 0 && !allow_zero) {
      if (!x.HasRank()) continue;
      if (i >= x.rank()) {
        return "shape copies dim " + std::to_string(i) + " of x, which has rank " + std::to_string(x.rank());
      }
      copied[i] = true;
      (*shape)[i] = x[i];
      continue;
    }
    (*shape)[i] = dim;
    placed *= dim;
  }
  if (!x.HasRank() || open > 1) return "";
  int64_t rest = 1;
  for (size_t i = 0; i < x.rank(); ++i) {
    if (copied[i]) continue;
    if (x[i] < 0) return "";
    rest *= x[i];
  }
  if (open == 0) {
    // A copied dim of 0 makes both empty, whatever the others are.
    bool empty = false;
    for (size_t i = 0; i < x.rank(); ++i) empty |= copied[i] && x[i] == 0;
    return rest == placed || empty ? "" : "x " + ToString(x) + " does not have as many elements as " + ToString(*shape);
  }
  if (placed == 0) return rest == 0 ? "" : "a -1 beside a 0 cannot be told";
  if (rest % placed != 0) {
    return "x " + ToString(x) + " does not divide into " + ToString(*shape);
  }
  (*shape)[open_at] = rest / placed;
  return "";
}

std::string Squeezed(const Shape& x, const std::vector<int64_t>& axes, Shape* shape) {
  std::vector<bool> gone;
  const std::string fault = Mark(axes, x.rank(), &gone);
  if (!fault.empty()) return fault;
  *shape = {};
  for (size_t i = 0; i < x.rank(); ++i) {
    if (axes.empty()) gone[i] = x[i] == 1;
    if (gone[i] && x[i] != 1 && x[i] >= 0) {
      return "axis " + std::to_string(i) + " of x " + ToString(x) + " is not 1 and cannot be squeezed";
    }
    if (!gone[i]) shape->dims().push_back(x[i]);
  }
  return "";
}

std::string Unsqueezed(const Shape& x, const std::vector<int64_t>& axes, Shape* shape) {
  std::vector<bool> added;
  const std::string fault = Mark(axes, x.rank() + axes.size(), &added);
  if (!fault.empty()) return fault;
  *shape = {};
  size_t next = 0;
  for (const bool is_new : added) shape->dims().push_back(is_new ? 1 : x[next++]);
  return "";
}

}  // namespace atc
