// The plans that phase 1 has made, kept for calls that differ in addresses alone.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace atc::aclnn {

inline constexpr size_t kDefaultCacheLimit = 10'000;
inline constexpr size_t kMostCacheLimit = 10'000'000;
inline constexpr size_t kMostKeyBytes = 8 << 10;  // calls with longer keys are not kept

// How many plans a thread keeps. `limit` is the text of ACLNN_CACHE_LIMIT, `disabled` that of DISABLE_L2_CACHE; null: not set.
// What is no number leaves the default; numbers above the most stand for it.
inline size_t CacheLimit(const char* limit, const char* disabled) {
  if (disabled != nullptr && *disabled != '\0' && std::strcmp(disabled, "0") != 0) return 0;
  if (limit == nullptr) return kDefaultCacheLimit;
  size_t number = 0;
  const char* end = limit + std::strlen(limit);
  const auto [stop, fault] = std::from_chars(limit, end, number);
  if (fault == std::errc::result_out_of_range && stop == end) return kMostCacheLimit;
  return fault != std::errc() || stop != end ? kDefaultCacheLimit : std::min(number, kMostCacheLimit);
}

// Of one thread. Several plans of one key where executors hold them at a time, so that streams do not wait for each other.
template <class Plan>
class PlanCache {
 public:
  explicit PlanCache(size_t limit) : limit_(limit) {}

  // One that nobody holds; null where there is none.
  std::shared_ptr<Plan> Find(const std::string& key) const {
    const auto found = plans_.find(key);
    if (found == plans_.end()) return nullptr;
    for (const std::shared_ptr<Plan>& plan : found->second) {
      if (plan.use_count() == 1) return plan;
    }
    return nullptr;
  }
  // A full cache begins anew.
  void Add(const std::string& key, std::shared_ptr<Plan> plan) {
    if (limit_ == 0 || key.size() > kMostKeyBytes) return;
    if (count_ >= limit_) {
      plans_.clear();
      count_ = 0;
    }
    plans_[key].push_back(std::move(plan));
    ++count_;
  }

 private:
  size_t limit_;
  size_t count_ = 0;
  std::unordered_map<std::string, std::vector<std::shared_ptr<Plan>>> plans_;  // looked up alone, never walked
};

}  // namespace atc::aclnn
