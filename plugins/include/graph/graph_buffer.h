// The bytes of a saved graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ge {

class GraphBuffer {
 public:
  const uint8_t* GetData() const { return bytes_.data(); }
  size_t GetSize() const { return bytes_.size(); }

 private:
  friend class Graph;
  std::vector<uint8_t> bytes_;
};

}  // namespace ge
