// What a model takes and gives.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "cmd/omrun/tensor.h"

namespace atc::omrun {

struct Backend;

struct TensorInfo {
  std::string name;
  aclDataType type = ACL_DT_UNDEFINED;
  aclFormat format = ACL_FORMAT_UNDEFINED;
  Dims dims;           // -1 where unknown; the single dim -2 where even their number is
  uint64_t bytes = 0;  // 0 where the shape has no bound
  // Of an output: the narrowest floating-point type on the way to it; undefined where the device cannot tell.
  aclDataType computed_in = ACL_DT_UNDEFINED;
  Dims least = {};     // of an input: the smallest value that each dim may have; empty: 1
  Dims most = {};      // likewise the largest, -1 where there is none; empty: none

  bool known() const;  // every dim
};

// The gear that a run asks for; at most one member is set.
struct GearChoice {
  uint64_t batch = 0;
  std::vector<uint64_t> hw;  // height, width
  std::string dims;          // "x:1,3,224,224;y:1,10"

  bool empty() const { return batch == 0 && hw.empty() && dims.empty(); }
};

// What a model with gears offers. The input that takes the choice is not among Signature::inputs.
struct Gears {
  enum class Kind { kNone, kBatch, kHw, kDims };
  Kind kind = Kind::kNone;
  size_t input = 0;         // index of the one that takes the choice, in the model's count
  uint64_t bytes = 0;       // of it
  std::vector<Dims> offers; // {batch}, {height, width}, or the dims of all inputs in a row
};

struct Signature {
  std::vector<TensorInfo> inputs, outputs;
  Gears gears;
};

// "'x', 'y'"; "none".
std::string NameList(const std::vector<TensorInfo>& infos);

// Whether the dims are of the declared shape, whose open dims take any value.
bool Fits(const Dims& dims, const Dims& declared);

// "[1~8, 3, ?]", open dims as their range; "[...]" where their number is open.
std::string RangesText(const TensorInfo& info);

// "float32 [2, 3], 24 bytes"
std::string Expected(const TensorInfo& input);

// The one of that name, or the only one whose node (before the first ':') or tensor (after the last) is named so: outputs
// of an om are "node:0:tensor". None where there is no such one.
std::optional<size_t> FindByName(const std::vector<TensorInfo>& infos, const std::string& name);

// The input that an argument NAME=REST or NAME:REST names, and REST. It is split at the first '=', else the first ':',
// whose left side is an input's name, else one that FindByName takes for it; an argument without one goes by position as
// a whole, so files and inputs may both have '=' in their names.
std::pair<std::optional<size_t>, std::string> SplitArgument(const std::string& argument,
                                                            const std::vector<TensorInfo>& infos);

// Reads the signature of a loaded model. Throws RunError.
Signature ReadSignature(const Backend& acl, aclmdlDesc* desc);

// The signature as it is under a gear: the open dims of the inputs take its values. Throws RunError, with what is
// offered, where the choice is none of the model's, missing, or of another kind.
Signature UnderGear(const Signature& signature, const GearChoice& choice, Dims* chosen);

// The gear that inputs of these dims ask for; none where the model has no gears.
GearChoice GearOf(const Signature& signature, const std::vector<Tensor>& inputs);

}  // namespace atc::omrun
