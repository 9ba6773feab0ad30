// The aclmdl calls over a model that is written here: what the C API itself does, apart from any executor.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "backend/executor/describe.h"
#include "backend/executor/model.h"
#include "backend/executor/observe.h"
#include "backend/executor/profile.h"
#include "backend/runtime/device.h"
#include "backend/runtime/stream.h"
#include "compiler/ir/error.h"
#include "test/backend/acl/fixture.h"

namespace {

// Adds 1 to each float of "x" (2 x 3) into output 0, and gives the second input, int32 of any length, back as output 1.
class AddOne : public atc::LoadedModel {
 public:
  AddOne(atc::ModelInfo info, const atc::LoadOptions& options) : info_(std::move(info)), device_(*options.device) {
    device_.Malloc(256, &arena_);
    ++alive;
  }
  ~AddOne() override {
    device_.Free(arena_);
    --alive;
  }

  const atc::ModelInfo& info() const override { return info_; }

  void Execute(std::span<const atc::TensorView> inputs, std::span<atc::TensorView> outputs,
               atc::runtime::Stream& stream) override {
    const int now = ++running;
    most_running = std::max(most_running, now);
    if (before_run) before_run();
    --running;
    const auto* x = static_cast<const float*>(inputs[0].data);
    for (int i = 0; i < 6; ++i) static_cast<float*>(outputs[0].data)[i] = x[i] + 1;
    outputs[0].shape = atc::Shape{2, 3};
    const size_t bytes = static_cast<size_t>(inputs[1].shape[0]) * 4;
    if (outputs[1].data == nullptr) {
      outputs[1].bytes = bytes;
      stream.device().Malloc(std::max<size_t>(bytes, 1), &outputs[1].data);
    }
    if (outputs[1].bytes < bytes) throw atc::Error::Internal("output 1 needs " + std::to_string(bytes) + " bytes");
    if (bytes > 0) std::memcpy(outputs[1].data, inputs[1].data, bytes);
    outputs[1].shape = inputs[1].shape;
    info_.peak_bytes = 4096;
    if (profile_ == nullptr) return;
    profile_->spans.push_back({profile_->runs, 0, 2, 20, 30});
    profile_->spans.push_back({profile_->runs++, 1, 1, 10, 15});
  }

  void SetProfile(atc::RunProfile* profile) override {
    profile_ = profile;
    if (profile == nullptr) return;
    profile->tasks.resize(2);
    profile->tasks[0].op_name = "add";
    profile->tasks[0].input_shapes = "2,3";
    profile->tasks[1].kind = atc::SpanKind::kWait;
    profile->tasks[1].event = 7;
  }

  void SetObserver(atc::NodeObserver) override {}

  static inline int alive = 0;
  static inline std::atomic<int> running{0};
  static inline int most_running = 0;
  static inline std::function<void()> before_run;

