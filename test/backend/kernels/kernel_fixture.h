// A node by itself, run by its fast kernel and judged by its reference kernel, on every instruction set that is here.
#pragma once

#include <hwy/highway.h>
#include <hwy/targets.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "backend/kernels/kernel.h"
#include "backend/kernels/layout.h"
#include "backend/kernels/team.h"
#include "compiler/ops/evaluator.h"
#include "test/compiler/pass_fixture.h"

namespace atc::test {

// Calls `body` once for each target of Highway's that this processor has, with that one alone.
inline void ForEachTarget(const std::function<void()>& body) {
  for (int64_t targets = hwy::SupportedTargets(); targets != 0; targets &= targets - 1) {
    const int64_t target = targets & -targets;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    INFO("target " << hwy::TargetName(target));
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

struct KernelCase {
  const char* type;
  std::function<void(Node&)> set_attrs = [](Node&) {};
  std::vector<Tensor> inputs;       // undefined where absent
  std::vector<bool> constant = {};  // by input; beyond its end: not
  size_t outputs = 1;
  // By input and then by output, beyond the end: not. Such a port is stored N, H, W, C.
  std::vector<bool> channels_last = {};
  int threads = 1;
  std::vector<bool> unread = {};  // by output; beyond its end: read. Nobody asks for such an output.

  bool IsConstant(size_t i) const { return i < constant.size() && constant[i]; }
  bool IsRead(size_t i) const { return i >= unread.size() || !unread[i]; }
  bool IsLast(size_t port) const { return port < channels_last.size() && channels_last[port]; }
};

// What the fast kernel makes of the case, in origin views; nothing where there is none.
inline std::vector<Tensor> RunFast(const KernelCase& c, Graph& graph, const Node& node,
                                   const std::vector<Tensor>& like) {
  const auto prepared = kernels::MakePreparedConstants();
  kernels::KernelSpec spec{node, {}, {}, c.threads, prepared.get()};
  std::vector<Tensor> stored;
  std::vector<const void*> from;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    const Tensor& input = c.inputs[i];
    kernels::Port port;
    port.present = input.defined();
    stored.push_back(input);
    if (port.present) {
      port.dtype = input.dtype();
      port.shape = input.shape();
      port.channels_last = c.IsLast(i);
      if (port.channels_last) {
        stored[i] = Tensor::Allocate(input.dtype(), input.shape());
        kernels::ToChannelsLast(stored[i].MutableData(), input.Data(), input.shape(), DataTypeBits(input.dtype()) / 8,
                                1);
      }
    }
    spec.inputs.push_back(port);
  }
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    if (c.IsConstant(i) && stored[i].defined()) spec.inputs[i].constant = &stored[i];
    from.push_back(stored[i].defined() ? stored[i].Data() : nullptr);
  }
  std::vector<Tensor> made;
  std::vector<void*> to;
  for (size_t i = 0; i < like.size(); ++i) {
    kernels::Port port;
    port.present = true;
    port.dtype = like[i].dtype();
    port.shape = like[i].shape();
    port.channels_last = c.IsLast(c.inputs.size() + i);
    spec.outputs.push_back(port);
    made.push_back(Tensor::Allocate(port.dtype, port.shape));
    std::memset(made.back().MutableData(), 0xA5, made.back().NumBytes());
    to.push_back(c.IsRead(i) ? made.back().MutableData() : nullptr);
  }
  const kernels::Team team(c.threads);
  const std::unique_ptr<kernels::Kernel> kernel = kernels::MakeFastKernel(spec);
  if (kernel == nullptr) return {};
  const Buffer scratch = Buffer::Allocate(kernel->scratch_bytes() + 64);
  kernel->Run(from.data(), to.data(), scratch.data);
  kernel->Run(from.data(), to.data(), scratch.data);  // a second run finds nothing left over from the first
  for (size_t i = 0; i < made.size(); ++i) {
    if (!spec.outputs[i].channels_last) continue;
    Tensor plain = Tensor::Allocate(made[i].dtype(), made[i].shape());
    kernels::FromChannelsLast(plain.MutableData(), made[i].Data(), made[i].shape(), DataTypeBits(made[i].dtype()) / 8,
                              1);
    made[i] = plain;
  }
  return made;
}

// The node of the case in `graph`.
inline Node& AddCase(const KernelCase& c, Graph& graph) {
  std::vector<ValueId> values;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    if (!c.inputs[i].defined()) {
      values.push_back(kNoId);
    } else if (c.IsConstant(i)) {
      values.push_back(graph.AddConst("c" + std::to_string(i), c.inputs[i]));
    } else {
      values.push_back(graph.AddData("x" + std::to_string(i), static_cast<int64_t>(i),
                                     TensorDesc(c.inputs[i].dtype(), c.inputs[i].shape())));
    }
  }
  Node& node = graph.Add(c.type, "node", values, c.outputs);
  c.set_attrs(node);
  return node;
}

// |fast - reference| <= tolerance * (1 + |reference|) everywhere, NaN where the reference has NaN.
inline void CheckAgainstReference(const KernelCase& c, double tolerance) {
  Graph graph("case");
  const Node& node = AddCase(c, graph);
  std::vector<DataType> types(c.outputs, c.inputs[0].dtype());
  const std::vector<Tensor> expected = RunReferenceKernel(node, c.inputs, {}, types);
  ForEachTarget([&] {
    const std::vector<Tensor> found = RunFast(c, graph, node, expected);
    REQUIRE(found.size() == expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      if (!c.IsRead(i)) continue;
      const std::vector<double> x = ToDoubles(found[i]), y = ToDoubles(expected[i]);
      double worst = 0;
      for (size_t k = 0; k < x.size(); ++k) {
        if (std::isnan(y[k]) || x[k] == y[k]) {
          if (std::isnan(y[k]) && !std::isnan(x[k])) worst = INFINITY;
          continue;
        }
        worst = std::max(worst, std::isfinite(y[k]) ? std::abs(x[k] - y[k]) / (1 + std::abs(y[k])) : INFINITY);
      }
      INFO(c.type << ", output " << i << " of shape " << ToString(expected[i].shape()));
      CHECK(worst <= tolerance);
    }
  });
}

}  // namespace atc::test
