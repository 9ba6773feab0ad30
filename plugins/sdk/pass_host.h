// What the compiler lends to user passes.
#pragma once

#include <functional>
#include <map>
#include <memory>
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
  // A graph as bytes and back, values of constants included. The latter returns null for bytes that are no such graph.
  std::function<std::string(const Graph&)> save;
  std::function<std::unique_ptr<Graph>(std::string_view bytes)> load;
  // What is wrong with the order of tasks under the streams that nodes have now; empty where nothing is.
  std::function<std::string(const Graph&)> check_order;
  Journal* journal = nullptr;
};

// The host of the conversion that runs on this thread; null outside of one.
const PassHost* CurrentHost();
// Sets it, and returns the one before.
const PassHost* SetCurrentHost(const PassHost* host);

}  // namespace atc