 private:
  atc::ModelInfo info_;
  atc::runtime::Device& device_;
  void* arena_ = nullptr;
  atc::RunProfile* profile_ = nullptr;
};

const std::string kLongName(200, 'n');

atc::ModelInfo Signature(const std::string& text, bool* own) {
  if (text.rfind("model", 0) != 0) throw atc::Error::Internal("this is no om");
  if (own != nullptr) *own = text != "model of others";
  atc::ModelInfo info;
  info.name = "m";
  info.inputs = {{"x", atc::DT_FLOAT, atc::FORMAT_ND, atc::Shape{2, 3}, {}, 24},
                 {"n", atc::DT_INT32, atc::FORMAT_ND, atc::Shape{-1}, {{1, 16}}, 64}};
  info.outputs = {{"add:0:y", atc::DT_FLOAT, atc::FORMAT_ND, atc::Shape{2, 3}, {}, 24},
                  {kLongName, atc::DT_INT32, atc::FORMAT_ND, atc::Shape{-1}, {}, 64}};
  if (text.find("fixed") != std::string::npos) {
    info.inputs[1] = {"n", atc::DT_INT32, atc::FORMAT_ND, atc::Shape{3}, {}, 12};
    info.outputs[1] = {"same", atc::DT_INT32, atc::FORMAT_ND, atc::Shape{3}, {}, 12};
  }
  info.arena_bytes = 512;
  info.weight_bytes = 100;
  info.prepared_weight_bytes = 50;
  info.streams = 2;
  info.events = 3;
  info.tasks = 4;
  return info;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string TextOf(std::span<const std::byte> memory) {
  return std::string(reinterpret_cast<const char*>(memory.data()), memory.size());
}

std::shared_ptr<atc::LoadedModel> Make(const std::string& text, const atc::LoadOptions& options) {
  bool own = false;
  atc::ModelInfo info = Signature(text, &own);
  if (!own) throw atc::Error::Internal("not ours");
  return std::make_shared<AddOne>(std::move(info), options);
}

}  // namespace

namespace atc {

std::shared_ptr<LoadedModel> LoadedModel::Load(const std::string& path, const LoadOptions& options) {
  return Make(ReadFile(path), options);
}
std::shared_ptr<LoadedModel> LoadedModel::Load(std::span<const std::byte> memory, const LoadOptions& options) {
  return Make(TextOf(memory), options);
}
std::string_view FastKernelName(std::string_view op_type) { return op_type == "Conv2D" ? "conv" : ""; }
ModelInfo LoadedModel::Describe(const std::string& path, bool* own) { return Signature(ReadFile(path), own); }
bool LoadedModel::IsOwn(const std::string& path) {
  bool own = false;
  Describe(path, &own);
  return own;
}
ModelInfo LoadedModel::Describe(std::span<const std::byte> memory, bool* own) { return Signature(TextOf(memory), own); }

}  // namespace atc

namespace {

constexpr char kModel[] = "model";

struct ModelFixture : DeviceFixture {
  ModelFixture() {
    REQUIRE(aclmdlLoadFromMem(kModel, 5, &id) == ACL_SUCCESS);
    desc = aclmdlCreateDesc();
    REQUIRE(aclmdlGetDesc(desc, id) == ACL_SUCCESS);
  }
  ~ModelFixture() {
    AddOne::before_run = nullptr;
    aclmdlDestroyDesc(desc);
    aclmdlUnload(id);
  }
  uint32_t id = 0;
  aclmdlDesc* desc = nullptr;
};

// Buffers in device memory, and their dataset.
struct Set {
  explicit Set(std::vector<size_t> sizes) : dataset(aclmdlCreateDataset()) {
    for (const size_t size : sizes) {
      memory.push_back(size == 0 ? nullptr : std::make_unique<DeviceMemory>(size));
      buffers.push_back(aclCreateDataBuffer(size == 0 ? nullptr : memory.back()->data, size));
      REQUIRE(aclmdlAddDatasetBuffer(dataset, buffers.back()) == ACL_SUCCESS);
    }
  }
  ~Set() {
    for (aclDataBuffer* buffer : buffers) aclDestroyDataBuffer(buffer);
    aclmdlDestroyDataset(dataset);
  }
  void SetShape(size_t index, std::vector<int64_t> dims) {
    aclTensorDesc* desc = aclCreateTensorDesc(ACL_INT32, static_cast<int>(dims.size()), dims.data(), ACL_FORMAT_ND);
    REQUIRE(aclmdlSetDatasetTensorDesc(dataset, desc, index) == ACL_SUCCESS);
    aclDestroyTensorDesc(desc);
  }
  template <class T>
  void Fill(size_t index, const std::vector<T>& values) {
    REQUIRE(aclrtMemcpy(memory[index]->data, memory[index]->bytes, values.data(), values.size() * sizeof(T),
                        ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS);
  }
  template <class T>
  std::vector<T> Read(size_t index, size_t count) {
    std::vector<T> values(count);
    REQUIRE(aclrtMemcpy(values.data(), count * sizeof(T), aclGetDataBufferAddr(buffers[index]), count * sizeof(T),
                        ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS);
    return values;
  }

  aclmdlDataset* dataset;
  std::vector<std::unique_ptr<DeviceMemory>> memory;
  std::vector<aclDataBuffer*> buffers;
};

std::string LastError() {
  const char* text = aclGetRecentErrMsg();
  return text == nullptr ? "" : text;
}

}  // namespace

TEST_CASE("a description says what the model takes and gives") {
  ModelFixture f;
  CHECK(aclmdlGetNumInputs(f.desc) == 2);
  CHECK(aclmdlGetNumOutputs(f.desc) == 2);
  CHECK(aclmdlGetInputSizeByIndex(f.desc, 0) == 24);
  CHECK(aclmdlGetInputSizeByIndex(f.desc, 2) == 0);
  CHECK(aclmdlGetOutputSizeByIndex(f.desc, 1) == 64);
  CHECK(std::string(aclmdlGetInputNameByIndex(f.desc, 1)) == "n");
  CHECK(std::string(aclmdlGetOutputNameByIndex(f.desc, 0)) == "add:0:y");
  CHECK(std::string(aclmdlGetOutputNameByIndex(f.desc, 9)).empty());
  CHECK(aclmdlGetInputDataType(f.desc, 1) == ACL_INT32);
  CHECK(aclmdlGetOutputDataType(f.desc, 9) == ACL_DT_UNDEFINED);
  CHECK(aclmdlGetInputFormat(f.desc, 0) == ACL_FORMAT_ND);
  CHECK(aclmdlGetOutputFormat(f.desc, 9) == ACL_FORMAT_UNDEFINED);
  size_t index = 9;
  CHECK(aclmdlGetInputIndexByName(f.desc, "n", &index) == ACL_SUCCESS);
  CHECK(index == 1);
  CHECK(aclmdlGetOutputIndexByName(f.desc, "nowhere", &index) == ACL_ERROR_INVALID_PARAM);

  aclmdlIODims dims;
  CHECK(aclmdlGetInputDims(f.desc, 0, &dims) == ACL_SUCCESS);
  CHECK(std::string(dims.name) == "x");
  REQUIRE(dims.dimCount == 2);
  CHECK(dims.dims[0] == 2);
  CHECK(dims.dims[1] == 3);
  CHECK(aclmdlGetOutputDims(f.desc, 1, &dims) == ACL_SUCCESS);
  CHECK(dims.dims[0] == -1);
  const std::string synthetic = dims.name;
  CHECK(synthetic == "acl_modelId_" + std::to_string(f.id) + "_output_1");
  CHECK(std::string(aclmdlGetTensorRealName(f.desc, synthetic.c_str())) == kLongName);
  CHECK(std::string(aclmdlGetTensorRealName(f.desc, "x")) == "x");
  CHECK(aclmdlGetTensorRealName(f.desc, "nowhere") == nullptr);
  CHECK(aclmdlGetCurOutputDims(f.desc, 0, &dims) == ACL_SUCCESS);
  CHECK(aclmdlGetCurOutputDims(f.desc, 1, &dims) == ACL_ERROR_API_NOT_SUPPORT);
  CHECK(aclmdlGetInputDims(f.desc, 2, &dims) == ACL_ERROR_INVALID_PARAM);
  aclmdlIODimsRange range;
  CHECK(aclmdlGetInputDimsRange(f.desc, 1, &range) == ACL_SUCCESS);
  REQUIRE(range.rangeCount == 1);
  CHECK(range.range[0][0] == 1);
  CHECK(range.range[0][1] == 16);
  CHECK(aclmdlGetInputDimsRange(f.desc, 0, &range) == ACL_SUCCESS);
  CHECK(range.range[1][0] == 3);
  CHECK(range.range[1][1] == 3);
}

TEST_CASE("descriptions: empty, stale, of an unknown model") {
  ModelFixture f;
  aclmdlDesc* empty = aclmdlCreateDesc();
  CHECK(aclmdlGetNumInputs(empty) == 0);
  CHECK(aclmdlGetDesc(empty, 99999) == static_cast<aclError>(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID));
  CHECK(aclmdlDestroyDesc(empty) == ACL_SUCCESS);
  CHECK(aclmdlDestroyDesc(empty) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclmdlGetNumInputs(empty) == 0);
  CHECK(aclmdlGetNumInputs(nullptr) == 0);
  CHECK(aclmdlUnload(f.id) == ACL_SUCCESS);
  CHECK(aclmdlGetInputSizeByIndex(f.desc, 0) == 24);  // outlives the model
  CHECK(aclmdlUnload(f.id) == static_cast<aclError>(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID));
}

TEST_CASE("loading: paths, memory, sizes") {
  DeviceFixture fixture;
  const std::string path = "/tmp/openatc_acl_model_" + std::to_string(getpid());
  auto write = [&](const char* text) { std::ofstream(path) << text; };
  uint32_t id = 0;
  const auto kPath = static_cast<aclError>(ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID);
  const auto kParam = static_cast<aclError>(ACL_ERROR_GE_PARAM_INVALID);
  CHECK(aclmdlLoadFromFile(nullptr, &id) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclmdlLoadFromFile("/no/such/model.om", &id) == kPath);
  CHECK(aclmdlLoadFromFile("/tmp", &id) == kPath);
  CHECK(aclmdlLoadFromMem(nullptr, 5, &id) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclmdlLoadFromMem(kModel, 0, &id) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclmdlLoadFromMem(kModel, 5, nullptr) == ACL_ERROR_INVALID_PARAM);
  int32_t own = -1;
  write("text");
  LastError();
  CHECK(aclmdlLoadFromFile(path.c_str(), &id) == kParam);
  CHECK(LastError().find("this is no om") != std::string::npos);
  CHECK(openatcIsOwnModel(path.c_str(), &own) == ACL_ERROR_PARSE_MODEL);
  CHECK(openatcIsOwnModel("/no/such/model.om", &own) == ACL_ERROR_INVALID_FILE);
  write("model of others");
  CHECK(openatcIsOwnModel(path.c_str(), &own) == ACL_SUCCESS);
  CHECK(own == 0);
  CHECK(aclmdlLoadFromFile(path.c_str(), &id) == kParam);
  write("model");
  CHECK(openatcIsOwnModel(path.c_str(), &own) == ACL_SUCCESS);
  CHECK(own == 1);
  size_t work = 0, weight = 0;
  CHECK(aclmdlQuerySize(path.c_str(), &work, &weight) == ACL_SUCCESS);
  CHECK(work == 512);
  CHECK(weight == 100);
  CHECK(aclmdlQuerySizeFromMem(kModel, 5, &work, nullptr) == ACL_ERROR_INVALID_PARAM);

  {
    DeviceMemory memory(512), weights(100);
    int host[256];
    CHECK(aclmdlLoadFromFileWithMem(path.c_str(), &id, memory.data, 511, nullptr, 0) == kParam);
    CHECK(aclmdlLoadFromFileWithMem(path.c_str(), &id, memory.data, 512, weights.data, 99) == kParam);
    CHECK(aclmdlLoadFromMemWithMem(kModel, 5, &id, host, 512, nullptr, 0) ==
          static_cast<aclError>(ACL_ERROR_GE_EXEC_MODEL_ADDR_INVALID));
    CHECK(AddOne::alive == 0);
    REQUIRE(aclmdlLoadFromFileWithMem(path.c_str(), &id, memory.data, 512, weights.data, 100) == ACL_SUCCESS);
    CHECK(aclmdlUnload(id) == ACL_SUCCESS);
  }
  REQUIRE(aclmdlLoadFromFile(path.c_str(), &id) == ACL_SUCCESS);
  CHECK(AddOne::alive == 1);
  openatcModelStats stats = {};
  CHECK(openatcGetModelStats(id, &stats, sizeof(stats)) == ACL_SUCCESS);
  CHECK(stats.arenaBytes == 512);
  CHECK(stats.preparedWeightBytes == 50);
  CHECK(stats.streamCount == 2);
  CHECK(stats.eventCount == 3);
  CHECK(stats.taskCount == 4);
  aclDataType precision = ACL_FLOAT;
  CHECK(openatcGetOutputPrecision(id, 0, &precision) == ACL_SUCCESS);
  CHECK(precision == ACL_DT_UNDEFINED);  // this model's signature tells none
  CHECK(openatcGetOutputPrecision(id, 99, &precision) == ACL_ERROR_INVALID_PARAM);
  CHECK(openatcGetOutputPrecision(id, 0, nullptr) == ACL_ERROR_INVALID_PARAM);
  openatcModelStats part = {};
  CHECK(openatcGetModelStats(id, &part, 8) == ACL_SUCCESS);
  CHECK(part.arenaBytes == 512);
  CHECK(part.weightBytes == 0);
  CHECK(aclrtResetDevice(0) == ACL_SUCCESS);  // takes the model along
  CHECK(AddOne::alive == 0);
  CHECK(aclmdlLoadFromFile(path.c_str(), &id) == ACL_ERROR_RT_CONTEXT_NULL);
  std::remove(path.c_str());
}

TEST_CASE("loading a model that is compiled in memory") {
  DeviceFixture fixture;
  aclmdlModel model = nullptr;
  CHECK(openatcCreateModel("text", 4, &model) == 145000);
  CHECK(openatcCreateModel(nullptr, 4, &model) == 100000);
  CHECK(openatcCreateModel(kModel, 5, nullptr) == 100000);
  REQUIRE(openatcCreateModel(kModel, 5, &model) == ACL_SUCCESS);
  aclmdlConfigHandle* config = aclmdlCreateConfigHandle();
  uint32_t id = 0;
  CHECK(aclmdlLoadFromModel(nullptr, config, &id) == 100000);
  CHECK(aclmdlLoadFromModel(&model, nullptr, &id) == 100000);
  CHECK(aclmdlLoadFromModel(&model, config, nullptr) == 100000);
  aclmdlModel none = nullptr;
  CHECK(aclmdlLoadFromModel(&none, config, &id) == 100000);
  REQUIRE(aclmdlLoadFromModel(&model, config, &id) == ACL_SUCCESS);  // nothing needs to be set
  CHECK(AddOne::alive == 1);
  Set in({24, 64}), out({24, 64});
  in.Fill<float>(0, {1, 2, 3, 4, 5, 6});
  in.SetShape(1, {3});
  REQUIRE(aclmdlExecute(id, in.dataset, out.dataset) == ACL_SUCCESS);
  CHECK(out.Read<float>(0, 6) == std::vector<float>{2, 3, 4, 5, 6, 7});
  CHECK(aclmdlUnload(id) == ACL_SUCCESS);

  // Options of priority and memory hold, those of another source are refused.
  const auto set = [&](aclmdlConfigAttr attr, auto value) {
    REQUIRE(aclmdlSetConfigOpt(config, attr, &value, sizeof value) == ACL_SUCCESS);
  };
  DeviceMemory work(512);
  set(ACL_MDL_WORKSPACE_ADDR_PTR, work.data);
  set(ACL_MDL_WORKSPACE_SIZET, size_t{511});
  CHECK(aclmdlLoadFromModel(&model, config, &id) == 145000);
  set(ACL_MDL_WORKSPACE_SIZET, size_t{512});
  set(ACL_MDL_PRIORITY_INT32, int32_t{8});
  CHECK(aclmdlLoadFromModel(&model, config, &id) == 100000);
  set(ACL_MDL_PRIORITY_INT32, int32_t{3});
  set(ACL_MDL_LOAD_TYPE_SIZET, size_t{ACL_MDL_LOAD_FROM_FILE});
  CHECK(aclmdlLoadFromModel(&model, config, &id) == 100000);
  set(ACL_MDL_LOAD_TYPE_SIZET, size_t{ACL_MDL_LOAD_FROM_MEM_WITH_MEM});
  REQUIRE(aclmdlLoadFromModel(&model, config, &id) == ACL_SUCCESS);
  aclmdlAttrValue_t value = {};
  CHECK(aclmdlGetAttribute(id, ACL_MDL_ATTR_PRIORITY_INT32, &value) == ACL_SUCCESS);
  CHECK(value.mdlPriority == 3);

  CHECK(openatcDestroyModel(&model) == ACL_SUCCESS);
  CHECK(openatcDestroyModel(&model) == 100000);
  CHECK(openatcDestroyModel(nullptr) == 100000);
  CHECK(aclmdlLoadFromModel(&model, config, &id) == 100000);
  CHECK(aclmdlExecute(id, in.dataset, out.dataset) == ACL_SUCCESS);  // outlives what it came from
  CHECK(aclmdlUnload(id) == ACL_SUCCESS);
  CHECK(aclmdlDestroyConfigHandle(config) == ACL_SUCCESS);
  CHECK(AddOne::alive == 0);
}

TEST_CASE("a synchronous run") {
  ModelFixture f;
  Set in({24, 64}), out({24, 64});
  in.Fill<float>(0, {1, 2, 3, 4, 5, 6});
  in.Fill<int32_t>(1, {7, 8, 9});
  CHECK(aclmdlExecute(f.id, in.dataset, out.dataset) == static_cast<aclError>(ACL_ERROR_GE_SHAPE_INVALID));
  CHECK(LastError().find("'n'") != std::string::npos);
  in.SetShape(1, {3});
  REQUIRE(aclmdlExecute(f.id, in.dataset, out.dataset) == ACL_SUCCESS);
  CHECK(out.Read<float>(0, 6) == std::vector<float>{2, 3, 4, 5, 6, 7});
  CHECK(out.Read<int32_t>(1, 3) == std::vector<int32_t>{7, 8, 9});
  aclTensorDesc* produced = aclmdlGetDatasetTensorDesc(out.dataset, 1);
  REQUIRE(produced != nullptr);
  CHECK(aclGetTensorDescNumDims(produced) == 1);
  CHECK(aclGetTensorDescDim(produced, 0) == 3);
  CHECK(aclGetTensorDescType(produced) == ACL_INT32);
  in.SetShape(1, {2});
  REQUIRE(aclmdlExecute(f.id, in.dataset, out.dataset) == ACL_SUCCESS);
  CHECK(aclGetTensorDescDim(produced, 0) == 2);  // the same description, brought up to date
  openatcModelStats stats = {};
  CHECK(openatcGetModelStats(f.id, &stats, sizeof(stats)) == ACL_SUCCESS);
  CHECK(stats.peakBytes == 4096);
}

// Runs of known shapes are prepared once: whatever a program changes in between must be seen by the next one.
struct FixedFixture : DeviceFixture {
  FixedFixture() {
    REQUIRE(aclmdlLoadFromMem("model fixed", 11, &id) == ACL_SUCCESS);
    in.Fill<float>(0, {1, 2, 3, 4, 5, 6});
    in.Fill<int32_t>(1, {7, 8, 9});
    for (int i = 0; i < 2; ++i) REQUIRE(Execute() == ACL_SUCCESS);
  }
  ~FixedFixture() { aclmdlUnload(id); }
  int Execute() { return aclmdlExecute(id, in.dataset, out.dataset); }

