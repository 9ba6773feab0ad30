#include "plugins/operators/registrations.h"

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>

#include "plugins/loader/shared_library.h"

namespace atc {
namespace {

constexpr const char* kEntry = "RegisterCustomOperators";
using Entry = void (*)(ge::OperatorRegistry&);

// Where registrations go while a library is being loaded by this thread. Outside of that they have no meaning: a program
// brings operators as a library too.
thread_local OperatorRegistrations* loading = nullptr;

class Collector : public ge::OperatorRegistry {
 public:
  explicit Collector(OperatorRegistrations* all) : all_(all) {}
  void Register(const ge::CustomOperator& custom) override { all_->push_back(custom.data()); }

 private:
  OperatorRegistrations* all_;
};

// Adds one part to another; false where both say the same thing.
bool Add(const ge::CustomOperator::Data& part, ge::CustomOperator::Data* whole) {
  const bool defines = !part.inputs.empty() || !part.outputs.empty() || !part.attributes.empty();
  const bool defined = !whole->inputs.empty() || !whole->outputs.empty() || !whole->attributes.empty();
  if ((defines && defined) || (part.infer && whole->infer) || (part.kernel && whole->kernel)) return false;
  if (defines) {
    whole->inputs = part.inputs;
    whole->outputs = part.outputs;
    whole->attributes = part.attributes;
  }
  if (part.infer) whole->infer = part.infer;
  if (part.kernel) whole->kernel = part.kernel;
  if (part.precision != ge::OperatorPrecision::kAsModel) whole->precision = part.precision;
  whole->sources.insert(whole->sources.end(), part.sources.begin(), part.sources.end());
  return true;
}

bool Merge(const OperatorRegistrations& parts, OperatorRegistrations* whole, std::string* why) {
  for (const ge::CustomOperator::Data& part : parts) {
    const auto it = std::find_if(whole->begin(), whole->end(), [&](const auto& one) { return one.type == part.type; });
    if (it == whole->end()) {
      whole->push_back(part);
    } else if (!Add(part, &*it)) {
      *why = std::string("it registers the operator '") + part.type.GetString() + "' twice";
      return false;
    }
  }
  return true;
}

}  // namespace

bool LoadOperators(const std::string& path, OperatorRegistrations* found, std::string* why) {
  // Never destroyed: registrations hold code of libraries. Only looked up, by handle.
  static std::map<void*, OperatorRegistrations>* const of_library = new std::map<void*, OperatorRegistrations>;
  static std::mutex one_at_a_time;
  const std::lock_guard<std::mutex> lock(one_at_a_time);
  OperatorRegistrations parts;
  loading = &parts;
  void* library = nullptr;
  try {
    library = OpenLibrary(path, why);
    if (library != nullptr && !of_library->contains(library)) {
      if (void* entry = FindSymbol(library, kEntry)) {
        Collector collector(&parts);
        reinterpret_cast<Entry>(entry)(collector);
      }
      of_library->emplace(library, parts);
    }
  } catch (const std::exception& error) {
    *why = std::string("its registration threw: ") + error.what();
    library = nullptr;
  } catch (...) {
    *why = "its registration threw an exception of a type unknown here";
    library = nullptr;
  }
  loading = nullptr;
  return library != nullptr && Merge(of_library->at(library), found, why);
}

}  // namespace atc

namespace ge {

OperatorReceiver::OperatorReceiver(const CustomOperator& custom) {
  if (atc::loading != nullptr) atc::loading->push_back(custom.data());
}

}  // namespace ge
