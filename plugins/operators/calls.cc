#include "plugins/operators/calls.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "compiler/ir/infer_context.h"
#include "compiler/ir/kernel_context.h"
#include "plugins/sdk/convert.h"

namespace atc {
namespace {

struct Kept {
  ge::CustomOperator::Data custom;
  std::string library;
};

// Never destroyed: it holds code of libraries. Entries stay where they are.
struct AllKept {
  std::shared_mutex mutex;
  std::map<Name, Kept> operators;
};

AllKept& All() {
  static AllKept* all = new AllKept;
  return *all;
}

const Kept& KeptOf(const Node& node) {
  const std::shared_lock lock(All().mutex);
  return All().operators.at(node.type());
}

ge::DataType PublicType(DataType dtype) { return ge::ToPublic(TensorDesc(dtype, {})).GetDataType(); }
DataType InternalType(ge::DataType dtype) {
  return ge::ToInternal(ge::TensorDesc(ge::Shape(), ge::FORMAT_ND, dtype)).dtype;
}

// The port at `index`, the last one standing for all further ones when it is dynamic.
const ge::CustomOperator::Port* PortAt(const std::vector<ge::CustomOperator::Port>& ports, size_t index) {
  if (index < ports.size()) return &ports[index];
  return !ports.empty() && ports.back().kind == ge::CustomOperator::kDynamic ? &ports.back() : nullptr;
}

bool Takes(const ge::CustomOperator::Port& port, ge::DataType dtype) {
  return port.types.empty() || std::find(port.types.begin(), port.types.end(), dtype) != port.types.end();
}

std::string TypeNames(const std::vector<ge::DataType>& types) {
  std::string text;
  for (const ge::DataType dtype : types) {
    text += (text.empty() ? "" : ", ") + std::string(DataTypeName(InternalType(dtype)));
  }
  return text;
}

// An om may come from another version of the plugin than the one that is loaded.
template <typename Context>
void CheckInputs(const Context& ctx, const Kept& kept) {
  const auto& ports = kept.custom.inputs;
  for (size_t i = 0; i < std::max(ctx.num_inputs(), ports.size()); ++i) {
    const ge::CustomOperator::Port* port = PortAt(ports, i);
    if (port == nullptr) {
      ctx.Fail("it has " + std::to_string(ctx.num_inputs()) + " inputs; the plugin " + kept.library + " knows " +
               std::to_string(ports.size()));
    }
    if (!ctx.HasInput(i)) {
      if (port->kind == ge::CustomOperator::kRequired) {
        ctx.Fail("its input " + std::to_string(i) + " '" + port->name.GetString() + "' is missing");
      }
      continue;
    }
    const DataType dtype = ctx.InType(i);
    const bool plain = dtype != DT_STRING && dtype != DT_VARIANT && PublicType(dtype) != ge::DT_UNDEFINED;
    if (!plain || !Takes(*port, PublicType(dtype))) {
      ctx.Fail("input " + std::to_string(i) + " '" + port->name.GetString() + "' is " +
               std::string(DataTypeName(dtype)) + "; the plugin " + kept.library + " takes " +
               (port->types.empty() ? std::string("numbers and bools") : TypeNames(port->types)));
    }
  }
}

bool IsShape(const Shape& shape) {
  return !shape.HasRank() ||
         std::all_of(shape.dims().begin(), shape.dims().end(), [](int64_t dim) { return dim >= kUnknownDim; });
}

// What both calls lend the plugin. `Base` is the public interface, `Context` what stands behind it.
template <typename Base, typename Context>
class Lent : public Base {
 public:
  Lent(Context& ctx, const Kept& kept) : ctx_(ctx), kept_(kept), made_(ctx.num_outputs(), false) {}

