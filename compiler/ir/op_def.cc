#include "compiler/ir/op_def.h"

#include <algorithm>
#include <cassert>
#include <mutex>
#include <shared_mutex>

namespace atc {

std::string OpDef::PortName(const std::vector<IoDef>& ports, size_t index) {
  for (size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].kind == IoKind::kDynamic) return ports[i].name.str() + std::to_string(index - i);
    if (i == index) return ports[i].name.str();
  }
  return std::to_string(index);
}

namespace {

// Plugins add definitions while other threads look them up. There is one registry in a process.
std::shared_mutex& Mutex() {
  static std::shared_mutex mutex;
  return mutex;
}

auto Position(auto& defs, Name type) {
  return std::lower_bound(defs.begin(), defs.end(), type,
                          [](const std::unique_ptr<OpDef>& def, Name key) { return def->type < key; });
}

}  // namespace

void OpRegistry::Add(OpDef def) {
  const std::unique_lock lock(Mutex());
  const auto it = Position(defs_, def.type);
  assert((it == defs_.end() || !((*it)->type == def.type)) && "operator defined twice");
  defs_.insert(it, std::make_unique<OpDef>(std::move(def)));
}

const OpDef* OpRegistry::Find(Name type) const {
  const std::shared_lock lock(Mutex());
  const auto it = Position(defs_, type);
  return it != defs_.end() && (*it)->type == type ? it->get() : nullptr;
}

std::vector<const OpDef*> OpRegistry::All() const {
  const std::shared_lock lock(Mutex());
  std::vector<const OpDef*> all;
  for (const auto& def : defs_) all.push_back(def.get());
  return all;
}

}  // namespace atc
