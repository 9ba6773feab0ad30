#include "compiler/ir/nearest_names.h"

#include <algorithm>

namespace atc {
namespace {

constexpr size_t kMost = 3;  // names in one hint

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

size_t Limit(std::string_view name) { return name.size() < 3 ? 1 : name.size() < 12 ? 2 : 3; }

// One is the other with something before or after it, cut where a name has a joint.
bool IsPartOf(std::string_view part, std::string_view whole) {
  constexpr std::string_view kJoints = "/:._-";
  const size_t at = part.empty() || part.size() >= whole.size() ? std::string_view::npos : whole.find(part);
  if (at == std::string_view::npos) return false;
  const size_t end = at + part.size();
  return (at == 0 || kJoints.find(whole[at - 1]) != std::string_view::npos) &&
         (end == whole.size() || kJoints.find(whole[end]) != std::string_view::npos);
}

}  // namespace

size_t EditDistance(std::string_view a, std::string_view b) {
  const size_t width = b.size() + 1;
  std::vector<size_t> table((a.size() + 1) * width);
  for (size_t j = 0; j < width; ++j) table[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t* row = &table[i * width];
    const size_t* above = row - width;
    row[0] = i;
    for (size_t j = 1; j < width; ++j) {
      row[j] = std::min({row[j - 1] + 1, above[j] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], *(above - width + j - 2) + 1);
      }
    }
  }
  return table.back();
}

std::vector<std::string_view> NearestNames(std::string_view name, std::span<const std::string_view> candidates) {
  std::vector<std::string_view> nearest;
  const std::string lower = Lower(name);
  const size_t limit = Limit(name);
  size_t best = limit;
  bool same_letters = false;
  for (std::string_view candidate : candidates) {
    const bool same = Lower(candidate) == lower;
    if (same_letters && !same) continue;
    const size_t longer = std::max(candidate.size(), name.size());
    const size_t shorter = std::min(candidate.size(), name.size());
    if (!same && longer - shorter > best) continue;  // cannot be nearer; models have many names
    const size_t distance = same ? 0 : EditDistance(name, candidate);
    if (distance < best || (same && !same_letters)) nearest.clear();
    if (distance > best) continue;
    best = distance;
    same_letters |= same;
    nearest.push_back(candidate);
  }
  if (nearest.empty()) {
    for (std::string_view candidate : candidates) {
      if (IsPartOf(name, candidate) || IsPartOf(candidate, name)) nearest.push_back(candidate);
    }
  }
  if (nearest.size() > kMost) nearest.resize(kMost);
  return nearest;
}

std::string DidYouMean(std::string_view name, std::span<const std::string_view> candidates) {
  std::string text;
  for (std::string_view near : NearestNames(name, candidates)) {
    text += text.empty() ? "Did you mean '" : " or '";
    text += near;
    text += '\'';
  }
  return text.empty() ? text : text + "?";
}

std::string DidYouMean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::vector<std::string_view> views(candidates.begin(), candidates.end());
  return DidYouMean(name, std::span<const std::string_view>(views));
}

}  // namespace atc
