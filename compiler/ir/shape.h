// Shapes: a list of dims; -1 is an unknown dim, the single dim -2 an unknown rank.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace atc {

inline constexpr int64_t kUnknownDim = -1;
inline constexpr int64_t kUnknownRank = -2;

// The sizes that a dim may have, both ends included. A fixed dim has min == max.
struct DimRange {
  int64_t min = 1;
  int64_t max = kUnknownDim;  // -1: no upper end

  bool fixed() const { return min == max; }
  // The dim as it stands in a Shape: the size of a fixed dim, else -1.
  int64_t dim() const { return fixed() ? min : kUnknownDim; }
  bool operator==(const DimRange&) const = default;
};

class Shape {
 public:
  Shape() = default;  // a scalar
  Shape(std::initializer_list<int64_t> dims) : dims_(dims) {}
  explicit Shape(std::vector<int64_t> dims) : dims_(std::move(dims)) {}

  static Shape UnknownRank() { return Shape{kUnknownRank}; }
  static Shape UnknownDims(size_t rank) { return Shape(std::vector<int64_t>(rank, kUnknownDim)); }

  bool HasRank() const { return dims_.size() != 1 || dims_[0] != kUnknownRank; }
  // No unknown dim and a known rank.
  bool IsKnown() const {
    for (int64_t dim : dims_) {
      if (dim < 0) return false;
    }
    return true;
  }
  // Number of dims. Only where HasRank().
  size_t rank() const { return dims_.size(); }
  int64_t operator[](size_t i) const { return dims_[i]; }
  int64_t& operator[](size_t i) { return dims_[i]; }
  const std::vector<int64_t>& dims() const { return dims_; }
  std::vector<int64_t>& dims() { return dims_; }

  // Product of the dims, 1 for a scalar; -1 where a dim is unknown.
  int64_t NumElements() const;
  // Products of the dims after each axis, in elements (row-major). Only where IsKnown().
  std::vector<int64_t> Strides() const;

  bool operator==(const Shape&) const = default;

 private:
  std::vector<int64_t> dims_;
};

// "[1,3,-1]", "[]" for a scalar, "[?]" for an unknown rank.
std::string ToString(const Shape& shape);

// Result of numpy-style broadcasting; unknown dims stay unknown unless the other side decides them.
// False when the shapes do not broadcast.
bool BroadcastShapes(const Shape& a, const Shape& b, Shape* out);

}  // namespace atc
