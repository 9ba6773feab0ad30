// Inputs and outputs of the model that tasks read and write where the caller has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

// The bytes of one input or output in the arena, and every address of a task that lies there.
class Binding {
 public:
  // Memory of the caller's starts at a multiple of so many bytes, or is copied.
  static constexpr size_t kAlign = 32;

  Binding(std::byte* home, size_t bytes) : home_(home), bytes_(bytes), base_(home) {}

  // Takes note of where a task reads or writes `bytes` bytes, if that is here. The slots outlive the binding.
  void NoteRead(const void** slot, size_t bytes);
  void NoteWrite(void** slot, size_t bytes);
  // An input stays as the caller gave it: it is copied where a task writes to it.
  void KeepUnwritten() { movable_ &= writes_.empty(); }
  // An output that no task writes, a constant, is copied.
  void KeepWritten() { movable_ &= !writes_.empty(); }
  // For bytes that another input or output has a part in.
  void Refuse() { movable_ = false; }
  bool Overlaps(const Binding& other) const {
    return home_ < other.home_ + other.bytes_ && other.home_ < home_ + bytes_;
  }

  // Lets tasks use `memory`, of at least as many bytes. False, and the arena is used, where that may not be.
  bool Use(void* memory);
  void UseArena() { MoveTo(home_); }
  std::byte* base() const { return base_; }
  std::byte* home() const { return home_; }
  size_t bytes() const { return bytes_; }

 private:
  bool Holds(const void* address, size_t bytes);
  void MoveTo(std::byte* base);

  std::byte* home_;
  size_t bytes_;
  std::byte* base_;  // now
  bool movable_ = true;
  std::vector<std::pair<const void**, size_t>> reads_;  // slot and place in the bytes
  std::vector<std::pair<void**, size_t>> writes_;
};

}  // namespace atc
