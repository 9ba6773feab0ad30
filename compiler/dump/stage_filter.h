// Which stages are dumped: the variable DUMP_GRAPH_LEVEL.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace atc {

class StageFilter {
 public:
  // Empty or "2": the stages that say most; "1": all but those that only split the graph; "3": Build; "4": PreRunBegin;
  // a text "a|b": names that hold one of the parts. Another number: none.
  explicit StageFilter(std::string_view level);

  bool Wants(std::string_view stage) const;

 private:
  enum class Kind { kNone, kAll, kListed, kExact, kParts };

  Kind kind_ = Kind::kNone;
  std::vector<std::string> parts_;
};

}  // namespace atc
