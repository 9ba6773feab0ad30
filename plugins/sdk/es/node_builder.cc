#include "ge/compliant_node_builder.h"

#include <map>

namespace ge {
namespace es {
namespace {

class Described : public Operator {
 public:
  using Operator::DynamicInputRegister;
  using Operator::DynamicOutputRegister;
  using Operator::InputRegister;
  using Operator::OptionalInputRegister;
  using Operator::Operator;
  using Operator::OutputRegister;
};

}  // namespace

class CompliantNodeBuilder::CompliantNodeBuilderImpl {
 public:
  Graph* graph = nullptr;
  AscendString type;
  AscendString name;
  std::vector<IrInputDefV2> inputs;
  std::vector<IrOutputDefV2> outputs;
  std::vector<IrAttrDefV2> attrs;
  std::map<AscendString, int32_t> input_counts, output_counts;
  std::map<AscendString, TensorDesc> descs;  // of outputs
};

CompliantNodeBuilder::CompliantNodeBuilder(Graph* graph) : impl_(std::make_unique<CompliantNodeBuilderImpl>()) {
  impl_->graph = graph;
}
CompliantNodeBuilder::~CompliantNodeBuilder() = default;
CompliantNodeBuilder::CompliantNodeBuilder(CompliantNodeBuilder&&) noexcept = default;
CompliantNodeBuilder& CompliantNodeBuilder::operator=(CompliantNodeBuilder&&) noexcept = default;

CompliantNodeBuilder& CompliantNodeBuilder::OpType(const char_t* type) {
  impl_->type = type;
  return *this;
}
CompliantNodeBuilder& CompliantNodeBuilder::Name(const char_t* name) {
  impl_->name = name;
  return *this;
}
CompliantNodeBuilder& CompliantNodeBuilder::IrDefInputsV2(const IrInputDefV2* inputs, size_t count) {
  impl_->inputs.assign(inputs, inputs + count);
  return *this;
}
CompliantNodeBuilder& CompliantNodeBuilder::IrDefOutputsV2(const IrOutputDefV2* outputs, size_t count) {
  impl_->outputs.assign(outputs, outputs + count);
  return *this;
}
CompliantNodeBuilder& CompliantNodeBuilder::IrDefAttrsV2(const IrAttrDefV2* attrs, size_t count) {
  impl_->attrs.assign(attrs, attrs + count);
  return *this;
}
CompliantNodeBuilder& CompliantNodeBuilder::InstanceDynamicInputNum(const char_t* name, int32_t count) {
  impl_->input_counts[name] = count;
  return *this;
}
CompliantNodeBuilder& CompliantNodeBuilder::InstanceDynamicOutputNum(const char_t* name, int32_t count) {
  impl_->output_counts[name] = count;
  return *this;
}
CompliantNodeBuilder& CompliantNodeBuilder::InstanceOutputDataType(const char_t* name, DataType type) {
  impl_->descs[name].SetDataType(type);
  return *this;
}
CompliantNodeBuilder& CompliantNodeBuilder::InstanceOutputShape(const char_t* name, const std::vector<int64_t>& shape) {
  return InstanceOutputOriginShape(name, shape).InstanceOutputStorageShape(name, shape);
}
CompliantNodeBuilder& CompliantNodeBuilder::InstanceOutputOriginShape(const char_t* name,
                                                                      const std::vector<int64_t>& shape) {
  impl_->descs[name].SetOriginShape(Shape(shape));
  return *this;
}
CompliantNodeBuilder& CompliantNodeBuilder::InstanceOutputStorageShape(const char_t* name,
                                                                       const std::vector<int64_t>& shape) {
  impl_->descs[name].SetShape(Shape(shape));
  return *this;
}
CompliantNodeBuilder& CompliantNodeBuilder::InstanceOutputFormat(const char_t* name, Format format) {
  return InstanceOutputOriginFormat(name, format).InstanceOutputStorageFormat(name, format);
}
CompliantNodeBuilder& CompliantNodeBuilder::InstanceOutputOriginFormat(const char_t* name, Format format) {
  impl_->descs[name].SetOriginFormat(format);
  return *this;
}
CompliantNodeBuilder& CompliantNodeBuilder::InstanceOutputStorageFormat(const char_t* name, Format format) {
  impl_->descs[name].SetFormat(format);
  return *this;
}

GNode CompliantNodeBuilder::Build() const {
  if (impl_->graph == nullptr) return GNode();
  Described op(impl_->name, impl_->type);
  for (const IrInputDefV2& input : impl_->inputs) {
    if (input.GetInputType() == kEsIrInputDynamic) {
      op.DynamicInputRegister(input.GetName(), static_cast<uint32_t>(impl_->input_counts[input.GetName()]));
    } else if (input.GetInputType() == kEsIrInputOptional) {
      op.OptionalInputRegister(input.GetName());
    } else {
      op.InputRegister(input.GetName());
    }
  }
  for (const IrOutputDefV2& output : impl_->outputs) {
    if (output.GetOutputType() == kEsIrOutputDynamic) {
      op.DynamicOutputRegister(output.GetName(), static_cast<uint32_t>(impl_->output_counts[output.GetName()]));
    } else {
      op.OutputRegister(output.GetName());
    }
  }
  for (const IrAttrDefV2& attr : impl_->attrs) op.SetAttr(attr.GetAttrName(), attr.GetDefaultValue());
  for (const auto& [name, desc] : impl_->descs) op.UpdateOutputDesc(name, desc);
  return impl_->graph->AddNodeByOp(op);
}

graphStatus AddEdgeAndUpdatePeerDesc(Graph& graph, GNode& from, int32_t from_port, GNode& to, int32_t to_port) {
  return graph.AddDataEdge(from, from_port, to, to_port);
}

}  // namespace es
}  // namespace ge
