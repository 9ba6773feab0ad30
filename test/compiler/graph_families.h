// Seeded families of graphs of any size, as models of different kinds have them: for tests of streams and memory, and
// for the benchmark of scale.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/stream_label.h"

namespace atc::test {

// What nodes are: tasks with an engine and a size, for the stages that look at no more and to make millions of them; or
// operators that run, on values of float32[4, 32].
enum class Nodes { kTasks, kOperators };

class GraphMaker {
 public:
  GraphMaker(uint32_t seed, int nodes, Nodes kind) : random_(seed), nodes_(nodes), kind_(kind) {
    first_ = graph_->AddData(
        "data", 0, kind == Nodes::kTasks ? TensorDesc(DT_FLOAT, SmallShape()) : TensorDesc(DT_FLOAT, {4, 32}));
  }

  // How many nodes are still to be made.
  int Left() const { return nodes_ - made_; }
  uint32_t Random(uint32_t below) { return random_() % below; }
  ValueId first() const { return first_; }

  // A node of the inputs. A task is on one of three engines, and its output has from 256 bytes to 64 KB.
  ValueId Op(std::vector<ValueId> inputs) {
    if (kind_ == Nodes::kOperators) return Operator(std::move(inputs));
    // Takes any number of inputs and aliases none.
    Node& node = graph_->Add("FusedElementwise", "node" + std::to_string(made_++), std::move(inputs), 1);
    graph_->desc(node.outputs[0]) = TensorDesc(DT_FLOAT, SmallShape());
    constexpr const char* kEngines[] = {"AIcoreEngine", "AIcoreEngine", "VectorEngine", "DNN_VM_AICPU_ASCEND"};
    node.engine = kEngines[Random(4)];
    return node.outputs[0];
  }
  ValueId Chain(ValueId from, int length) {
    for (int i = 0; i < length; ++i) from = Op({from});
    return from;
  }
  // Gives nodes one of `labels` streams by name, in runs of up to 16.
  void Label(uint32_t labels) {
    uint32_t left = 0;
    uint32_t label = 0;
    for (NodeId id = 0; id < graph_->node_capacity(); ++id) {
      if (graph_->node(id).Is(kSource)) continue;
      if (left-- == 0) {
        left = Random(16);
        label = Random(labels);
      }
      graph_->node(id).attrs.Set(kUserStreamLabel, "s" + std::to_string(label));
    }
  }
  std::unique_ptr<Graph> Finish(std::vector<ValueId> outputs) {
    graph_->Add("NetOutput", "Node_Output", std::move(outputs), 0);
    return std::move(graph_);
  }

 private:
  ValueId Add(const char* type, std::vector<ValueId> inputs) {
    Node& node = graph_->Add(type, "node" + std::to_string(made_++), std::move(inputs), 1);
    node.origin = graph_->origins().Leaf(node.name);
    return node.outputs[0];
  }

  ValueId Weights(int64_t rows, int64_t columns) {
    std::vector<float> values(static_cast<size_t>(rows * columns));
    for (float& value : values) value = static_cast<float>(Random(2001)) / 1000 - 1;
    return graph_->AddConst("weights", Tensor::From<float>(DT_FLOAT, Shape{rows, columns}, values));
  }

  // Of one input a function or a product; of two a sum or product; of more their concatenation on the leading axis,
  // brought back to the shape of all values by a product. Results stay between -1 and 1.
  ValueId Operator(std::vector<ValueId> inputs) {
    if (inputs.size() == 1) {
      constexpr const char* kFunctions[] = {"Tanh", "Relu", "Sigmoid", "Softsign", "Neg"};
      const uint32_t choice = Random(8);
      return choice < 5 ? Add(kFunctions[choice], inputs)
                        : Add("Tanh", {Add("MatMulV2", {inputs[0], Weights(32, 32)})});
    }
    if (inputs.size() == 2) return Add("Tanh", {Add(Random(2) == 0 ? "Add" : "Mul", inputs)});
    const auto count = static_cast<int64_t>(inputs.size());
    const ValueId joined = Add("ConcatD", std::move(inputs));
    graph_->producer(joined).attrs.Set("concat_dim", 0);
    graph_->producer(joined).attrs.Set("N", count);
    return Add("Tanh", {Add("MatMulV2", {Weights(4, 4 * count), joined})});
  }

  Shape SmallShape() { return Shape{static_cast<int64_t>(64) << Random(9)}; }

