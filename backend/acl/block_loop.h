// The blocks of a launched kernel, over the cores of the budget.
#pragma once

#include <cstdint>
#include <functional>

namespace atc::acl {

struct Block {
  uint32_t index = 0;
  uint32_t count = 1;
};

// Which block the calling thread runs.
const Block& CurrentBlock();

// Calls `body` once for each block, in any order, on as many threads as the budget has cores (the calling one among
// them); the first exception of any is thrown on.
void RunBlocks(uint32_t blocks, const std::function<void()>& body);

}  // namespace atc::acl
