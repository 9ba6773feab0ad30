#include "compiler/ir/parallel_mode.h"

#include <charconv>
#include <utility>

namespace atc {
namespace {

constexpr int32_t kMostStreams = 64;

constexpr std::pair<std::string_view, ParallelMode::Kind> kPlain[] = {
    {"", ParallelMode::kOff}, {"default", ParallelMode::kOff}, {"cv", ParallelMode::kCv}};
constexpr std::pair<std::string_view, ParallelMode::Kind> kCounted[] = {
    {"LoadBalance:", ParallelMode::kLoadBalance},
    {"MainStream:", ParallelMode::kMainStream},
    {"WeightedLoadBalance:", ParallelMode::kWeighted}};

}  // namespace

std::optional<ParallelMode> ParseParallelMode(std::string_view text) {
  for (const auto& [name, kind] : kPlain) {
    if (text == name) return ParallelMode{kind, 0};
  }
  for (const auto& [name, kind] : kCounted) {
    if (!text.starts_with(name)) continue;
    text.remove_prefix(name.size());
    ParallelMode mode{kind, 0};
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), mode.streams);
    if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
    if (mode.streams < 1 || mode.streams > kMostStreams) return std::nullopt;
    return mode;
  }
  return std::nullopt;
}

std::string ParallelModeText(const ParallelMode& mode) {
  for (const auto& [name, kind] : kCounted) {
    if (kind == mode.kind) return std::string(name) + std::to_string(mode.streams);
  }
  return mode.kind == ParallelMode::kCv ? "cv" : "";
}

}  // namespace atc
