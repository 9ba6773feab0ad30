#include "backend/runtime/fault.h"

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>

namespace atc::runtime::fault {
namespace {

struct Row {
  std::string_view name;
  Kind kind;
  bool takes_name;
  bool takes_value;
  int64_t fallback;
};
constexpr Row kRows[] = {
    {"alloc", Kind::kAllocation, false, false, kMemoryAllocation},
    {"kernel", Kind::kKernel, true, true, kAiCoreException},
    {"lost", Kind::kLost, true, false, kLostHeartbeat},
    {"slow", Kind::kSlow, true, true, 0},
};

struct Armed {
  Fault fault;
  std::atomic<uint64_t> seen{0};

  explicit Armed(Fault f) : fault(std::move(f)) {}
  // Whether this time is one of those.
  bool Strikes() { return ++seen == fault.at || fault.at == 0; }
};

struct State {
  std::mutex mutex;
  std::shared_ptr<std::vector<std::unique_ptr<Armed>>> armed;
  std::atomic<bool> any{false};  // so that the ordinary run asks nothing more
};

State& TheState() {
  static State* state = new State;
  return *state;
}

std::shared_ptr<std::vector<std::unique_ptr<Armed>>> ArmedFaults() {
  State& state = TheState();
  if (!state.any) return nullptr;
  std::lock_guard lock(state.mutex);
  return state.armed;
}

template <class Number>
bool ReadNumber(std::string_view text, Number* out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size();
}

bool ParseOne(std::string_view text, Fault* fault, std::string* why) {
  const auto cut = [&](char mark) -> std::string_view {  // what follows the mark; the mark and it are taken away
    const size_t at = text.rfind(mark);
    if (at == std::string_view::npos) return {};
    const std::string_view rest = text.substr(at + 1);
    text = text.substr(0, at);
    return rest;
  };
  const std::string whole(text);
  const bool has_value = text.find('=') != std::string_view::npos;
  const std::string_view value = cut('=');
  const bool has_at = text.find('@') != std::string_view::npos;
  const std::string_view at = cut('@');
  const bool has_name = text.find(':') != std::string_view::npos;
  const std::string_view name = cut(':');
  for (const Row& row : kRows) {
    if (text != row.name) continue;
    fault->kind = row.kind;
    fault->value = row.fallback;
    fault->name = std::string(name);
    const bool fits = (!has_value || (row.takes_value && ReadNumber(value, &fault->value) && fault->value >= 0)) &&
                      (!has_at || (ReadNumber(at, &fault->at) && fault->at > 0)) &&
                      (!has_name || (row.takes_name && !name.empty())) && (row.kind != Kind::kSlow || has_value);
    if (!fits) *why = "'" + whole + "' is not of the form " + std::string(row.name) + (row.takes_name ? "[:NAME]" : "") +
                      "[@N]" + (row.kind == Kind::kSlow ? "=MS" : row.takes_value ? "[=CODE]" : "");
    return fits;
  }
  *why = "'" + whole + "' names no fault: alloc, kernel, lost or slow";
  return false;
}

}  // namespace

bool Parse(std::string_view text, std::vector<Fault>* faults, std::string* why) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    Fault fault;
    if (!ParseOne(text.substr(0, end), &fault, why)) return false;
    faults->push_back(std::move(fault));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

Code Load() {
  const char* text = std::getenv("ATC_FAULT");
  std::vector<Fault> faults;
  std::string why;
  if (text != nullptr && !Parse(text, &faults, &why)) return Fail(kParamInvalid, "ATC_FAULT: " + why);
  auto armed = std::make_shared<std::vector<std::unique_ptr<Armed>>>();
  for (Fault& each : faults) armed->push_back(std::make_unique<Armed>(std::move(each)));
  State& state = TheState();
  std::lock_guard lock(state.mutex);
  state.any = !armed->empty();
  state.armed = std::move(armed);
  return kOk;
}

Code AtAllocation() {
  const auto armed = ArmedFaults();
  if (!armed) return kOk;
  for (const auto& each : *armed) {
    if (each->fault.kind == Kind::kAllocation && each->Strikes()) {
      return Fail(kMemoryAllocation, "ATC_FAULT lets this allocation fail");
    }
  }
  return kOk;
}

Code AtKernel(std::string_view name, bool* lost) {
  const auto armed = ArmedFaults();
  if (!armed) return kOk;
  Code code = kOk;
  for (const auto& each : *armed) {
    const Fault& fault = each->fault;
    if (fault.kind == Kind::kAllocation || (!fault.name.empty() && fault.name != name) || !each->Strikes()) continue;
    if (fault.kind == Kind::kSlow) {
      std::this_thread::sleep_for(std::chrono::milliseconds(fault.value));
    } else if (code == kOk) {
      *lost = fault.kind == Kind::kLost;
      code = Fail(static_cast<Code>(fault.value), "ATC_FAULT lets kernel '" + std::string(name) +
                                                       (*lost ? "' lose the device" : "' fail"));
    }
  }
  return code;
}

}  // namespace atc::runtime::fault