  uint32_t id = 0;
  Set in{{24, 12}}, out{{24, 12}};
};

TEST_CASE("prepared runs: contents and addresses may change") {
  FixedFixture f;
  f.in.Fill<float>(0, {10, 20, 30, 40, 50, 60});
  REQUIRE(f.Execute() == ACL_SUCCESS);
  CHECK(f.out.Read<float>(0, 6) == std::vector<float>{11, 21, 31, 41, 51, 61});
  CHECK(f.out.Read<int32_t>(1, 3) == std::vector<int32_t>{7, 8, 9});
  DeviceMemory x(24), y(24);
  REQUIRE(aclrtMemset(x.data, 24, 0, 24) == ACL_SUCCESS);
  CHECK(aclUpdateDataBuffer(f.in.buffers[0], x.data, 24) == ACL_SUCCESS);
  CHECK(aclUpdateDataBuffer(f.out.buffers[0], y.data, 24) == ACL_SUCCESS);
  REQUIRE(f.Execute() == ACL_SUCCESS);
  CHECK(f.out.Read<float>(0, 6) == std::vector<float>(6, 1));
  // Another dataset, then this one again.
  Set other({24, 12});
  REQUIRE(aclmdlExecute(f.id, f.in.dataset, other.dataset) == ACL_SUCCESS);
  CHECK(other.Read<float>(0, 6) == std::vector<float>(6, 1));
  REQUIRE(aclrtMemset(y.data, 24, 0, 24) == ACL_SUCCESS);
  REQUIRE(f.Execute() == ACL_SUCCESS);
  CHECK(f.out.Read<float>(0, 6) == std::vector<float>(6, 1));
}

TEST_CASE("prepared runs: buffers that shrink or lose their memory are refused") {
  FixedFixture f;
  for (Set* set : {&f.in, &f.out}) {
    CHECK(aclUpdateDataBuffer(set->buffers[0], set->memory[0]->data, 23) == ACL_SUCCESS);
    LastError();
    CHECK(f.Execute() == 145000);
    CHECK(LastError().find("23 bytes") != std::string::npos);
    CHECK(aclUpdateDataBuffer(set->buffers[0], nullptr, 24) == ACL_SUCCESS);
    CHECK(f.Execute() == 100000);
    CHECK(aclUpdateDataBuffer(set->buffers[0], set->memory[0]->data, 24) == ACL_SUCCESS);
    CHECK(f.Execute() == ACL_SUCCESS);
    // Freed behind the buffer's back.
    REQUIRE(aclrtFree(set->memory[0]->data) == ACL_SUCCESS);
    CHECK(f.Execute() == 145007);
    CHECK(f.Execute() == 145007);
    REQUIRE(aclrtMalloc(&set->memory[0]->data, 24, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
    CHECK(aclUpdateDataBuffer(set->buffers[0], set->memory[0]->data, 24) == ACL_SUCCESS);
    CHECK(f.Execute() == ACL_SUCCESS);
  }
}

TEST_CASE("prepared runs: descriptions come back after they were destroyed") {
  FixedFixture f;
  aclTensorDesc* desc = aclmdlGetDatasetTensorDesc(f.out.dataset, 1);
  REQUIRE(desc != nullptr);
  CHECK(f.Execute() == ACL_SUCCESS);
  CHECK(aclmdlGetDatasetTensorDesc(f.out.dataset, 1) == desc);
  aclDestroyTensorDesc(desc);
  CHECK(f.Execute() == ACL_SUCCESS);
  aclTensorDesc* anew = aclmdlGetDatasetTensorDesc(f.out.dataset, 1);
  CHECK(anew != desc);
  CHECK(aclGetTensorDescType(anew) == ACL_INT32);
  CHECK(aclGetTensorDescDim(anew, 0) == 3);
  CHECK(aclmdlSetDatasetTensorDesc(f.out.dataset, nullptr, 1) == ACL_SUCCESS);
  CHECK(f.Execute() == ACL_SUCCESS);
  CHECK(aclGetTensorDescDim(aclmdlGetDatasetTensorDesc(f.out.dataset, 1), 0) == 3);
  // A shape set for an input is judged although the model's is known.
  f.in.SetShape(1, {4});
  CHECK(f.Execute() == 145021);
  f.in.SetShape(1, {3});
  CHECK(f.Execute() == ACL_SUCCESS);
}

TEST_CASE("prepared runs: datasets that grow or go, models that were unloaded") {
  FixedFixture f;
  // A data buffer may be destroyed: the dataset keeps what it named.
  CHECK(aclDestroyDataBuffer(f.in.buffers[1]) == ACL_SUCCESS);
  CHECK(f.Execute() == ACL_SUCCESS);
  f.in.buffers.pop_back();
  aclmdlDataset* gone = aclmdlCreateDataset();
  for (aclDataBuffer* buffer : f.out.buffers) REQUIRE(aclmdlAddDatasetBuffer(gone, buffer) == ACL_SUCCESS);
  for (int i = 0; i < 2; ++i) CHECK(aclmdlExecute(f.id, f.in.dataset, gone) == ACL_SUCCESS);
  CHECK(aclmdlDestroyDataset(gone) == ACL_SUCCESS);
  CHECK(aclmdlExecute(f.id, f.in.dataset, gone) == 100000);
  CHECK(f.Execute() == ACL_SUCCESS);
  CHECK(aclmdlAddDatasetBuffer(f.in.dataset, f.in.buffers[0]) == ACL_SUCCESS);  // one too many
  CHECK(f.Execute() == 145000);

  Set in({24, 12});
  for (int i = 0; i < 2; ++i) CHECK(aclmdlExecute(f.id, in.dataset, f.out.dataset) == ACL_SUCCESS);
  CHECK(aclmdlUnload(f.id) == ACL_SUCCESS);
  for (int i = 0; i < 2; ++i) CHECK(aclmdlExecute(f.id, in.dataset, f.out.dataset) == 145003);
  uint32_t other = 0;
  REQUIRE(aclmdlLoadFromMem("model fixed", 11, &other) == ACL_SUCCESS);
  CHECK(aclmdlExecute(other, in.dataset, f.out.dataset) == ACL_SUCCESS);
  CHECK(aclmdlUnload(other) == ACL_SUCCESS);
}

TEST_CASE("an output without memory is allocated, and is the caller's") {
  ModelFixture f;
  Set in({24, 64}), out({24, 0});
  in.Fill<int32_t>(1, {7, 8, 9, 10});
  in.SetShape(1, {4});
  openatcMemoryStats before = {}, after = {};
  openatcGetMemoryStats(&before, sizeof(before));
  REQUIRE(aclmdlExecute(f.id, in.dataset, out.dataset) == ACL_SUCCESS);
  CHECK(aclGetDataBufferSizeV2(out.buffers[1]) == 16);
  CHECK(out.Read<int32_t>(1, 4) == std::vector<int32_t>{7, 8, 9, 10});
  CHECK(aclrtFree(aclGetDataBufferAddr(out.buffers[1])) == ACL_SUCCESS);
  openatcGetMemoryStats(&after, sizeof(after));
  CHECK(before.deviceBytes == after.deviceBytes);
  CHECK(before.deviceCount == after.deviceCount);
}

TEST_CASE("a run with wrong datasets is refused") {
  ModelFixture f;
  Set in({24, 64}), out({24, 64}), one({24}), small({23, 64}), few({24, 8});
  const auto kParam = static_cast<aclError>(ACL_ERROR_GE_PARAM_INVALID);
  in.SetShape(1, {3});
  CHECK(aclmdlExecute(f.id, nullptr, out.dataset) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclmdlExecute(f.id, in.dataset, nullptr) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclmdlExecute(99999, in.dataset, out.dataset) == static_cast<aclError>(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID));
  CHECK(aclmdlExecute(f.id, one.dataset, out.dataset) == kParam);
  CHECK(aclmdlExecute(f.id, in.dataset, one.dataset) == kParam);
  small.SetShape(1, {3});
  LastError();
  CHECK(aclmdlExecute(f.id, small.dataset, out.dataset) == kParam);
  const std::string text = LastError();
  CHECK(text.find("'x'") != std::string::npos);
  CHECK(text.find("23") != std::string::npos);
  CHECK(text.find("24") != std::string::npos);
  CHECK(aclmdlExecute(f.id, in.dataset, few.dataset) == kParam);  // found by the model, in the run
  CHECK(LastError().find("12 bytes") != std::string::npos);
  in.SetShape(1, {INT64_MAX});
  CHECK(aclmdlExecute(f.id, in.dataset, out.dataset) == static_cast<aclError>(ACL_ERROR_GE_SHAPE_INVALID));
  in.SetShape(1, {3, 1});
  CHECK(aclmdlExecute(f.id, in.dataset, out.dataset) == static_cast<aclError>(ACL_ERROR_GE_SHAPE_INVALID));
  in.SetShape(1, {-1});
  CHECK(aclmdlExecute(f.id, in.dataset, out.dataset) == static_cast<aclError>(ACL_ERROR_GE_SHAPE_INVALID));
  in.SetShape(1, {3});

  float host[6];
  CHECK(aclUpdateDataBuffer(in.buffers[0], host, 24) == ACL_SUCCESS);
  CHECK(aclmdlExecute(f.id, in.dataset, out.dataset) == static_cast<aclError>(ACL_ERROR_GE_EXEC_MODEL_ADDR_INVALID));
  CHECK(aclUpdateDataBuffer(in.buffers[0], nullptr, 0) == ACL_SUCCESS);
  CHECK(aclmdlExecute(f.id, in.dataset, out.dataset) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclUpdateDataBuffer(in.buffers[0], in.memory[0]->data, 2400) == ACL_SUCCESS);
  CHECK(aclmdlExecute(f.id, in.dataset, out.dataset) == static_cast<aclError>(ACL_ERROR_GE_EXEC_MODEL_ADDR_INVALID));
}

TEST_CASE("an asynchronous run keeps to its stream, and its fault surfaces there") {
  ModelFixture f;
  Set in({24, 64}), out({24, 64}), few({24, 8});
  in.SetShape(1, {3});
  aclrtStream stream = nullptr;
  REQUIRE(aclrtCreateStream(&stream) == ACL_SUCCESS);
  void* pinned = nullptr;
  REQUIRE(aclrtMallocHost(&pinned, 24) == ACL_SUCCESS);
  for (int i = 0; i < 6; ++i) static_cast<float*>(pinned)[i] = static_cast<float>(i);
  REQUIRE(aclrtMemcpyAsync(in.memory[0]->data, 24, pinned, 24, ACL_MEMCPY_HOST_TO_DEVICE, stream) == ACL_SUCCESS);
  REQUIRE(aclmdlExecuteAsync(f.id, in.dataset, out.dataset, stream) == ACL_SUCCESS);
  REQUIRE(aclrtMemcpyAsync(pinned, 24, out.memory[0]->data, 24, ACL_MEMCPY_DEVICE_TO_HOST, stream) == ACL_SUCCESS);
  REQUIRE(aclrtSynchronizeStream(stream) == ACL_SUCCESS);
  for (int i = 0; i < 6; ++i) CHECK(static_cast<float*>(pinned)[i] == static_cast<float>(i + 1));
  CHECK(aclGetTensorDescDim(aclmdlGetDatasetTensorDesc(out.dataset, 1), 0) == 3);

  REQUIRE(aclmdlExecuteAsync(f.id, in.dataset, few.dataset, stream) == ACL_SUCCESS);
  LastError();
  CHECK(aclrtSynchronizeStream(stream) == ACL_ERROR_RT_MODEL_EXECUTE);
  CHECK(LastError().find("12 bytes") != std::string::npos);
  CHECK(aclrtSynchronizeStream(stream) == ACL_SUCCESS);
  Set none({24, 0});
  CHECK(aclmdlExecuteAsync(f.id, in.dataset, none.dataset, stream) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtFreeHost(pinned) == ACL_SUCCESS);
  CHECK(aclrtDestroyStream(stream) == ACL_SUCCESS);
}

TEST_CASE("runs of one model exclude each other, and unloading waits for one and drops the rest") {
  ModelFixture f;
  AddOne::most_running = 0;
  aclrtStream streams[3] = {};
  Set in({24, 64});
  in.SetShape(1, {1});
  std::vector<std::unique_ptr<Set>> outs;
  for (aclrtStream& stream : streams) {
    REQUIRE(aclrtCreateStream(&stream) == ACL_SUCCESS);
    outs.push_back(std::make_unique<Set>(std::vector<size_t>{24, 64}));
  }
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 3; ++i) {
      REQUIRE(aclmdlExecuteAsync(f.id, in.dataset, outs[i]->dataset, streams[i]) == ACL_SUCCESS);
    }
  }
  CHECK(aclrtSynchronizeDevice() == ACL_SUCCESS);
  CHECK(AddOne::most_running == 1);

  std::mutex mutex;
  std::condition_variable changed;
  bool started = false, go = false;
  AddOne::before_run = [&] {
    std::unique_lock lock(mutex);
    started = true;
    changed.notify_all();
    changed.wait(lock, [&] { return go; });
  };
  for (int i = 0; i < 2; ++i) {
    REQUIRE(aclmdlExecuteAsync(f.id, in.dataset, outs[0]->dataset, streams[0]) == ACL_SUCCESS);
  }
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return started; });
  }
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::lock_guard lock(mutex);
    go = true;
    changed.notify_all();
  });
  CHECK(aclmdlUnload(f.id) == ACL_SUCCESS);
  opener.join();
  CHECK(AddOne::alive == 0);
  // The second run came too late, or just in time between the first and the unloading.
  const aclError code = aclrtSynchronizeStream(streams[0]);
  CHECK((code == ACL_SUCCESS || code == static_cast<aclError>(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID)));
}

