// Registering passes that are classes.
#pragma once

#include <memory>
#include <string>

#include "ge/fusion/pass/fusion_base_pass.h"

namespace ge {
namespace fusion {

using CreateFusionPassFn = FusionBasePass* (*)();

// Copies share what they describe.
class FusionPassRegistrationData {
 public:
  FusionPassRegistrationData() = default;
  explicit FusionPassRegistrationData(const AscendString& name) : data_(std::make_shared<Data>()) { data_->name = name; }

  FusionPassRegistrationData& Stage(CustomPassStage stage) {
    if (data_ && stage < CustomPassStage::kInvalid) data_->stage = stage;
    return *this;
  }
  FusionPassRegistrationData& CreatePassFn(const CreateFusionPassFn& create) {
    if (data_) data_->create = create;
    return *this;
  }
  AscendString GetPassName() const { return data_ ? data_->name : AscendString(); }
  CustomPassStage GetStage() const { return data_ ? data_->stage : CustomPassStage::kInvalid; }
  CreateFusionPassFn GetCreatePassFn() const { return data_ ? data_->create : nullptr; }
  AscendString ToString() const {
    return AscendString((std::string(GetPassName().GetString()) + " at stage " +
                         std::to_string(static_cast<uint32_t>(GetStage()))).c_str());
  }

 private:
  struct Data {
    AscendString name;
    CustomPassStage stage = CustomPassStage::kBeforeInferShape;
    CreateFusionPassFn create = nullptr;
  };
  std::shared_ptr<Data> data_;
};

class PassRegistrar {
 public:
  PassRegistrar(FusionPassRegistrationData& data);
};

}  // namespace fusion
}  // namespace ge

#define OPENATC_FUSION_PASS(number, name, ...)                                                                  \
  static ::ge::fusion::PassRegistrar openatc_fusion_pass_##number __attribute__((unused)) =                    \
      ::ge::fusion::FusionPassRegistrationData(::ge::AscendString(name)).CreatePassFn(                         \
          []() -> ::ge::fusion::FusionBasePass* { return new (std::nothrow) __VA_ARGS__; })
#define OPENATC_NUMBERED_FUSION_PASS(number, name, ...) OPENATC_FUSION_PASS(number, name, __VA_ARGS__)
