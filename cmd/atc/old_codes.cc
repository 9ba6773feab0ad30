#include "cmd/atc/old_codes.h"

namespace atc::cli {
namespace {

// The files, paths and operators of component 1 have moved from 190xx to 130xx; what had no entry of its own is E19999.
constexpr OldCode kOldCodes[] = {
    {"E11010", "E13014", "parameters of an operator that its parser cannot read"},
    {"E19000", "E13000", "a path that cannot be used"},
    {"E19001", "E13001", "a file that cannot be opened"},
    {"E19002", "E13002", "a path that is too long"},
    {"E19003", "E13003", "a file that cannot be read"},
    {"E19004", "E13004", "a file that cannot be written"},
    {"E19005", "E13005", "a file that is no model"},
    {"E19009", "E13009", "two operators of one name"},
    {"E19010", "E16002", "an operator without parser"},
    {"E19012", "E19999", "an internal function that failed"},
    {"E19014", "E13014", "a value of an operator that is wrong"},
    {"E19015", "E13015", "a file of impossible size"},
    {"E19018", "E13018", "a text file of messages that cannot be read"},
    {"E19021", "E19999", "an inner fault, or an ONNX file that cannot be read"},
    {"E19024", "E13024", "an environment variable with an illegal value"},
    {"E19025", "E14001", "an operator whose types, formats or shapes do not fit"},
};

}  // namespace

std::span<const OldCode> OldCodes() { return kOldCodes; }

const OldCode* FindOldCode(std::string_view code) {
  for (const OldCode& old : kOldCodes) {
    if (old.code == code) return &old;
  }
  return nullptr;
}

}  // namespace atc::cli
