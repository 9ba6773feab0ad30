// Parsers in the words of CANN's parser plugins:
//   REGISTER_CUSTOM_OP("Warp")
//       .FrameworkType(ONNX)
//       .OriginOpType({"com.example::1::Warp", "com.example::2::Warp"})
//       .ParseParamsByOperatorFn(ParseWarp);
// The origin is domain::version::type; each version holds until the next one that is listed. Without a parse function, or
// with AutoMappingByOpFn, attributes keep their names.
#pragma once

#include <cstdlib>
#include <initializer_list>
#include <string>
#include <vector>

#include "register/custom_operator.h"
#include "register/register_types.h"

namespace domi {

using Status = ge::Status;
constexpr Status SUCCESS = ge::SUCCESS;
constexpr Status FAILED = ge::FAILED;

enum FrameworkType { CAFFE = 0, MINDSPORE = 1, TENSORFLOW = 3, ANDROID_NN = 4, ONNX = 5, FRAMEWORK_RESERVED = 6 };
enum class ImplyType : uint32_t { BUILDIN = 0, TVM, CUSTOM, AI_CPU, CCE, GELOCAL, HCCL, INVALID = 0xFFFFFFFF };

using ParseParamByOpFunc = ge::OperatorParseFn;

// Copies every attribute under its name.
inline Status AutoMappingByOpFn(const ge::Operator& source, ge::Operator& target) {
  if (source.description() == nullptr) return FAILED;
  for (const auto& [name, value] : source.description()->attrs) target.SetAttr(name, value);
  return SUCCESS;
}

class OpRegistrationData {
 public:
  explicit OpRegistrationData(const char* type) : type_(type) {}

  OpRegistrationData& FrameworkType(domi::FrameworkType framework) {
    framework_ = framework;
    return *this;
  }
  OpRegistrationData& OriginOpType(const char* origin) {
    origins_.push_back(ge::AscendString(origin));
    return *this;
  }
  OpRegistrationData& OriginOpType(std::initializer_list<const char*> origins) {
    for (const char* origin : origins) OriginOpType(origin);
    return *this;
  }
  OpRegistrationData& ParseParamsByOperatorFn(const ParseParamByOpFunc& fn) {
    parse_ = fn;
    return *this;
  }
  // Every operator of a plugin runs on the host.
  OpRegistrationData& ImplyType(domi::ImplyType) { return *this; }

  operator ge::CustomOperator() const {
    ge::CustomOperator custom(type_.GetString());
    for (const ge::AscendString& origin : origins_) {
      const std::string text = origin.GetString();
      const size_t first = text.find("::"), second = first == text.npos ? first : text.find("::", first + 2);
      if (framework_ == TENSORFLOW || second == text.npos) {
        custom.From(framework_ == TENSORFLOW ? "tensorflow" : "onnx", framework_ == TENSORFLOW ? "" : "ai.onnx",
                    text.c_str(), 1, parse_);
        continue;
      }
      custom.From("onnx", text.substr(0, first).c_str(), text.substr(second + 2).c_str(),
                  std::atoi(text.c_str() + first + 2), parse_);
    }
    return custom;
  }

 private:
  ge::AscendString type_;
  domi::FrameworkType framework_ = ONNX;
  std::vector<ge::AscendString> origins_;
  ParseParamByOpFunc parse_;
};

class OpReceiver : public ge::OperatorReceiver {
 public:
  OpReceiver(const OpRegistrationData& data) : OperatorReceiver(static_cast<ge::CustomOperator>(data)) {}
};

}  // namespace domi

#define OPENATC_PARSER_RECEIVER(number, type) \
  static ::domi::OpReceiver openatc_parser_receiver_##number __attribute__((unused)) = ::domi::OpRegistrationData(type)
#define OPENATC_NUMBERED_PARSER_RECEIVER(number, type) OPENATC_PARSER_RECEIVER(number, type)
#define REGISTER_CUSTOM_OP(type) OPENATC_NUMBERED_PARSER_RECEIVER(__COUNTER__, type)