  size_t InputCount() const override { return ctx_.num_inputs(); }
  bool HasInput(size_t index) const override { return ctx_.HasInput(index); }
  ge::DataType InputType(size_t index) const override {
    return HasInput(index) ? PublicType(ctx_.InType(index)) : ge::DT_UNDEFINED;
  }
  ge::Shape InputShape(size_t index) const override {
    return HasInput(index) ? ge::Shape(ctx_.InShape(index).dims()) : ge::Shape();
  }
  size_t OutputCount() const override { return ctx_.num_outputs(); }
  bool GetAttrValue(const char* name, ge::AttrValue& value) const override {
    const Node& node = ctx_.node();
    const AttrValue* found = node.attrs.Find(name);
    const AttrDef* declared = node.def->FindAttr(name);
    if (found == nullptr && declared != nullptr && !declared->required) found = &declared->fallback;
    std::optional<ge::AttrValue> converted = found == nullptr ? std::nullopt : ge::ToPublic(*found);
    if (converted) value = std::move(*converted);
    return converted.has_value();
  }
  void SetErrorMessage(const ge::AscendString& message) override { message_ = message.GetString(); }

  // After the call.
  void Finish(ge::Status status) const {
    if (status != ge::SUCCESS || !message_.empty()) {
      ctx_.Fail((message_.empty() ? "it failed with " + std::to_string(status) : message_) + " (plugin " +
                kept_.library + ")");
    }
    const auto missing = std::find(made_.begin(), made_.end(), false);
    if (missing != made_.end()) {
      ctx_.Fail("the plugin " + kept_.library + " gave nothing for output " +
                std::to_string(missing - made_.begin()));
    }
  }

 protected:
  // Whether the plugin may say this of output `index`; notes that it has.
  bool Accept(size_t index, DataType dtype, const Shape& shape, bool known) {
    if (index >= made_.size()) return false;
    const ge::CustomOperator::Port* port = PortAt(kept_.custom.outputs, index);
    const bool plain = dtype != DT_UNDEFINED && dtype != DT_STRING && dtype != DT_VARIANT;
    if (!plain || (port != nullptr && !Takes(*port, PublicType(dtype))) || !IsShape(shape) ||
        (known && !shape.IsKnown())) {
      ctx_.Fail("the plugin " + kept_.library + " says that output " + std::to_string(index) + " is " +
                std::string(DataTypeName(dtype)) + " " + ToString(shape) + ", which it cannot be");
    }
    made_[index] = true;
    return true;
  }

  Context& ctx_;

 private:
  const Kept& kept_;
  std::vector<bool> made_;
  std::string message_;
};

class LentInference final : public Lent<ge::OperatorInferContext, InferContext> {
 public:
  using Lent::Lent;

  bool InputValue(size_t index, ge::Tensor& value) const override {
    const Tensor* constant = ctx_.Constant(index);
    std::optional<ge::Tensor> converted = constant == nullptr ? std::nullopt : ge::ToPublic(*constant);
    if (converted) value = std::move(*converted);
    return converted.has_value();
  }
  void SetOutput(size_t index, ge::DataType dtype, const ge::Shape& shape) override {
    const Shape dims(shape.GetDims());
    if (Accept(index, InternalType(dtype), dims, false)) ctx_.SetOut(index, InternalType(dtype), dims);
  }
};

class LentKernel final : public Lent<ge::OperatorKernelContext, KernelContext> {
 public:
  using Lent::Lent;

  const void* InputData(size_t index) const override { return HasInput(index) ? ctx_.In(index).Data() : nullptr; }
  void* MakeOutput(size_t index, ge::DataType dtype, const ge::Shape& shape) override {
    const Shape dims(shape.GetDims());
    if (!Accept(index, InternalType(dtype), dims, true)) return nullptr;
    return ctx_.Out(index, InternalType(dtype), dims).template MutableData<std::byte>();
  }
};

}  // namespace

void KeepForCalls(const ge::CustomOperator::Data& custom, const std::string& library) {
  const std::unique_lock lock(All().mutex);
  All().operators.emplace(Name(custom.type.GetString()), Kept{custom, library});
}

void CallInfer(InferContext& ctx) {
  const Kept& kept = KeptOf(ctx.node());
  CheckInputs(ctx, kept);
  LentInference lent(ctx, kept);
  lent.Finish(CallPlugin(kept.library, [&] { return kept.custom.infer(lent); }));
}

void CallKernel(KernelContext& ctx) {
  const Kept& kept = KeptOf(ctx.node());
  CheckInputs(ctx, kept);
  LentKernel lent(ctx, kept);
  lent.Finish(CallPlugin(kept.library, [&] { return kept.custom.kernel(lent); }));
}

}  // namespace atc
