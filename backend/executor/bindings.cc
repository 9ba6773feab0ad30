#include "backend/executor/bindings.h"

namespace atc {

bool Binding::Holds(const void* address, size_t bytes) {
  const auto* at = static_cast<const std::byte*>(address);
  if (at == nullptr || at + bytes <= home_ || at >= home_ + bytes_) return false;
  // What reaches past the bytes that the caller knows of has its place in the arena alone.
  if (at < home_ || at + bytes > home_ + bytes_) {
    movable_ = false;
    return false;
  }
  return true;
}

void Binding::NoteRead(const void** slot, size_t bytes) {
  if (Holds(*slot, bytes)) reads_.emplace_back(slot, static_cast<const std::byte*>(*slot) - home_);
}

void Binding::NoteWrite(void** slot, size_t bytes) {
  if (Holds(*slot, bytes)) writes_.emplace_back(slot, static_cast<std::byte*>(*slot) - home_);
}

bool Binding::Use(void* memory) {
  const bool fits = movable_ && memory != nullptr && reinterpret_cast<uintptr_t>(memory) % kAlign == 0;
  MoveTo(fits ? static_cast<std::byte*>(memory) : home_);
  return fits;
}

void Binding::MoveTo(std::byte* base) {
  if (base == base_) return;
  base_ = base;
  for (const auto& [slot, at] : reads_) *slot = base + at;
  for (const auto& [slot, at] : writes_) *slot = base + at;
}

}  // namespace atc
