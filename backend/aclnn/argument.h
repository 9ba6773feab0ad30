// Arguments of an operator call as the generated entry points hand them over, and what is known of each.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "backend/acl/include/aclnn/acl_meta.h"

namespace atc::aclnn {

enum class ArgKind : uint8_t {
  kInput, kOutput, kInOut,     // aclTensor
  kInputs, kOutputs, kInOuts,  // aclTensorList
  kScalar, kScalars, kInts, kFloats, kBools,
  kInt, kReal, kFlag, kText, kType,
};

// One argument in a signature.
struct ArgInfo {
  std::string_view name;
  ArgKind kind = ArgKind::kInput;
  bool optional = false;
};

struct Signature {
  std::string_view name;  // "aclnnAdd"
  std::span<const ArgInfo> args;
};

// One argument in a call: an address or a number.
struct Arg {
  union {
    const void* handle;
    int64_t integer;
    double real;
    const char* text;
  };

  Arg(const void* value) : handle(value) {}  // NOLINT: implicit on purpose, as the entry points list them
  Arg(const char* value) : text(value) {}    // NOLINT
  Arg(int64_t value) : integer(value) {}     // NOLINT
  Arg(uint64_t value) : integer(static_cast<int64_t>(value)) {}  // NOLINT
  Arg(int32_t value) : integer(value) {}     // NOLINT
  Arg(int8_t value) : integer(value) {}      // NOLINT
  Arg(bool value) : integer(value) {}        // NOLINT
  Arg(aclDataType value) : integer(value) {} // NOLINT
  Arg(double value) : real(value) {}         // NOLINT
  Arg(float value) : real(value) {}          // NOLINT
};

// Phase 1 and phase 2 of every call.
aclnnStatus GetWorkspaceSize(const Signature& signature, std::span<const Arg> args, uint64_t* workspace_size,
                             aclOpExecutor** executor);
aclnnStatus Run(std::string_view name, void* workspace, uint64_t workspace_size, aclOpExecutor* executor,
                aclrtStream stream);

}  // namespace atc::aclnn
