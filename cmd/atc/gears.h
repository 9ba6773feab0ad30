// Gears: the sets of sizes that --dynamic_batch_size, --dynamic_image_size and --dynamic_dims prepare a model for.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cmd/atc/command_line.h"
#include "compiler/ir/options.h"

namespace atc::cli {

struct Gears {
  std::string_view flag;                 // the one of the three that is given
  std::vector<InputShapeOption> shapes;  // --input_shape, with -1 where a gear gives the size
  // A profile each; of --dynamic_batch_size one size, of --dynamic_image_size height and width, of --dynamic_dims one for
  // each -1 in the order of --input_shape.
  std::vector<std::vector<int64_t>> profiles;
};

// The least and the most profiles.
inline constexpr size_t kMinProfiles = 2;
inline constexpr size_t kMaxProfiles = 100;

// Whether one of the three flags is given.
bool HasGears(const FlagValues& flags);

// Reads them. Throws E10009 (more than one, or with --input_shape_range), E10004 (no --input_shape), what ParseInputShape
// throws, E10012, E10018, E10031 (batch), E10003, E10019, E10020 (image), E10001, E10003,
// E10045, E10046 (dims), E10013 (a size that
// does not fit), E10035 to E10039 (the profiles).
Gears ParseGears(const FlagValues& flags);

}  // namespace atc::cli