TEST_CASE("datasets: order, descriptions, stale handles") {
  DeviceFixture fixture;
  Set set({16, 32});
  CHECK(aclmdlGetDatasetNumBuffers(set.dataset) == 2);
  CHECK(aclmdlGetDatasetBuffer(set.dataset, 1) == set.buffers[1]);
  CHECK(aclmdlGetDatasetBuffer(set.dataset, 2) == nullptr);
  CHECK(aclmdlGetDatasetTensorDesc(set.dataset, 0) == nullptr);
  set.SetShape(0, {4});
  aclTensorDesc* kept = aclmdlGetDatasetTensorDesc(set.dataset, 0);
  CHECK(aclGetTensorDescDim(kept, 0) == 4);
  CHECK(aclmdlSetDatasetTensorDesc(set.dataset, nullptr, 0) == ACL_SUCCESS);
  CHECK(aclmdlGetDatasetTensorDesc(set.dataset, 0) == nullptr);
  CHECK(aclGetTensorDescDim(kept, 0) == -1);
  CHECK(aclmdlSetDatasetTensorDesc(set.dataset, nullptr, 2) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclmdlAddDatasetBuffer(set.dataset, nullptr) == ACL_ERROR_INVALID_PARAM);
  aclmdlDataset* other = aclmdlCreateDataset();
  CHECK(aclmdlDestroyDataset(other) == ACL_SUCCESS);
  CHECK(aclmdlDestroyDataset(other) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclmdlDestroyDataset(nullptr) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclmdlAddDatasetBuffer(other, set.buffers[0]) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclmdlGetDatasetNumBuffers(other) == 0);
}

