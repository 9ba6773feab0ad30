#include "test/backend_cases/mutations.h"

#include <cmath>
#include <functional>
#include <limits>

namespace atc::backend_cases {
namespace {

using Attribute = onnx::AttributeProto;

constexpr int64_t kNumbers[] = {-1, 0, 7, int64_t{1} << 31, std::numeric_limits<int64_t>::min(),
                                std::numeric_limits<int64_t>::max()};
constexpr DataType kTypes[] = {DT_FLOAT, DT_FLOAT16, DT_BF16, DT_DOUBLE, DT_INT64, DT_INT8, DT_BOOL, DT_STRING,
                               DT_COMPLEX64, DT_UINT4, DT_FLOAT8_E5M2};

onnx::NodeProto& NodeOf(Sample& sample) { return *sample.model.mutable_graph()->mutable_node(0); }

bool IsTensor(const Tensor& tensor) { return tensor.defined() && tensor.dtype() != DT_VARIANT; }

// The declared type of input i follows the tensor that is fed.
void Declare(Sample& sample, size_t i) {
  auto* type = sample.model.mutable_graph()->mutable_input(static_cast<int>(i))->mutable_type()->mutable_tensor_type();
  type->set_elem_type(OnnxNumber(sample.inputs[i].dtype()));
  type->clear_shape();
  type->mutable_shape();
  for (const int64_t dim : sample.inputs[i].shape().dims()) type->mutable_shape()->add_dim()->set_dim_value(dim);
}

void Feed(Sample& sample, size_t i, Tensor tensor) {
  sample.inputs[i] = std::move(tensor);
  Declare(sample, i);
}

class Mutator {
 public:
  explicit Mutator(const Sample& sample) : sample_(sample) {}

  std::vector<Mutation> Run() {
    Inputs();
    Outputs();
    for (size_t i = 0; i < sample_.inputs.size(); ++i) {
      if (!IsTensor(sample_.inputs[i])) continue;
      Types(i);
      Shapes(i);
      Values(i);
    }
    const onnx::NodeProto& node = sample_.model.graph().node(0);
    for (int a = 0; a < node.attribute_size(); ++a) Attributes(a);
    Add("attribute unknown", [](Sample& s) {
      Attribute* added = NodeOf(s).add_attribute();
      added->set_name("colour");
      added->set_type(Attribute::INT);
      added->set_i(1);
    });
    return std::move(all_);
  }

 private:
  void Add(const std::string& what, const std::function<void(Sample&)>& change) {
    Mutation mutation{what, sample_};
    change(mutation.sample);
    all_.push_back(std::move(mutation));
  }

  // A Loop without trip count, or with a huge one, goes on as long as its body says: for ever here.
  bool IsEndless(size_t i) const { return i == 0 && sample_.model.graph().node(0).op_type() == "Loop"; }

  void Inputs() {
    const int count = sample_.model.graph().node(0).input_size();
    for (int i = 0; i < count; ++i) {
      if (IsEndless(static_cast<size_t>(i))) continue;
      Add("input " + std::to_string(i) + " absent", [&](Sample& s) { NodeOf(s).set_input(i, ""); });
      Add(std::to_string(i) + " inputs", [&](Sample& s) {
        while (NodeOf(s).input_size() > i) NodeOf(s).mutable_input()->RemoveLast();
      });
    }
    for (const int more : {1, 6}) {
      Add(std::to_string(more) + " more inputs", [&](Sample& s) {
        for (int k = 0; k < more && count > 0; ++k) NodeOf(s).add_input(NodeOf(s).input(count - 1));
      });
    }
  }

  void Outputs() {
    Add("more outputs", [](Sample& s) {
      for (const char* name : {"extra0", "extra1", "extra2", "extra3", "extra4"}) NodeOf(s).add_output(name);
    });
    Add("output 0 absent", [](Sample& s) { NodeOf(s).set_output(0, ""); });
  }

  void Types(size_t i) {
    for (const DataType dtype : kTypes) {
      if (dtype == sample_.inputs[i].dtype()) continue;
      Add("input " + std::to_string(i) + " of type " + std::string(DataTypeName(dtype)),
          [&](Sample& s) { Feed(s, i, Tensor::Allocate(dtype, s.inputs[i].shape())); });
    }
  }

  void Shapes(size_t i) {
    const std::vector<int64_t>& dims = sample_.inputs[i].shape().dims();
    std::vector<std::vector<int64_t>> shapes = {{}, {0}, {3, 1, 2, 2, 1, 2, 1}};
    for (size_t d = 0; d < dims.size(); ++d) {
      for (const int64_t size : {int64_t{0}, dims[d] + 1}) {
        shapes.push_back(dims);
        shapes.back()[d] = size;
      }
    }
    shapes.push_back(dims);
    shapes.back().insert(shapes.back().begin(), 1);
    if (!dims.empty()) shapes.emplace_back(dims.begin() + 1, dims.end());
    for (const std::vector<int64_t>& shape : shapes) {
      const std::string what = "input " + std::to_string(i) + " of shape " + ToString(Shape(shape));
      const auto change = [&](Sample& s) { Feed(s, i, Tensor::Allocate(s.inputs[i].dtype(), Shape(shape))); };
      Add(what, change);
      Add(what + ", shapes open", [&](Sample& s) {
        change(s);
        for (onnx::ValueInfoProto& input : *s.model.mutable_graph()->mutable_input()) {
          if (input.type().has_tensor_type()) input.mutable_type()->mutable_tensor_type()->clear_shape();
        }
      });
    }
  }

