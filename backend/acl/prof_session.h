// The profile that aclprofStart begins and aclprofStop ends, or the "profiler" of acl.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/acl/model_table.h"
#include "backend/profile/profile.h"

namespace atc::acl {

struct ProfConfig {
  std::vector<uint32_t> devices;
  uint64_t data = 0;  // ACL_PROF_...
};

// What the runs of a model have told, in the form of the writers of profiles.
profile::ModelProfile ToModelProfile(const Model& model, const RunProfile& run);

aclError InitProf(const std::string& path);
aclError StartProf(const ProfConfig& config);
// Writes the files.
aclError StopProf();
aclError FinalizeProf();
// From "profiler" of a configuration: {"switch": "on", "output": "folder"}; nothing where it is absent or off. 100010 for
// what cannot be done.
aclError ConfigureProf(const std::string& json);
bool ProfInitialised();
// Whether marks of the program are kept now.
bool KeepsMarks();

// Has the model's runs profiled where a session wants that. Called with model.run held, before each run; cheap otherwise.
void ProfileRun(Model& model);
// Before the model goes, with model.run held: the session keeps what was told so far.
void KeepProfile(Model& model);

// Subscriptions (aclprofModelSubscribe): whether there is any; after a run, with model.run held, what it told goes into
// the pipe; and the end of one.
bool AnySubscription();
void SendRecords(Model& model);
void EndSubscription(Model& model);

}  // namespace atc::acl
