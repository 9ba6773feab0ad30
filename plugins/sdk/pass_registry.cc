#include "plugins/sdk/pass_registry.h"

#include <exception>
#include <map>
#include <mutex>

#include "plugins/loader/shared_library.h"

namespace atc {
namespace {

// Never destroyed: registrations hold code of libraries, which may be unmapped before or after statics are.
struct Registry {
  std::mutex mutex;
  Registrations of_program;
  std::map<void*, Registrations> of_library;  // by handle; only looked up
};

Registry& TheRegistry() {
  static Registry* registry = new Registry;
  return *registry;
}

// Where registrations go while a library is being loaded by this thread.
thread_local Registrations* loading = nullptr;

class Collector : public ge::PassRegistry {
 public:
  explicit Collector(Registrations* passes) : passes_(passes) {}
  void Register(const ge::PassRegistrationData& data) override { passes_->push_back(data); }

 private:
  Registrations* passes_;
};

constexpr const char* kEntry = "RegisterCustomPasses";
using Entry = void (*)(ge::PassRegistry&);

}  // namespace

bool LoadPasses(const std::string& path, Registrations* passes, std::string* why) {
  Registry& registry = TheRegistry();
  static std::mutex one_at_a_time;  // not the registry's: constructors of a library may register from threads of theirs
  const std::lock_guard<std::mutex> lock(one_at_a_time);
  Registrations found;
  loading = &found;
  void* library = nullptr;
  try {
    library = OpenLibrary(path, why);
    const std::lock_guard<std::mutex> registry_lock(registry.mutex);
    if (library != nullptr && !registry.of_library.contains(library)) {
      if (void* entry = FindSymbol(library, kEntry)) {
        Collector collector(&found);
        reinterpret_cast<Entry>(entry)(collector);
      }
      registry.of_library.emplace(library, found);
    }
  } catch (const std::exception& error) {
    *why = std::string("its registration threw: ") + error.what();
    library = nullptr;
  } catch (...) {
    *why = "its registration threw an exception of a type unknown here";
    library = nullptr;
  }
  loading = nullptr;
  if (library == nullptr) return false;
  const std::lock_guard<std::mutex> registry_lock(registry.mutex);
  *passes = registry.of_library.at(library);
  return true;
}

Registrations PassesOfProgram() {
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  return registry.of_program;
}

}  // namespace atc

namespace ge {

PassReceiver::PassReceiver(PassRegistrationData& data) {
  if (atc::loading != nullptr) {
    atc::loading->push_back(data);
    return;
  }
  atc::Registry& registry = atc::TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  registry.of_program.push_back(data);
}

}  // namespace ge
