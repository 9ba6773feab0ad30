#include "compiler/engine_of.h"

#include "compiler/streams/engines.h"

namespace atc {

std::string EngineOf(std::string_view op_type) {
  const OpDef* def = OpRegistry::Get().Find(op_type);
  return def == nullptr ? "" : EngineTable::Default().EngineOf(*def);
}

}  // namespace atc