TEST_CASE("a profile holds the tasks of each run in the order in which they began") {
  ModelFixture f;
  openatcProfile* profile = nullptr;
  CHECK(openatcStopProfile(f.id, &profile) == ACL_ERROR_INVALID_PARAM);
  REQUIRE(openatcStartProfile(f.id) == ACL_SUCCESS);
  CHECK(openatcStartProfile(f.id) == ACL_ERROR_INVALID_PARAM);
  Set inputs({24, 8}), outputs({24, 8});
  inputs.SetShape(1, {2});
  for (int run = 0; run < 2; ++run) REQUIRE(aclmdlExecute(f.id, inputs.dataset, outputs.dataset) == ACL_SUCCESS);
  REQUIRE(openatcStopProfile(f.id, &profile) == ACL_SUCCESS);
  REQUIRE(aclmdlExecute(f.id, inputs.dataset, outputs.dataset) == ACL_SUCCESS);
  REQUIRE(openatcGetNumTaskRecords(profile) == 4);
  openatcTaskRecord record = {};
  REQUIRE(openatcGetTaskRecord(profile, 0, &record, sizeof record) == ACL_SUCCESS);
  CHECK(record.kind == OPENATC_TASK_EVENT_WAIT);
  CHECK(record.eventId == 7);
  CHECK(record.startNs == 10);
  REQUIRE(openatcGetTaskRecord(profile, 3, &record, sizeof record) == ACL_SUCCESS);
  CHECK(record.kind == OPENATC_TASK_KERNEL);
  CHECK(record.run == 1);
  CHECK(record.cores == 2);
  CHECK(record.endNs == 30);
  CHECK(std::string(record.opName) == "add");
  CHECK(std::string(record.inputShapes) == "2,3");
  CHECK(openatcGetTaskRecord(profile, 4, &record, sizeof record) == ACL_ERROR_INVALID_PARAM);
  CHECK(openatcDestroyProfile(profile) == ACL_SUCCESS);
  CHECK(openatcDestroyProfile(profile) == ACL_ERROR_INVALID_PARAM);
  CHECK(openatcGetNumTaskRecords(profile) == 0);
  CHECK(openatcGetTaskRecord(profile, 0, &record, sizeof record) == ACL_ERROR_INVALID_PARAM);
}
