#include "compiler/ir/attr.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace atc {
namespace {

auto Position(auto& entries, const Name& name) {
  return std::lower_bound(entries.begin(), entries.end(), name,
                          [](const AttrMap::Entry& entry, const Name& key) { return entry.first < key; });
}

}  // namespace

const AttrValue* AttrMap::Find(Name name) const {
  const auto it = Position(entries_, name);
  return it != entries_.end() && it->first == name ? &it->second : nullptr;
}

void AttrMap::Set(Name name, AttrValue value) {
  const auto it = Position(entries_, name);
  if (it != entries_.end() && it->first == name) {
    it->second = std::move(value);
  } else {
    entries_.emplace(it, name, std::move(value));
  }
}

void AttrMap::Erase(Name name) {
  const auto it = Position(entries_, name);
  if (it != entries_.end() && it->first == name) entries_.erase(it);
}

bool Equal(const AttrValue& a, const AttrValue& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&b](const auto& x) {
        const auto& y = std::get<std::decay_t<decltype(x)>>(b);
        if constexpr (std::is_same_v<std::decay_t<decltype(x)>, Tensor>) {
          return BitEqual(x, y);
        } else {
          return x == y;
        }
      },
      a);
}

bool Equal(const AttrMap& a, const AttrMap& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && Equal(x.second, y.second);
  });
}

std::string ToString(const AttrValue& value) {
  return std::visit(
      [](const auto& x) -> std::string {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, Tensor>) {
          return fmt::format("tensor {} {}", DataTypeName(x.dtype()), ToString(x.shape()));
        } else if constexpr (std::is_same_v<T, DataType>) {
          return std::string(DataTypeName(x));
        } else if constexpr (std::is_same_v<T, std::vector<std::vector<int64_t>>>) {
          std::string text = "[";
          for (const auto& row : x) text += fmt::format("{}[{}]", text.size() > 1 ? "," : "", fmt::join(row, ","));
          return text + "]";
        } else if constexpr (requires { x.begin(); } && !std::is_same_v<T, std::string>) {
          return fmt::format("[{}]", fmt::join(x.begin(), x.end(), ","));
        } else {
          return fmt::format("{}", x);
        }
      },
      value);
}

}  // namespace atc
