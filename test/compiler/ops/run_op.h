// Runs one operator through inference and its reference kernel: for tests of operators.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/infer_context.h"
#include "compiler/ops/evaluator.h"
#include "compiler/ops/nested.h"

namespace atc::test {

inline Tensor Floats(Shape shape, const std::vector<float>& values) {
  return Tensor::From<float>(DT_FLOAT, std::move(shape), values);
}

// 0.1 * (i % modulus) + offset: the same ramp that the scripts behind the golden values use.
inline Tensor Ramp(Shape shape, int modulus, float offset = 0) {
  std::vector<float> values(static_cast<size_t>(shape.NumElements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = 0.1f * static_cast<float>(i % modulus) + offset;
  return Floats(std::move(shape), values);
}

// Whether an inferred shape agrees with the one found; with `open_dims` the data decide some of its dims, which are -1.
inline bool Agrees(const Shape& inferred, const Shape& found, bool open_dims) {
  if (!open_dims || !inferred.HasRank() || inferred.rank() != found.rank()) return inferred == found;
  for (size_t d = 0; d < found.rank(); ++d) {
    if (inferred[d] != kUnknownDim && inferred[d] != found[d]) return false;
  }
  return true;
}

// Outputs of the kernel, after checking that inference gave their dtypes and shapes.
inline std::vector<Tensor> RunOp(const char* type, const std::vector<Tensor>& inputs,
                                 std::vector<std::pair<const char*, AttrValue>> attrs, size_t num_outputs = 1,
                                 bool open_dims = false) {
  Graph graph;
  std::vector<ValueId> ids;
  std::vector<TensorDesc> descs;
  std::vector<InferContext::Known> known;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined()) {
      ids.push_back(kNoId);
      descs.emplace_back();
      known.push_back({});
      continue;
    }
    ids.push_back(graph.AddData("in" + std::to_string(i), static_cast<int64_t>(i),
                                TensorDesc(inputs[i].dtype(), inputs[i].shape())));
    if (inputs[i].dtype() == DT_VARIANT && inputs[i].NumElements() > 0) {
      TensorDesc all;
      bool alike = true;  // a map is a pair of tensors of two types
      for (const Tensor& element : inputs[i].Span<Tensor>()) {
        alike = alike && MergeDescs(all, TensorDesc(element.dtype(), element.shape()), &all);
      }
      if (alike) graph.desc(ids.back()).element = std::make_shared<const TensorDesc>(all);
    }
    descs.push_back(graph.desc(ids.back()));
    known.push_back({&inputs[i], nullptr});
  }
  Node& node = graph.Add(type, "node", ids, num_outputs);
  for (auto& [name, value] : attrs) node.attrs.Set(name, std::move(value));
  InferContext context(node, descs, known);
  node.def->infer(context);
  const std::vector<TensorDesc> inferred = context.TakeOutputs();
  std::vector<Tensor> outputs = RunReferenceKernel(node, inputs);
  for (size_t i = 0; i < num_outputs; ++i) {
    INFO("output " << i << " of " << type);
    CHECK(inferred[i].dtype == outputs[i].dtype());
    INFO("inferred " << ToString(inferred[i].origin_shape) << ", found " << ToString(outputs[i].shape()));
    CHECK(Agrees(inferred[i].origin_shape, outputs[i].shape(), open_dims));
  }
  return outputs;
}

inline void CheckClose(const Tensor& found, const std::vector<double>& wanted, double tolerance = 1e-5) {
  const std::vector<double> values = ToDoubles(found);
  REQUIRE(values.size() == wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    INFO("element " << i);
    CHECK(values[i] == Approx(wanted[i]).margin(tolerance).epsilon(tolerance));
  }
}

}  // namespace atc::test