  std::mt19937 random_;
  int nodes_;
  Nodes kind_;
  int made_ = 0;
  std::unique_ptr<Graph> graph_ = std::make_unique<Graph>("family");
  ValueId first_ = kNoId;
};

struct GraphFamily {
  const char* name;
  std::unique_ptr<Graph> (*make)(uint32_t seed, int nodes, Nodes kind);
};

inline constexpr GraphFamily kGraphFamilies[] = {
    {"chain",
     [](uint32_t seed, int nodes, Nodes kind) {
       GraphMaker g(seed, nodes, kind);
       return g.Finish({g.Chain(g.first(), nodes)});
     }},
    // Blocks of up to 16 branches of unequal length that meet.
    {"inception",
     [](uint32_t seed, int nodes, Nodes kind) {
       GraphMaker g(seed, nodes, kind);
       ValueId at = g.first();
       while (g.Left() > 0) {
         std::vector<ValueId> ends;
         for (uint32_t b = 2 + g.Random(15); b > 0; --b) ends.push_back(g.Chain(at, 1 + static_cast<int>(g.Random(4))));
         at = g.Op(std::move(ends));
       }
       return g.Finish({at});
     }},
    {"two-tower",
     [](uint32_t seed, int nodes, Nodes kind) {
       GraphMaker g(seed, nodes, kind);
       const ValueId a = g.Chain(g.first(), nodes / 2);
       const ValueId b = g.Chain(g.first(), nodes / 2);
       return g.Finish({g.Op({a, b})});
     }},
    // A trunk whose value every one of 32 heads reads, again and again.
    {"multi-head",
     [](uint32_t seed, int nodes, Nodes kind) {
       GraphMaker g(seed, nodes, kind);
       ValueId at = g.first();
       while (g.Left() > 0) {
         std::vector<ValueId> heads;
         for (int h = 0; h < 32; ++h) {
           const ValueId q = g.Op({at});
           heads.push_back(g.Op({q, g.Op({at}), g.Op({at})}));
         }
         at = g.Op(std::move(heads));
       }
       return g.Finish({at});
     }},
    // Every step down is read again by the step up at its level: a quarter of the graph is alive in the middle.
    {"encoder-decoder",
     [](uint32_t seed, int nodes, Nodes kind) {
       GraphMaker g(seed, nodes, kind);
       std::vector<ValueId> levels;
       ValueId at = g.first();
       while (2 * g.Left() > nodes) levels.push_back(at = g.Chain(at, 2));
       while (!levels.empty()) {
         at = g.Chain(g.Op({at, levels.back()}), 1);
         levels.pop_back();
       }
       return g.Finish({at});
     }},
    // Up to three inputs among the latest 64 values.
    {"random near",
     [](uint32_t seed, int nodes, Nodes kind) {
       GraphMaker g(seed, nodes, kind);
       std::vector<ValueId> values = {g.first()};
       while (g.Left() > 0) {
         const auto last = static_cast<uint32_t>(std::min<size_t>(values.size(), 64));
         std::vector<ValueId> inputs;
         for (uint32_t k = 1 + g.Random(3); k > 0; --k) inputs.push_back(values[values.size() - 1 - g.Random(last)]);
         values.push_back(g.Op(std::move(inputs)));
       }
       return g.Finish({values.back()});
     }},
    // Up to three inputs among all values: much of the graph stays alive.
    {"random far",
     [](uint32_t seed, int nodes, Nodes kind) {
       GraphMaker g(seed, nodes, kind);
       std::vector<ValueId> values = {g.first()};
       while (g.Left() > 0) {
         std::vector<ValueId> inputs;
         for (uint32_t k = 1 + g.Random(3); k > 0; --k) {
           inputs.push_back(values[g.Random(static_cast<uint32_t>(values.size()))]);
         }
         values.push_back(g.Op(std::move(inputs)));
       }
       return g.Finish({values.back()});
     }},
    // As near, on 300 streams by name.
    {"labelled",
     [](uint32_t seed, int nodes, Nodes kind) {
       GraphMaker g(seed, nodes, kind);
       std::vector<ValueId> values = {g.first()};
       while (g.Left() > 0) {
         const auto last = static_cast<uint32_t>(std::min<size_t>(values.size(), 64));
         std::vector<ValueId> inputs;
         for (uint32_t k = 1 + g.Random(3); k > 0; --k) inputs.push_back(values[values.size() - 1 - g.Random(last)]);
         values.push_back(g.Op(std::move(inputs)));
       }
       g.Label(300);
       return g.Finish({values.back()});
     }},
};

}  // namespace atc::test
