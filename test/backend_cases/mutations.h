// Wrong models made of right ones: what a model may get wrong about one node.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "compiler/ir/tensor.h"

namespace atc::backend_cases {

// A model of one node, and what is fed to it.
struct Sample {
  onnx::ModelProto model;
  std::vector<Tensor> inputs;
};

struct Mutation {
  std::string what;  // "input 1 absent", "attribute axis twice", ...
  Sample sample;
};

// The node's name in every sample.
inline constexpr char kNodeName[] = "the_node";

// Absent inputs in every position, too few and too many inputs and outputs, other element types, ranks and sizes, values
// out of range, and attributes that are missing, given twice, of another type, of no meaning, or unknown. Each also with
// the inputs but the first as constants, or with all shapes open, where it makes a difference.
std::vector<Mutation> MutationsOf(const Sample& sample);

}  // namespace atc::backend_cases
