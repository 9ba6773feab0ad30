// Operator definitions: names of inputs, outputs and attributes with defaults, inference, traits, reference kernel.
// Filled by compiler/ops, one file per family.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "compiler/ir/attr.h"

namespace atc {

class InferContext;
class KernelContext;
struct Node;

using InferFn = void (*)(InferContext&);
using KernelFn = void (*)(KernelContext&);

// What passes ask, instead of lists of type names.
enum Trait : uint32_t {
  kElementwise = 1 << 0,     // each output element depends on the input elements at its (broadcast) place alone
  kShapeOnly = 1 << 1,       // moves no data: the output is the first input under another shape (Reshape, Squeeze, ...)
  kLayoutAgnostic = 1 << 2,  // gives the same answer for any permutation of the dims applied to all operands
  kStateful = 1 << 3,        // random or with side effects: never folded, merged or removed as a duplicate
  kNoFold = 1 << 4,          // deterministic but not to be folded (it would blow up constants)
  kHeavy = 1 << 5,           // convolution, matrix product: wants its private storage format
  kCommutative = 1 << 6,     // binary, the operands may be swapped
  // The kernel knows float, not fp16 and bf16: the caller widens half inputs and narrows the float outputs, so that a
  // result rounds once. Exactly these operators, and those with kHalfNative, may be lowered to fp16.
  kWidenHalf = 1 << 7,
  kHalfNative = 1 << 8,      // takes fp16 and bf16 as they are (data movement, Cast)
  kSource = 1 << 9,          // Data, Const: computes nothing
  kNoTask = 1 << 10,         // emits no task: structure alone (Data, Const, NetOutput and what aliases its input)
  kHostShape = 1 << 11,      // reads only the shapes of its inputs (Shape, Size, Rank)
};

enum class IoKind : uint8_t { kRequired, kOptional, kDynamic };

struct IoDef {
  Name name;
  IoKind kind = IoKind::kRequired;
  // An input that is a parameter rather than data (scales of Resize, limits of Range): its float stays float whatever
  // type is chosen for the operator.
  bool keep_dtype = false;
};

struct AttrDef {
  Name name;
  bool required = false;
  AttrValue fallback;  // meaningful when !required
};

// Which unit runs it; the engine table in compiler/streams turns this into an engine.
enum class Unit : uint8_t { kVector, kCube, kAiCpu, kLocal, kRts, kHccl, kHostCpu };

struct OpDef {
  Name type;
  std::vector<IoDef> inputs;
  std::vector<IoDef> outputs;
  std::vector<AttrDef> attrs;
  uint32_t traits = 0;
  Unit unit = Unit::kVector;
  InferFn infer = nullptr;
  KernelFn kernel = nullptr;

  explicit OpDef(Name op_type) : type(op_type) {}

  // Builders, so that a definition reads as one statement. Names are AscendIR's.
  OpDef& In(Name name) { return Input(name, IoKind::kRequired); }
  OpDef& OptIn(Name name) { return Input(name, IoKind::kOptional); }
  OpDef& DynIn(Name name) { return Input(name, IoKind::kDynamic); }
  // The input just declared keeps its dtype.
  OpDef& KeepDtype() {
    inputs.back().keep_dtype = true;
    return *this;
  }
  OpDef& Out(Name name) { return Output(name, IoKind::kRequired); }
  OpDef& OptOut(Name name) { return Output(name, IoKind::kOptional); }
  OpDef& DynOut(Name name) { return Output(name, IoKind::kDynamic); }
  OpDef& Attr(Name name, AttrValue fallback) {
    attrs.push_back({name, false, std::move(fallback)});
    return *this;
  }
  OpDef& Attr(Name name, const char* fallback) { return Attr(name, AttrValue(std::string(fallback))); }
  template <typename T>
    requires std::is_arithmetic_v<T>
  OpDef& Attr(Name name, T fallback) {
    return Attr(name, NumberAttr(fallback));
  }
  OpDef& RequiredAttr(Name name) {
    attrs.push_back({name, true, {}});
    return *this;
  }
  OpDef& Traits(uint32_t flags) {
    traits |= flags;
    return *this;
  }
  OpDef& On(Unit where) {
    unit = where;
    return *this;
  }
  OpDef& Infer(InferFn fn) {
    infer = fn;
    return *this;
  }
  OpDef& Kernel(KernelFn fn) {
    kernel = fn;
    return *this;
  }

  bool Is(uint32_t flags) const { return (traits & flags) == flags; }
  const AttrDef* FindAttr(Name name) const {
    for (const AttrDef& attr : attrs) {
      if (attr.name == name) return &attr;
    }
    return nullptr;
  }
  // The declaration of input `index`; the last one stands for all further ones when it is dynamic.
  const IoDef* InputDef(size_t index) const {
    if (index < inputs.size()) return &inputs[index];
    return !inputs.empty() && inputs.back().kind == IoKind::kDynamic ? &inputs.back() : nullptr;
  }
  // The definition that names input `index`; the last one stands for all further ones when it is dynamic.
  // Names of dynamic ports are the definition's name followed by their number ("x0", "x1", ...).
  std::string InputName(size_t index) const { return PortName(inputs, index); }
  std::string OutputName(size_t index) const { return PortName(outputs, index); }

 private:
  OpDef& Input(Name name, IoKind kind) {
    inputs.push_back({name, kind, false});
    return *this;
  }
  OpDef& Output(Name name, IoKind kind) {
    outputs.push_back({name, kind, false});
    return *this;
  }
  static std::string PortName(const std::vector<IoDef>& ports, size_t index);
};

// All operators of the process, by type.
class OpRegistry {
 public:
  // The registry with every built-in operator. Ready after first use; reading is thread-safe.
  static OpRegistry& Get();

  // Adds a definition; a type may be added once (an assertion).
  void Add(OpDef def);
  // nullptr when unknown.
  const OpDef* Find(Name type) const;
  // Sorted by type.
  std::vector<const OpDef*> All() const;

 private:
  std::vector<std::unique_ptr<OpDef>> defs_;  // sorted by type
};

}  // namespace atc
