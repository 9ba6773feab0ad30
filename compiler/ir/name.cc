#include "compiler/ir/name.h"

#include <array>
#include <functional>
#include <mutex>
#include <set>

namespace atc {
namespace {

const std::string* Intern(std::string_view text) {
  static std::mutex mutex;
  static auto* table = new std::set<std::string, std::less<>>;  // never destroyed: names outlive static objects
  const std::lock_guard lock(mutex);
  auto it = table->find(text);
  if (it == table->end()) it = table->emplace(text).first;
  return &*it;
}

}  // namespace

Name::Name(std::string_view text) {
  // What a thread looked up last is found without the lock: attributes are asked for by literal text everywhere.
  constexpr size_t kRecent = 1024;
  thread_local std::array<const std::string*, kRecent> recent{};
  const std::string*& known = recent[std::hash<std::string_view>()(text) % kRecent];
  if (known == nullptr || *known != text) known = Intern(text);
  text_ = known;
}

}  // namespace atc
