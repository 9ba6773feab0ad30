// What is known of each Ascend chip.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace atc {

struct Soc {
  std::string_view name;        // as --soc_version takes it
  std::string_view short_name;  // family: "Ascend910B"
  int cube_cores;
  int vector_cores;
  int64_t memory_bytes;  // of one device
  // The cube unit reads and writes FRACTAL_NZ alone. Later ones take rows and columns as they are and lay them out
  // themselves on the way in and out.
  bool fractal_products = false;
  bool bfloat16 = false;  // its units compute in bfloat16
};

// The chip called `name` (case-sensitive; "Ascend910" is an alias of "Ascend910A").
// Throws Error E20101 listing similar names when there is none.
const Soc& FindSoc(std::string_view name);

const std::vector<Soc>& AllSocs();

}  // namespace atc
