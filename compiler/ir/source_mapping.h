// Operators of source models that plugins serve: which operator each becomes. Built-in ones are the parsers' own.
#pragma once

#include <deque>
#include <functional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/attr.h"

namespace atc {

struct SourceMapping {
  std::string framework;  // "onnx", "tensorflow"
  std::string domain;     // "ai.onnx" written out; "" where the framework has none
  std::string source_type;
  int since = 1;
  Name type;            // the operator that it becomes
  std::string library;  // path of the plugin
  // Attributes of the source node to those of the operator. Throws Error::Internal with the reason.
  std::function<AttrMap(const AttrMap& source)> map;
};

class SourceMappings {
 public:
  // That of the process. All functions are thread-safe; what they return stays valid.
  static SourceMappings& Get();

  void Add(SourceMapping mapping);
  // The newest one not above `version`, any where the version is 0 (not imported); nullptr when there is none.
  const SourceMapping* Find(std::string_view framework, std::string_view domain, std::string_view source_type,
                            int version) const;
  // In the order of their addition.
  std::vector<const SourceMapping*> All() const;

 private:
  mutable std::shared_mutex mutex_;
  std::deque<SourceMapping> all_;
};

}  // namespace atc
