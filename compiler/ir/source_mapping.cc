#include "compiler/ir/source_mapping.h"

#include <mutex>

namespace atc {

SourceMappings& SourceMappings::Get() {
  static SourceMappings* mappings = new SourceMappings;  // never destroyed: it holds code of libraries
  return *mappings;
}

void SourceMappings::Add(SourceMapping mapping) {
  const std::unique_lock lock(mutex_);
  all_.push_back(std::move(mapping));
}

const SourceMapping* SourceMappings::Find(std::string_view framework, std::string_view domain,
                                          std::string_view source_type, int version) const {
  const std::shared_lock lock(mutex_);
  const SourceMapping* best = nullptr;
  for (const SourceMapping& mapping : all_) {
    if (mapping.framework != framework || mapping.domain != domain || mapping.source_type != source_type) continue;
    if (version > 0 && mapping.since > version) continue;
    if (best == nullptr || mapping.since > best->since) best = &mapping;
  }
  return best;
}

std::vector<const SourceMapping*> SourceMappings::All() const {
  const std::shared_lock lock(mutex_);
  std::vector<const SourceMapping*> all;
  for (const SourceMapping& mapping : all_) all.push_back(&mapping);
  return all;
}

}  // namespace atc
