#include "compiler/ir/error.h"

namespace atc {

Error::Error(std::string code, Args args, std::string cure) {
  diagnostic_.code = std::move(code);
  diagnostic_.args = std::move(args);
  diagnostic_.cure = std::move(cure);
  what_ = diagnostic_.code;
  for (const auto& [name, value] : diagnostic_.args) what_ += " " + name + "=" + value;
}

Error& Error::At(std::string where) {
  what_ += " at " + where;
  diagnostic_.context.push_back(std::move(where));
  return *this;
}

}  // namespace atc
