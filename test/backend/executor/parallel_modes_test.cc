// Seeded families of graphs under every mode of streams: plans pass the checkers, and results are those of one stream.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
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
#include "compiler/streams/event_reuse.h"
#include "compiler/streams/static_parts.h"
#include "compiler/streams/stream_passes.h"
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

// For the time of one conversion.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (value != nullptr) setenv(name_, value, 1);
  }
  ~Variable() { unsetenv(name_); }

 private:
  const char* name_;
};

struct How {
  std::string mode = {};  // "single", or as --multi_stream_parallel_mode takes it
  bool labels = true;
  bool ge_events = false;
  // The model is one of unknown shapes, with parts of known ones between its unknown operators.
  bool dynamic = false;
  bool dynamic_multi_stream = false;
  bool attached = false;  // nodes ask for further streams
  bool few_events = false;  // whose numbers are used again
};

// Some nodes count as ones of unknown shapes.
void MakeDynamic(Graph& graph) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const bool chosen = id % 19 == 3 && !graph.node(id).Is(kSource);
    if (chosen || graph.node(id).type() == "NetOutput") graph.node(id).attrs.Set(kForceUnknownShape, true);
  }
}

// Adds to `*spread` where the model came to have several streams.
std::string Run(const test::GraphFamily& family, uint32_t seed, const How& how, int* spread = nullptr) {
  const std::string& mode = how.mode;
  auto graph = family.make(seed, kNodes, test::Nodes::kOperators);
  if (!how.labels) {
    for (NodeId id = 0; id < graph->node_capacity(); ++id) graph->node(id).attrs.Erase(kUserStreamLabel);
  }
  if (how.dynamic) MakeDynamic(*graph);
  for (NodeId id = 0; how.attached && id < graph->node_capacity(); ++id) {
    if (id % 5 == 0) graph->node(id).attrs.Set(kAttachedStreamKeys, std::vector<std::string>{id % 2 == 0 ? "even" : "odd"});
  }
  const Variable events("ATC_EVENTS", how.ge_events ? "ge" : nullptr);
  const Variable several("ENABLE_DYNAMIC_SHAPE_MULTI_STREAM", how.dynamic_multi_stream ? "1" : nullptr);
  CompileOptions options;
  options.output_path = "family";
  options.soc_version = "Ascend910B3";
  // Labels keep nodes from being fused with others, and so from being computed and rounded with them.
  if (std::string(family.name) == "labelled") options.precision_mode = PrecisionMode::kKeepOrigin;
  options.single_stream = mode == "single";
  if (mode != "single") options.parallel_mode = *ParseParallelMode(mode);
  if (how.few_events) {
    graph->attrs.Set(kEventMultiplexing, true);
    options.ge_options["openatc.maxEvents"] = "1";
  }
  Diagnostics diagnostics;
  CompileHooks hooks;
  hooks.verify = true;
  const CompileResult result = Compile(std::move(graph), options, &diagnostics, hooks);
  INFO(family.name << ", seed " << seed << ", mode '" << mode << "'");
  CHECK(CheckOrder(*result.model.graph) == std::vector<std::string>{});
  CHECK(CheckOm(result.model).faults == std::vector<std::string>{});
  CHECK(result.model.dynamic == how.dynamic);
  if (!how.dynamic) {
    CHECK(CheckOverlap(*result.model.graph, result.model.memory_size) == std::vector<std::string>{});
    CHECK(result.model.memory_size >= result.memory_lower_bound);
  }
  if (spread != nullptr) *spread += result.model.stream_num > 1;
  return Outputs(result.model, seed);
}

// What one stream gives for a model made like that. Labels keep nodes from being fused, which moves roundings: where a
// family has some, its own streams give the bits, close to those of one stream.
std::string Expected(const test::GraphFamily& family, uint32_t seed, How how = {}) {
  how.mode = "single";
  how.labels = false;
  const std::string single = Run(family, seed, how);
  if (std::string(family.name) != "labelled") return single;
  how.mode = "";
  how.labels = true;
  const std::string apart = Run(family, seed, how);
  CHECK(LargestDifference(apart, single) <= 1e-5f);
  return apart;
}

