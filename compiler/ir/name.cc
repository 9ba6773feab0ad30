#include "compiler/ir/name.h"

#include <mutex>
#include <set>

namespace atc {

Name::Name(std::string_view text) {
  static std::mutex mutex;
  static auto* table = new std::set<std::string, std::less<>>;  // never destroyed: names outlive static objects
  const std::lock_guard lock(mutex);
  auto it = table->find(text);
  if (it == table->end()) it = table->emplace(text).first;
  text_ = &*it;
}

}  // namespace atc
