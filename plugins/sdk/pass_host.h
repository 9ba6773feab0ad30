// What the compiler lends to user passes.
#pragma once

#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <string_view>

#include "compiler/ir/graph.h"

namespace atc {

class Journal;

enum class DumpForm { kOnnx, kProto, kReadable };

struct PassHost {
  std::map<std::string, std::string> options;  // by the keys of GE ("ge.socVersion", ...)
  // Dumps the graph as a stage of its own, where the user asked for dumps.
  std::function<void(std::string_view stage, const Graph&)> dump;
  // For passes that dump by themselves. The latter returns false where the file cannot be written.
  std::function<void(DumpForm, const Graph&, std::ostream&)> write_dump;
  std::function<bool(DumpForm, std::string_view suffix, const Graph&)> write_dump_file;
  Journal* journal = nullptr;
};

}  // namespace atc
