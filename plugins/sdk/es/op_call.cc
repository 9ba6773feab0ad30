#include "ge/es_op_call.h"

#include "plugins/sdk/handles.h"

namespace ge {
namespace es {
namespace {

// An operator whose class is made call by call.
class Described : public Operator {
 public:
  explicit Described(const char* name, const char* type) : Operator(name, type) {}
  using Operator::DynamicInputRegister;
  using Operator::DynamicOutputRegister;
  using Operator::InputRegister;
  using Operator::OptionalInputRegister;
  using Operator::OutputRegister;
};

EsTensorHolder Binary(const char* type, const EsTensorHolder& a, const EsTensorHolder& b) {
  return OpCall(type, ResolveBuilder(a.GetCTensorHolder(), b.GetCTensorHolder())).Input("x1", a).Input("x2", b).Output("y").Out();
}

}  // namespace

EsTensorHolder EsTensorHolder::operator+(const EsTensorHolder& other) const { return Binary("Add", *this, other); }
EsTensorHolder EsTensorHolder::operator-(const EsTensorHolder& other) const { return Binary("Sub", *this, other); }
EsTensorHolder EsTensorHolder::operator*(const EsTensorHolder& other) const { return Binary("Mul", *this, other); }
EsTensorHolder EsTensorHolder::operator/(const EsTensorHolder& other) const { return Binary("RealDiv", *this, other); }
int32_t EsTensorHolder::GetProducerOutIndex() const {
  return tensor_holder_ == nullptr ? -1 : tensor_holder_->GetOutIndex();
}
GNode* EsTensorHolder::GetProducer() const {
  return tensor_holder_ == nullptr ? nullptr : &tensor_holder_->GetProducer();
}
Status EsTensorHolder::AddControlEdge(const std::vector<EsTensorHolder>& from) const {
  std::vector<EsCTensorHolder*> holders = TensorsToEsCTensorHolders(from);
  return EsAddControlEdge(tensor_holder_, holders.data(), static_cast<int64_t>(holders.size()));
}

EsTensorHolder EsTensorLike::ToTensorHolder(EsCGraphBuilder* graph) const {
  if (kind_ == Kind::kTensor) return tensor_;
  const auto length = static_cast<int64_t>(kind_ == Kind::kInts ? ints_.size() : floats_.size());
  const int64_t rank = scalar_ ? 0 : 1;
  return kind_ == Kind::kInts ? EsCreateConstInt64(graph, ints_.data(), &length, rank)
                              : EsCreateConstFloat(graph, floats_.data(), &length, rank);
}

struct OpCall::Impl {
  Impl(const char* type, EsCGraphBuilder* whose)
      : builder(whose), op(whose == nullptr ? "" : whose->GenerateNodeName(type).GetString(), type) {}

  EsCGraphBuilder* const builder;
  Described op;
  std::vector<EsCTensorHolder*> inputs;  // by port, null where absent
  std::vector<std::pair<std::string, std::unique_ptr<Graph>>> graphs;
  bool made = false;
  GNode node;
};

OpCall::OpCall(const char* type, EsCGraphBuilder* builder) : impl_(std::make_unique<Impl>(type, builder)) {}
OpCall::~OpCall() = default;

OpCall& OpCall::Input(const char* name, const EsTensorLike& tensor, bool optional) {
  if (optional) {
    impl_->op.OptionalInputRegister(name);
  } else {
    impl_->op.InputRegister(name);
  }
  impl_->inputs.push_back(tensor.ToTensorHolder(impl_->builder).GetCTensorHolder());
  return *this;
}

OpCall& OpCall::DynamicInput(const char* name, const std::vector<EsTensorHolder>& tensors) {
  impl_->op.DynamicInputRegister(name, static_cast<uint32_t>(tensors.size()));
  for (const EsTensorHolder& tensor : tensors) impl_->inputs.push_back(tensor.GetCTensorHolder());
  return *this;
}

OpCall& OpCall::Output(const char* name) {
  impl_->op.OutputRegister(name);
  return *this;
}

OpCall& OpCall::DynamicOutput(const char* name, int64_t count) {
  impl_->op.DynamicOutputRegister(name, static_cast<uint32_t>(count < 0 ? 0 : count));
  return *this;
}

OpCall& OpCall::Set(const char* name, const AttrValue& value) {
  impl_->op.SetAttr(name, value);
  return *this;
}

OpCall& OpCall::Subgraph(const char* name, std::unique_ptr<Graph> graph) {
  impl_->graphs.emplace_back(name, std::move(graph));
  return *this;
}

OpCall& OpCall::Subgraphs(const char* name, std::vector<std::unique_ptr<Graph>> graphs) {
  for (size_t i = 0; i < graphs.size(); ++i) {
    impl_->graphs.emplace_back(name + std::to_string(i), std::move(graphs[i]));
  }
  return *this;
}

void OpCall::Make() {
  if (impl_->made) return;
  impl_->made = true;
  Graph* graph = impl_->builder == nullptr ? nullptr : impl_->builder->GetGraph();
  if (graph == nullptr) return;
  impl_->node = graph->AddNodeByOp(impl_->op);
  for (size_t i = 0; i < impl_->inputs.size(); ++i) {
    EsCTensorHolder* from = impl_->inputs[i];
    if (from == nullptr) continue;
    graph->AddDataEdge(from->GetProducer(), from->GetOutIndex(), impl_->node, static_cast<int32_t>(i));
  }
  for (auto& [name, nested] : impl_->graphs) {
    if (nested != nullptr) impl_->node.SetSubgraph(name.c_str(), *nested);
  }
}

EsTensorHolder OpCall::Out(int32_t index) {
  Make();
  return impl_->builder == nullptr ? nullptr : impl_->builder->GetTensorHolderFromNode(impl_->node, index);
}

std::vector<EsTensorHolder> OpCall::Outs(int32_t first, int64_t count) {
  std::vector<EsTensorHolder> outs;
  for (int64_t i = 0; i < count; ++i) outs.push_back(Out(first + static_cast<int32_t>(i)));
  return outs;
}

}  // namespace es
}  // namespace ge
