// The edge of a part of a graph: which inputs of its nodes come from outside, and which outputs leave it.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "ge_common/ge_api_error_codes.h"
#include "graph/graph.h"

namespace ge {
namespace fusion {

// A port of a node: an input or an output, as the place says where it stands.
struct NodeIo {
  GNode node;
  int64_t index;
};

// One value that comes from outside, by all inputs that take it.
class SubgraphInput {
 public:
  SubgraphInput() = default;
  explicit SubgraphInput(std::vector<NodeIo> inputs) : inputs_(std::move(inputs)) {}

  Status AddInput(const NodeIo& input) {
    inputs_.push_back(input);
    return SUCCESS;
  }
  std::vector<NodeIo> GetAllInputs() const { return inputs_; }

 private:
  std::vector<NodeIo> inputs_;
};

class SubgraphOutput {
 public:
  SubgraphOutput() = default;
  explicit SubgraphOutput(const NodeIo& output) : output_{output} {}

  Status SetOutput(const NodeIo& output) {
    output_ = {output};
    return SUCCESS;
  }
  Status GetOutput(NodeIo& output) const {
    if (output_.empty()) return FAILED;
    output = output_.front();
    return SUCCESS;
  }

 private:
  std::vector<NodeIo> output_;  // one, or none yet
};

class SubgraphBoundary {
 public:
  SubgraphBoundary() = default;
  SubgraphBoundary(std::vector<SubgraphInput> inputs, std::vector<SubgraphOutput> outputs) {
    for (size_t i = 0; i < inputs.size(); ++i) inputs_[static_cast<int64_t>(i)] = std::move(inputs[i]);
    for (size_t i = 0; i < outputs.size(); ++i) outputs_[static_cast<int64_t>(i)] = std::move(outputs[i]);
  }

  // Fail where the number is taken.
  Status AddInput(int64_t index, SubgraphInput input) {
    return inputs_.emplace(index, std::move(input)).second ? SUCCESS : FAILED;
  }
  Status AddOutput(int64_t index, SubgraphOutput output) {
    return outputs_.emplace(index, std::move(output)).second ? SUCCESS : FAILED;
  }
  Status GetInput(int64_t index, SubgraphInput& input) const { return Get(inputs_, index, input); }
  Status GetOutput(int64_t index, SubgraphOutput& output) const { return Get(outputs_, index, output); }
  // In the order of their numbers.
  Status GetAllInputs(std::vector<SubgraphInput>& inputs) const { return GetAll(inputs_, inputs); }
  Status GetAllOutputs(std::vector<SubgraphOutput>& outputs) const { return GetAll(outputs_, outputs); }

 private:
  template <typename T>
  static Status Get(const std::map<int64_t, T>& all, int64_t index, T& one) {
    const auto found = all.find(index);
    if (found == all.end()) return FAILED;
    one = found->second;
    return SUCCESS;
  }
  template <typename T>
  static Status GetAll(const std::map<int64_t, T>& all, std::vector<T>& values) {
    values.clear();
    for (const auto& entry : all) values.push_back(entry.second);
    return SUCCESS;
  }

  std::map<int64_t, SubgraphInput> inputs_;
  std::map<int64_t, SubgraphOutput> outputs_;
};

}  // namespace fusion
}  // namespace ge
