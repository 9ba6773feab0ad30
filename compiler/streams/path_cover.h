// The fewest paths that hold every node of a directed acyclic graph once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace atc {

// `after[i]`: nodes that node i leads to, all greater than i, sorted. Paths follow these edges; each is given in order,
// and paths by their first nodes. By a maximum matching of the nodes as senders with the nodes as receivers
// (Hopcroft and Karp), O(edges * sqrt(nodes)).
std::vector<std::vector<uint32_t>> MinimumPathCover(const std::vector<std::vector<uint32_t>>& after);

}  // namespace atc
