// The name of the om and its writing as a whole.
#include <sys/utsname.h>

#include "compiler/io/output_file.h"
#include "compiler/om/writer.h"
#include "compiler/pipeline.h"
#include "compiler/tasks.h"
#include "compiler/user_outputs.h"

namespace atc {

std::string OmPath(const OmModel& model, const CompileOptions& options) {
  std::string path = options.output_path + ".om";
  if (!model.dynamic) return path;
  utsname host{};
  uname(&host);
  const std::string os = options.host_env_os.empty() ? "linux" : options.host_env_os;
  const std::string cpu = options.host_env_cpu.empty() ? host.machine : options.host_env_cpu;
  const size_t name = path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1;
  const size_t at = path.find(".om", name);
  return path.insert(at, "_" + os + "_" + cpu);
}

std::string WriteOriginalOm(std::unique_ptr<Graph> graph, const CompileOptions& options) {
  OmModel model;
  SetModelAttributes(*graph, options, OutputNames(*graph), &model);
  model.graph = std::move(graph);
  const std::string path = options.output_path + "_original.om";
  MakeParentFolders(path);
  OutputFile file(path);
  WriteOm(model, file);
  file.Commit();
  return path;
}

std::string WriteOmFile(const OmModel& model, const CompileOptions& options) {
  const std::string path = OmPath(model, options);
  MakeParentFolders(path);
  OutputFile file(path);
  const std::unique_ptr<ExternalWeights> weights = WriteOm(model, file, options.external_weight, path);
  file.Commit();
  if (weights) weights->Keep();
  return path;
}

}  // namespace atc
