// A tensor seen through operators that move nothing but indices: reshapes, transposes, slices, broadcasts. Where each
// element of what they make lies in what they were given.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

class StridedView {
 public:
  // The elements of a dense tensor of known shape.
  static StridedView Of(const Shape& shape);

  size_t rank() const { return dims_.size(); }
  int64_t Size(size_t dim) const;
  // Elements between neighbours along `dim`; nothing where that is no one number. 0 for a dim of one element.
  std::optional<int64_t> Stride(size_t dim) const;
  // Of every index over dims [first, last) in row-major order, relative to the first element of the whole.
  std::vector<int64_t> Offsets(size_t first, size_t last) const;

  // Each returns whether the result is such a view; if not, the view is void.
  bool Reshape(const std::vector<int64_t>& sizes);
  bool Permute(const std::vector<int64_t>& perm);
  bool Broadcast(const std::vector<int64_t>& sizes);  // as NumPy does
  bool Narrow(size_t dim, int64_t begin, int64_t size);
  bool Select(size_t dim, int64_t index);  // the dim goes

 private:
  struct Factor {
    int64_t size;
    int64_t stride;
  };
  // A dim is a product of factors, the outermost first; none where it has one element.
  using Dim = std::vector<Factor>;

  static void Append(Dim& dim, Factor factor);

  std::vector<Dim> dims_;
  int64_t offset_ = 0;
};

// Which input of `node` it sees through a view; nothing where it is no operator of that kind.
std::optional<uint32_t> ViewedInput(const Node& node);

// Makes of a view of input ViewedInput(node) that of output `output`. False where that is none: a parameter is not
// constant, a shape not known, or elements lie in no such order.
bool ApplyView(const Graph& graph, const Node& node, uint32_t output, StridedView* view);

// Makes of a view of the only output of `node`, a transpose or reshape, that of its input: where each element of it
// will lie.
bool InvertView(const Graph& graph, const Node& node, StridedView* view);

}  // namespace atc
