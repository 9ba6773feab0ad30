// <om>.manifest.json, which ATC_MANIFEST=1 asks for: what an om was made of and by, so that a build can be checked and
// two builds compared stage by stage. Equal conversions give equal manifests: no times, no folders.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cmd/atc/command_line.h"
#include "compiler/digests.h"
#include "compiler/ir/options.h"

namespace atc::cli {

class Manifest {
 public:
  // Whether the environment asks for one.
  static bool Wanted();

  // The graph as a stage has left it.
  void AddStage(std::string_view stage, const Graph& graph);
  void AddPlugin(const std::string& path);

  // Writes "<om>.manifest.json". Errors: those of digests.h for the files of the model, E13001, E13004.
  void Write(const CompileOptions& options, const FlagValues& flags, const std::string& om) const;

 private:
  std::vector<std::pair<std::string, Digest>> stages_;
  std::vector<std::string> plugins_;
};

}  // namespace atc::cli