// Of random families there are 21 graphs, of each other one 3.
uint32_t SeedsOf(const test::GraphFamily& family) {
  const std::string name = family.name;
  return name.starts_with("random") || name == "labelled" ? 7 : 3;
}

}  // namespace

TEST_CASE("families of graphs give the bits of one stream under every mode") {
  uint32_t turn = 0;
  for (const test::GraphFamily& family : test::kGraphFamilies) {
    for (uint32_t seed = 1; seed <= SeedsOf(family); ++seed) {
      const std::string expected = Expected(family, seed);
      for (const char* mode : {"", "cv", "LoadBalance:3", "LoadBalance:64", "MainStream:4"}) {
        INFO(family.name << ", seed " << seed << ", mode '" << mode << "'");
        CHECK((Run(family, seed, {.mode = mode}) == expected));
      }
      // Of the other numbers each family sees some.
      constexpr const char* kMore[] = {"LoadBalance:1", "LoadBalance:2",  "LoadBalance:8", "WeightedLoadBalance:3",
                                       "MainStream:1",  "MainStream:2",   "MainStream:8",  "MainStream:64",
                                       "default"};
      for (int i = 0; i < 2; ++i) {
        const char* mode = kMore[turn++ % std::size(kMore)];
        INFO(family.name << ", seed " << seed << ", mode '" << mode << "'");
        CHECK((Run(family, seed, {.mode = mode}) == expected));
      }
    }
  }
}

TEST_CASE("families of graphs give the bits of one stream with GE's events") {
  for (const test::GraphFamily& family : test::kGraphFamilies) {
    const std::string expected = Expected(family, 4);
    for (const char* mode : {"", "cv", "LoadBalance:8", "MainStream:2"}) {
      INFO(family.name << ", mode '" << mode << "'");
      CHECK((Run(family, 4, {.mode = mode, .ge_events = true}) == expected));
    }
  }
}

TEST_CASE("families of graphs give the bits of one stream with attached streams") {
  int spread = 0;
  for (const test::GraphFamily& family : test::kGraphFamilies) {
    const std::string expected = Expected(family, 6, {.attached = true});
    for (const char* mode : {"", "LoadBalance:3"}) {
      for (const bool ge_events : {false, true}) {
        INFO(family.name << ", mode '" << mode << "', " << ge_events);
        CHECK((Run(family, 6, {.mode = mode, .ge_events = ge_events, .attached = true}, &spread) == expected));
      }
    }
  }
  CHECK(spread > 24);  // of 32
}

TEST_CASE("families of graphs give the bits of one stream with few numbers for events") {
  for (const test::GraphFamily& family : test::kGraphFamilies) {
    const std::string expected = Expected(family, 7);
    for (const char* mode : {"", "LoadBalance:2", "MainStream:8"}) {
      for (const bool dynamic : {false, true}) {
        if (dynamic && std::string(mode).empty()) continue;
        INFO(family.name << ", mode '" << mode << "', " << dynamic);
        const How how{.mode = mode, .dynamic = dynamic, .few_events = true};
        CHECK((Run(family, 7, how) == (dynamic ? Expected(family, 7, {.dynamic = true}) : expected)));
      }
    }
  }
}

TEST_CASE("families of graphs give the bits of one stream where shapes stay unknown, in parts and in the rest") {
  int spread = 0;
  for (const test::GraphFamily& family : test::kGraphFamilies) {
    const std::string expected = Expected(family, 5, {.dynamic = true});
    for (const char* mode : {"", "cv", "LoadBalance:2", "LoadBalance:8", "MainStream:64"}) {
      for (const bool several : {false, true}) {
        INFO(family.name << ", mode '" << mode << "', " << several);
        const How how{.mode = mode, .ge_events = several, .dynamic = true, .dynamic_multi_stream = several};
        CHECK((Run(family, 5, how, &spread) == expected));
      }
    }
  }
  CHECK(spread > 40);
}
