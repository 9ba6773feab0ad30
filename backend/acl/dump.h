// The dump of models that run, as acl.json asks for it: {"dump": {"dump_path": ..., "dump_mode": ..., "dump_list": [...]}}.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "backend/acl/dump_file.h"
#include "backend/acl/model_table.h"

namespace atc::acl {

// Takes over what the text of a configuration file asks for; without a "dump" it stays as it was. 100009 and a text for
// what cannot be done.
aclError ConfigureDump(const std::string& json);
// No more dumps.
void EndDump();

// Another number after each change of what is to be dumped.
uint64_t DumpStamp();
// Whether anything is to be dumped at all.
bool DumpsNow();
// Begins the dump of one run of the model: what its tasks make goes into files. Empty where the model is not meant.
NodeObserver DumpRun(Model& model);

// How operators that are called by themselves are dumped: <dump_path>/<time>/<device>/<file>.
struct OperatorDump {
  std::filesystem::path folder;  // made by whoever writes
  bool inputs = false, outputs = true;
  DumpCallback callback = nullptr;
};
// None while no dump is on.
std::optional<OperatorDump> DumpOfOperators(int device);

}  // namespace atc::acl
