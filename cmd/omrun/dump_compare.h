// Two folders of --dump_tensors side by side.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cmd/omrun/compare.h"
#include "cmd/omrun/tensor_dump.h"

namespace atc::omrun {

struct DumpPair {
  DumpedTensor a, b;
  Comparison comparison;
};

struct DumpComparison {
  bool by_origins = false;      // the plans differ: nodes were matched by those of the source model
  std::vector<DumpPair> pairs;  // in the order of a's plan
  size_t only_a = 0, only_b = 0;  // entries without a partner
  std::optional<size_t> first;    // pair that differs
};

// Where both have the same nodes, each is compared with its namesake. Otherwise the results of source nodes are: of each
// source node the last task that ends with it, Cast and TransData aside, in both plans. Types may differ; the tolerance
// is then the coarser type's. Throws RunError, also where nothing matches.
DumpComparison CompareDumps(const std::string& a, const std::string& b, const Limits& limits);

// Which node differs first, the others in numbers, and what was not compared.
std::string DumpComparisonText(const DumpComparison& comparison);
std::string DumpComparisonJson(const DumpComparison& comparison);

}  // namespace atc::omrun
