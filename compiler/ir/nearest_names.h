// "Did you mean ...?": names near a misspelt one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atc {

// Number of edits that make one name of the other: letters put in, left out, changed, or two neighbours swapped
// (optimal string alignment).
size_t EditDistance(std::string_view a, std::string_view b);

// The candidates with the fewest edits, in their order, at most three. As many edits as one in names of one or two
// letters, two up to eleven and three beyond make a slip; more make another name. Names that differ in case alone come
// before all others. Where none is near: those that are the name with something before or after a joint ("x" for
// "graph/x:0").
std::vector<std::string_view> NearestNames(std::string_view name, std::span<const std::string_view> candidates);

// "Did you mean 'a' or 'b'?", empty where nothing is near.
std::string DidYouMean(std::string_view name, std::span<const std::string_view> candidates);
std::string DidYouMean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace atc
