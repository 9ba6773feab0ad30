// Seeded families of graphs under every mode of streams: plans pass the checkers, and results are those of one stream.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "backend/executor/model.h"
#include "backend/runtime/device.h"
#include "backend/runtime/memory.h"
#include "backend/runtime/stream.h"
#include "compiler/check_om.h"
#include "compiler/om/writer.h"
#include "compiler/pipeline.h"
#include "compiler/plan/check_order.h"
#include "compiler/plan/check_overlap.h"
#include "test/compiler/graph_families.h"

using namespace atc;

namespace {

constexpr int kNodes = 60;

// The bytes of all outputs of one run on inputs that depend on the seed alone.
std::string Outputs(const OmModel& model, uint32_t seed) {
  const std::string om = WriteOm(model);
  runtime::Memory memory{uint64_t{1} << 30};
  runtime::Device device{0, memory};
  runtime::Stream stream{device, 0};
  LoadOptions options;
  options.device = &device;
  options.cores = 2;
  const auto loaded = LoadedModel::Load(std::as_bytes(std::span(om.data(), om.size())), options);
  std::mt19937 random(seed);
  std::vector<float> input(4 * 32);
  for (float& value : input) value = static_cast<float>(random() % 2001) / 1000 - 1;
  const std::vector<TensorView> in = {{input.data(), input.size() * sizeof(float), Shape{4, 32}}};
  std::vector<Buffer> buffers;
  std::vector<TensorView> out;
  for (const TensorInfo& info : loaded->info().outputs) {
    buffers.push_back(Buffer::Allocate(info.bytes));
    out.push_back({buffers.back().data, info.bytes, {}});
  }
  loaded->Execute(in, out, stream);
  std::string bytes;
  for (size_t k = 0; k < out.size(); ++k) bytes.append(reinterpret_cast<const char*>(buffers[k].data), out[k].bytes);
  return bytes;
}

// Of floats.
float LargestDifference(const std::string& a, const std::string& b) {
  REQUIRE(a.size() == b.size());
  float largest = 0;
  for (size_t at = 0; at < a.size(); at += sizeof(float)) {
    float x, y;
    std::memcpy(&x, a.data() + at, sizeof x);
    std::memcpy(&y, b.data() + at, sizeof y);
    largest = std::max(largest, std::abs(x - y));
  }
  return largest;
}

std::string Run(const test::GraphFamily& family, uint32_t seed, const std::string& mode, bool labels) {
  auto graph = family.make(seed, kNodes, test::Nodes::kOperators);
  if (!labels) {
    for (NodeId id = 0; id < graph->node_capacity(); ++id) graph->node(id).attrs.Erase(kUserStreamLabel);
  }
  CompileOptions options;
  options.output_path = "family";
  options.soc_version = "Ascend910B3";
  // Labels keep nodes from being fused with others, and so from being computed and rounded with them.
  if (std::string(family.name) == "labelled") options.precision_mode = PrecisionMode::kKeepOrigin;
  options.single_stream = mode == "single";
  if (mode != "single") options.parallel_mode = *ParseParallelMode(mode);
  Diagnostics diagnostics;
  CompileHooks hooks;
  hooks.verify = true;
  const CompileResult result = Compile(std::move(graph), options, &diagnostics, hooks);
  INFO(family.name << ", seed " << seed << ", mode '" << mode << "'");
  CHECK(CheckOrder(*result.model.graph) == std::vector<std::string>{});
  CHECK(CheckOverlap(*result.model.graph, result.model.memory_size) == std::vector<std::string>{});
  CHECK(CheckOm(result.model).faults == std::vector<std::string>{});
  CHECK(result.model.memory_size >= result.memory_lower_bound);
  return Outputs(result.model, seed);
}

}  // namespace

TEST_CASE("24 families of graphs give the bits of one stream under every mode") {
  for (const test::GraphFamily& family : test::kGraphFamilies) {
    for (uint32_t seed = 1; seed <= 3; ++seed) {
      std::string expected = Run(family, seed, "single", false);
      if (std::string(family.name) == "labelled") {
        const std::string apart = Run(family, seed, "", true);
        CHECK(LargestDifference(apart, expected) <= 1e-5f);
        expected = apart;
      }
      for (const char* mode : {"", "cv", "LoadBalance:3", "LoadBalance:64", "MainStream:4"}) {
        INFO(family.name << ", seed " << seed << ", mode '" << mode << "'");
        CHECK((Run(family, seed, mode, true) == expected));
      }
    }
  }
}
