#include "test/backend_cases/exempt.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace atc::backend_cases {

std::map<std::string, Exemption> ReadExemptions(const std::string& path) {
  std::map<std::string, Exemption> exemptions;
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string name, kind, reason;
    words >> name >> kind >> reason;
    if (reason.empty() || (kind != "random" && kind != "codec")) {
      throw std::runtime_error(path + ": '" + line + "' is not a name, a kind (random, codec) and a reason");
    }
    exemptions[name] = kind == "random" ? Exemption::kRandom : Exemption::kCodec;
  }
  return exemptions;
}

}  // namespace atc::backend_cases
