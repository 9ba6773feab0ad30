// Tensors as a device lays them out, taken apart into what the framework sees and put together again, by plain
// operators: for models whose inputs and outputs are in storage formats.
#pragma once

#include <string>

#include "compiler/ir/graph.h"

namespace atc {

// Where the nodes of a conversion go, and what they are called and come from.
struct ViewPlace {
  Graph& graph;
  std::string name;  // of the tensor; its nodes are named after it
  OriginId origin = kNoOrigin;
};

// The shape in which `storage` holds a tensor of the shape `origin` in the format `plain`, with `inner` channels (of
// FRACTAL_NZ columns) in a block: NC1HWC0, NC1HWC0_C04, NDC1HWC0, FRACTAL_Z, FRACTAL_Z_3D, FRACTAL_NZ (the last two dims;
// `plain` may be any) and the plain formats. All dims are known. Without rank where one cannot hold the other.
Shape StorageShape(Format storage, Format plain, const Shape& origin, int64_t inner);

// How many channels a block holds in a tensor of the shape `stored`; 1 for plain formats.
int64_t InnerOf(Format storage, const Shape& stored);

// `value`, whose bytes lie as `storage` says, as the tensor of the shape `origin` in `plain`. What fills the blocks up is
// cut off. The shapes fit each other.
ValueId FromStorage(const ViewPlace& place, ValueId value, Format storage, const Shape& stored, Format plain,
                    const Shape& origin);

// The inverse; blocks are filled up with zeros.
ValueId ToStorage(const ViewPlace& place, ValueId value, Format storage, const Shape& stored, Format plain,
                  const Shape& origin);

}  // namespace atc