  void Values(size_t i) {
    const DataType dtype = sample_.inputs[i].dtype();
    if (dtype != DT_INT64 && dtype != DT_INT32) return;
    for (const int64_t number : kNumbers) {
      if (IsEndless(i) && number > 7) continue;
      const std::string what = "input " + std::to_string(i) + " of values " + std::to_string(number);
      const auto change = [&](Sample& s) {
        Tensor tensor = Tensor::Allocate(dtype, s.inputs[i].shape());
        for (int64_t e = 0; e < tensor.NumElements(); ++e) {
          if (dtype == DT_INT64) tensor.MutableData<int64_t>()[e] = number;
          if (dtype == DT_INT32) tensor.MutableData<int32_t>()[e] = static_cast<int32_t>(number);
        }
        Feed(s, i, std::move(tensor));
      };
      Add(what, change);
      Add(what + ", constant", [&](Sample& s) {
        change(s);
        MakeConstant(s, i);
      });
    }
  }

  // Moves input i to the initializers.
  static void MakeConstant(Sample& s, size_t i) {
    onnx::GraphProto& graph = *s.model.mutable_graph();
    onnx::TensorProto* tensor = graph.add_initializer();
    tensor->set_name(graph.input(static_cast<int>(i)).name());
    tensor->set_data_type(OnnxNumber(s.inputs[i].dtype()));
    for (const int64_t dim : s.inputs[i].shape().dims()) tensor->add_dims(dim);
    tensor->set_raw_data(s.inputs[i].Data(), s.inputs[i].NumBytes());
    graph.mutable_input()->DeleteSubrange(static_cast<int>(i), 1);
    s.inputs.erase(s.inputs.begin() + static_cast<std::ptrdiff_t>(i));
  }

  void Attributes(int a) {
    const Attribute& old = sample_.model.graph().node(0).attribute(a);
    const std::string what = "attribute " + old.name() + " ";
    const auto change = [&](const std::string& how, const std::function<void(Attribute&)>& set) {
      Add(what + how, [&](Sample& s) { set(*NodeOf(s).mutable_attribute(a)); });
    };
    Add(what + "missing", [&](Sample& s) { NodeOf(s).mutable_attribute()->DeleteSubrange(a, 1); });
    Add(what + "twice", [&](Sample& s) {
      const Attribute copy = old;
      *NodeOf(s).add_attribute() = copy;
    });
    change("of type string", [&](Attribute& attribute) {
      const std::string name = attribute.name();
      attribute.Clear();
      attribute.set_name(name);
      attribute.set_type(Attribute::STRING);
      attribute.set_s("WHAT");
    });
    change("of type floats", [&](Attribute& attribute) {
      const std::string name = attribute.name();
      attribute.Clear();
      attribute.set_name(name);
      attribute.set_type(Attribute::FLOATS);
      attribute.add_floats(1);
    });
    for (const int64_t number : kNumbers) {
      if (old.type() == Attribute::INT) {
        change(std::to_string(number), [&](Attribute& attribute) { attribute.set_i(number); });
      } else if (old.type() == Attribute::INTS) {
        change("of " + std::to_string(number), [&](Attribute& attribute) {
          for (int64_t& entry : *attribute.mutable_ints()) entry = number;
        });
      }
    }
    if (old.type() == Attribute::FLOAT) {
      for (const float number : {0.0f, -1.0f, NAN, INFINITY}) {
        change(std::to_string(number), [&](Attribute& attribute) { attribute.set_f(number); });
      }
    }
    if (old.type() == Attribute::INTS) {
      change("empty", [](Attribute& attribute) { attribute.clear_ints(); });
      change("longer", [](Attribute& attribute) { attribute.add_ints(1); });
      change("shorter", [](Attribute& attribute) {
        if (attribute.ints_size() > 0) attribute.mutable_ints()->RemoveLast();
      });
    }
    if (old.type() == Attribute::FLOATS) {
      change("empty", [](Attribute& attribute) { attribute.clear_floats(); });
      change("shorter", [](Attribute& attribute) {
        if (attribute.floats_size() > 0) attribute.mutable_floats()->RemoveLast();
      });
    }
    if (old.type() == Attribute::STRINGS) {
      change("WHAT", [](Attribute& attribute) {
        for (std::string& text : *attribute.mutable_strings()) text = "WHAT";
      });
      change("empty", [](Attribute& attribute) { attribute.clear_strings(); });
    }
    if (old.type() == Attribute::TENSOR) {
      change("of shape [0]", [](Attribute& attribute) {
        onnx::TensorProto tensor;
        tensor.set_data_type(attribute.t().data_type());
        tensor.add_dims(0);
        *attribute.mutable_t() = tensor;
      });
    }
  }

  const Sample& sample_;
  std::vector<Mutation> all_;
};

}  // namespace

std::vector<Mutation> MutationsOf(const Sample& sample) { return Mutator(sample).Run(); }

}  // namespace atc::backend_cases
