// Which rewriting passes a user has switched off: --fusion_switch_file, --optimization_switch and the --oo_* flags.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace atc {

// Under which head of a switch file a pass stands; kNone: it has none, and is switched by its name alone.
enum class FusionKind { kNone, kGraph, kUb };

// The least --oo_level at which a pass runs.
enum class OoLevel { kO1 = 1, kO3 = 3 };

class PassSwitches {
 public:
  // All passes of a kind that no name switches.
  void SetAll(FusionKind kind, bool on) { all_[kind] = on; }
  // One pass; of two settings the later one holds.
  void Set(std::string_view name, bool on) { by_name_.insert_or_assign(std::string(name), on); }

  bool IsOn(FusionKind kind, std::string_view name) const {
    const auto named = by_name_.find(name);
    if (named != by_name_.end()) return named->second;
    const auto all = all_.find(kind);
    return all == all_.end() || all->second;
  }
  // The names that were switched, sorted.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& [name, on] : by_name_) names.push_back(name);
    return names;
  }

 private:
  std::map<FusionKind, bool> all_;
  std::map<std::string, bool, std::less<>> by_name_;
};

}  // namespace atc
