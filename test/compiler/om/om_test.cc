// Writing and reading an om: layout of the file, nothing lost, damage found.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>

#include "compiler/ir/error.h"
#include "compiler/om/checksum.h"
#include "compiler/om/container.h"
#include "compiler/om/needed_fields.h"
#include "compiler/om/reader.h"
#include "compiler/om/writer.h"
#include "test/compiler/om/sample_model.h"

namespace atc {
namespace {

Buffer ToBuffer(const std::string& bytes) {
  Buffer buffer = Buffer::Allocate(bytes.size());
  std::memcpy(buffer.data, bytes.data(), bytes.size());
  return buffer;
}

OmModel Read(const std::string& bytes) { return ReadOm(ToBuffer(bytes), "test.om"); }

template <typename T>
T At(const std::string& bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

void CheckSameGraph(const Graph& a, const Graph& b);

void CheckSameNode(const Graph& a, const Node& x, const Graph& b, const Node& y) {
  INFO(x.name);
  CHECK(x.name == y.name);
  CHECK(x.def == y.def);
  CHECK(Equal(x.attrs, y.attrs));
  CHECK(x.engine == y.engine);
  CHECK(x.stream == y.stream);
  CHECK(x.workspace_offset == y.workspace_offset);
  CHECK(x.workspace_bytes == y.workspace_bytes);
  CHECK(a.origins().Flatten(x.origin) == b.origins().Flatten(y.origin));
  REQUIRE(x.reasons.size() == y.reasons.size());
  for (size_t j = 0; j < x.reasons.size(); ++j) {
    CHECK(x.reasons[j].aspect == y.reasons[j].aspect);
    CHECK(x.reasons[j].rule == y.reasons[j].rule);
  }
  REQUIRE(x.inputs.size() == y.inputs.size());
  for (size_t j = 0; j < x.inputs.size(); ++j) {
    CHECK(a.producer(x.inputs[j]).name == b.producer(y.inputs[j]).name);
    CHECK(a.value(x.inputs[j]).index == b.value(y.inputs[j]).index);
  }
  REQUIRE(x.control_in.size() == y.control_in.size());
  for (size_t j = 0; j < x.control_in.size(); ++j) {
    CHECK(a.node(x.control_in[j]).name == b.node(y.control_in[j]).name);
  }
  REQUIRE(x.outputs.size() == y.outputs.size());
  for (size_t j = 0; j < x.outputs.size(); ++j) {
    const Value& v = a.value(x.outputs[j]);
    const Value& u = b.value(y.outputs[j]);
    CHECK(v.desc.dtype == u.desc.dtype);
    CHECK(v.desc.shape == u.desc.shape);
    CHECK(v.desc.format == u.desc.format);
    CHECK(v.desc.origin_shape == u.desc.origin_shape);
    CHECK(v.desc.origin_format == u.desc.origin_format);
    CHECK(v.desc.ranges == u.desc.ranges);
    CHECK(v.desc.symbols == u.desc.symbols);
    CHECK(v.size == u.size);
    if (x.type() != "Const") CHECK(v.offset == u.offset);
  }
  REQUIRE(x.subgraphs.size() == y.subgraphs.size());
  for (size_t j = 0; j < x.subgraphs.size(); ++j) {
    CHECK(x.subgraphs[j].name == y.subgraphs[j].name);
    CHECK(y.subgraphs[j].graph->parent_graph == &b);
    CheckSameGraph(*x.subgraphs[j].graph, *y.subgraphs[j].graph);
  }
  REQUIRE((x.fused == nullptr) == (y.fused == nullptr));
  if (x.fused) CheckSameGraph(*x.fused, *y.fused);
}

void CheckSameGraph(const Graph& a, const Graph& b) {
  CHECK(a.name == b.name);
  CHECK(Equal(a.attrs, b.attrs));
  const std::vector<NodeId> left = a.TopologicalOrder();
  const std::vector<NodeId> right = b.TopologicalOrder();
  REQUIRE(left.size() == right.size());
  for (size_t i = 0; i < left.size(); ++i) {
    CHECK(right[i] == i);
    CheckSameNode(a, a.node(left[i]), b, b.node(right[i]));
  }
}

TEST_CASE("the file is laid out as the format says") {
  const std::string om = WriteOm(SampleModel());
  CHECK(om.substr(0, 4) == "IMOD");
  CHECK(At<uint32_t>(om, 4) == 256);
  CHECK(At<uint32_t>(om, 8) == 0x20000000);
  CHECK(At<uint32_t>(om, 76) == om.size() - 256);
  CHECK(om.substr(84, 7) == std::string("sample\0", 7));
  CHECK(At<uint32_t>(om, 152) == 2);
  CHECK(At<uint32_t>(om, 156) == 1);
  CHECK(At<uint64_t>(om, 184) == om.size() - 256);
  CHECK(om[193] == 1);
  // Partitions 8, 0, 1, 2 back to back.
  REQUIRE(At<uint64_t>(om, 256) == 4);
  const uint64_t types[] = {8, 0, 1, 2};
  uint64_t offset = 0;
  for (int i = 0; i < 4; ++i) {
    CHECK(At<uint64_t>(om, 264 + 24 * i) == types[i]);
    CHECK(At<uint64_t>(om, 272 + 24 * i) == offset);
    offset += At<uint64_t>(om, 280 + 24 * i);
  }
  CHECK(264 + 24 * 4 + offset == om.size());
  // Weights begin on a multiple of 512 in the file; two contents of 48 and 2 bytes take the places 512 and 1024.
  const size_t weights = 264 + 24 * 4 + At<uint64_t>(om, 272 + 24 * 2);
  CHECK(weights % 512 == 0);
  CHECK(At<uint64_t>(om, 280 + 24 * 2) == 1536);
  CHECK(At<float>(om, weights + 512) == 0.5f);
  CHECK(At<uint16_t>(om, weights + 1024) == 0x0321);
  // The first record: one input of 192 bytes, NCHW, float, named x, 4 dims twice, 4 ranges.
  const size_t inputs = 264 + 24 * 4;
  CHECK(At<uint32_t>(om, inputs) == 0);
  CHECK(At<uint32_t>(om, inputs + 4) == 4 + 32 + 1 + 32 + 32 + 64);
  CHECK(At<uint32_t>(om, inputs + 8) == 1);
  CHECK(At<uint64_t>(om, inputs + 12) == 192);
  CHECK(At<uint32_t>(om, inputs + 28) == 1);
  CHECK(om[inputs + 44] == 'x');
  CHECK(At<int64_t>(om, inputs + 45 + 8) == 3);
}

TEST_CASE("what is read is what was written") {
  const OmModel model = SampleModel();
  const std::string om = WriteOm(model);
  const OmModel read = Read(om);
  CHECK(WriteOm(read) == om);
  CHECK(WriteOm(model) == om);
  CHECK(read.name == model.name);
  CHECK(read.memory_size == model.memory_size);
  CHECK(read.zero_copy_memory_size == model.zero_copy_memory_size);
  CHECK(read.stream_num == model.stream_num);
  CHECK(read.event_num == model.event_num);
  CHECK(read.weight_size == 1536);
  CHECK(read.dynamic);
  CHECK(Equal(read.attrs, model.attrs));
  const AttrMap& attrs = read.graph->Find("conv1:relu")->attrs;
  CHECK(attrs.Get<float>("f", 0) == 0.1f);
  CHECK(attrs.Get<bool>("b", false));
  CHECK(attrs.Get<DataType>("dt", DT_UNDEFINED) == DT_FLOAT16);
  CHECK(attrs.Get<DataType>("dt_private", DT_UNDEFINED) == DT_FLOAT8_E4M3FN);
  CheckSameGraph(*model.graph, *read.graph);
  REQUIRE(read.tasks.size() == model.tasks.size());
  for (size_t i = 0; i < read.tasks.size(); ++i) {
    CHECK(read.tasks[i].type == model.tasks[i].type);
    CHECK(read.tasks[i].id == model.tasks[i].id);
    CHECK(read.tasks[i].stream == model.tasks[i].stream);
    CHECK(read.tasks[i].event == model.tasks[i].event);
    CHECK(read.tasks[i].private_def == model.tasks[i].private_def);
    CHECK(read.graph->node(read.tasks[i].op_index).name == model.graph->node(model.tasks[i].op_index).name);
  }
}

TEST_CASE("reasons are read where they are asked for") {
  OmModel model = SampleModel();
  for (NodeId id = 0; id < model.graph->node_capacity(); ++id) model.graph->node(id).Because("stream", "a rule");
  const Buffer file = ToBuffer(WriteOm(model));
  const OmModel with = ReadOm(file, "test.om"), without = ReadOm(file, "test.om", {.reasons = false});
  for (NodeId id = 0; id < with.graph->node_capacity(); ++id) {
    CHECK(with.graph->node(id).reasons.size() >= 1);
    CHECK(without.graph->node(id).reasons.empty());
    CHECK(Equal(with.graph->node(id).attrs, without.graph->node(id).attrs));
  }
}

TEST_CASE("of bytes that are no message nothing is left out") {
  for (const std::string bytes : {"\x3a", "\x3a\x05\x32\x01", "\x3a\x02\x32\x7f", "\x3b", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"}) {
    CHECK(NeededFields(bytes, true) == bytes);
  }
  CHECK(NeededFields("", false).empty());
}

TEST_CASE("equal constants are one window of the file") {
  const Buffer file = ToBuffer(WriteOm(SampleModel()));
  const OmModel model = ReadOm(file, "test.om");
  const auto value = [](const Graph& graph, const char* name) {
    return graph.Find(name)->attrs.FindAs<Tensor>("value");
  };
  const Tensor* w = value(*model.graph, "w");
  CHECK(w->Data() == value(*model.graph, "w_again")->Data());
  CHECK(w->Data() == value(*model.graph->Find("fused")->fused, "fused_w")->Data());
  CHECK(w->Data() >= file.data);
  CHECK(w->Data() < file.data + file.size);
  CHECK(w->buffer().owner == file.owner);
}

TEST_CASE("a memory block that is not aligned is read too") {
  const std::string om = WriteOm(SampleModel());
  Buffer block = Buffer::Allocate(om.size() + 1);
  std::memcpy(block.data + 1, om.data(), om.size());
  const OmModel model = ReadOm(Buffer{block.owner, block.data + 1, om.size()}, "block");
  CHECK(WriteOm(model) == om);
}

TEST_CASE("deferred constants are made while writing, and equal contents still stored once") {
  OmModel model = SampleModel();
  int calls = 0;
  const Tensor deferred =
      Tensor::Deferred(DT_FLOAT, {12}, [&calls, w = *model.graph->Find("w")->attrs.FindAs<Tensor>("value")] {
        ++calls;
        return w.Reshaped({12});
      });
  model.graph->Find("w_again")->attrs.Set("value", deferred);
  const OmModel read = Read(WriteOm(model));
  CHECK(calls > 0);
  CHECK(read.weight_size == 1536);
  CHECK(read.graph->Find("w_again")->attrs.FindAs<Tensor>("value")->Data<float>()[0] == 0.5f);
}

TEST_CASE("an om cut anywhere is an error that names file and byte") {
  const std::string om = WriteOm(SampleModel());
  for (size_t size = 0; size < om.size(); ++size) {
    try {
      Read(om.substr(0, size));
      FAIL("cut at " << size);
    } catch (const Error& error) {
      REQUIRE(error.diagnostic().code == "E10041");
      REQUIRE(error.diagnostic().args[0].second == "test.om");
      REQUIRE(error.diagnostic().args[1].second.find("at byte ") == 0);
    }
  }
  CHECK_THROWS_AS(Read(om + "x"), Error);
}

// Reads a file in which something was changed: either an error, or nothing was lost by the change.
void ReadDamaged(const std::string& damaged, const std::string& original) {
  try {
    const OmModel model = Read(damaged);
    if (WriteOm(model) != original) FAIL("a changed file was read as another model");
  } catch (const Error&) {
  }
}

TEST_CASE("a flipped bit anywhere is found, or does not matter") {
  const std::string om = WriteOm(SampleModel());
  for (size_t i = 0; i < om.size(); ++i) {
    std::string damaged = om;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << i % 8));
    ReadDamaged(damaged, om);
  }
}

// The same with checksums that fit, as someone would make them who wants to harm the reader. OPENATC_FUZZ=1 tries more
// values, for a run under AddressSanitizer.
TEST_CASE("a file made to deceive is an error or another model, never worse") {
  const std::string om = WriteOm(SampleModel());
  const auto view = [&](const std::string& bytes, const Partition* part) {
    return std::string_view(bytes).substr(part->offset, part->size);
  };
  const OmContainer container = ParseContainer(std::as_bytes(std::span(om)), "test.om");
  const Partition* inout = container.Find(PartitionType::kInOutInfo);
  const Partition* model_def = container.Find(PartitionType::kModelDef);
  const Partition* tasks = container.Find(PartitionType::kTasks);
  const auto try_reading = [&](std::string bytes) {
    std::string prefix = bytes.substr(0, OmPrefixBytes(4));
    ClearChecksums(&prefix);
    SetChecksums({OmChecksum(prefix, view(bytes, inout), view(bytes, model_def), view(bytes, tasks)),
                  container.checksums.weights},
                 &prefix);
    bytes.replace(0, prefix.size(), prefix);
    try {
      const OmModel model = ReadOm(ToBuffer(bytes), "test.om", {.check_weights = false});
      WriteOm(model);
    } catch (const Error&) {
    }
  };
  const bool all = std::getenv("OPENATC_FUZZ") != nullptr;
  for (const Partition* part : {model_def, tasks}) {
    for (size_t i = part->offset; i < part->offset + part->size; ++i) {
      std::vector<int> values = {i % 2 == 0 ? 0xFF : om[i] + 1};
      if (all) values.insert(values.end(), {0, 1, 0x7F, 0x80, om[i] - 1, om[i] ^ 8});
      for (const int value : values) {
        std::string bytes = om;
        bytes[i] = static_cast<char>(value);
        try_reading(std::move(bytes));
      }
    }
  }
}

TEST_CASE("a constant that repeats along axes is stored once") {
  OmModel model;
  model.name = "repeating";
  model.graph = std::make_unique<Graph>("repeating");
  Tensor filter = Tensor::Allocate(DT_FLOAT, {64, 32, 3, 3});
  for (int64_t i = 0; i < filter.NumElements(); ++i) filter.MutableData<float>()[i] = static_cast<float>(i / (32 * 9));
  const ValueId w = model.graph->AddConst("w", filter);
  model.graph->Add("NetOutput", "Node_Output", {w}, 0);
  const std::string bytes = WriteOm(model);
  CHECK(bytes.size() < 8192);  // 64 floats instead of 64 * 32 * 9
  const OmModel read = Read(bytes);
  const Tensor* value = read.graph->Constant(read.graph->Find("w")->outputs[0]);
  REQUIRE(value != nullptr);
  CHECK(BitEqual(value->Materialized(), filter));
  CHECK(WriteOm(read) == bytes);
}

}  // namespace
}  // namespace atc
