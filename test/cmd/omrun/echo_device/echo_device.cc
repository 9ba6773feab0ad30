// An ACL library that runs one kind of model: output i is input i. It lets the tests see how omrun deals with any
// library that speaks ACL, OpenATC's extensions absent, and with each way in which a device may answer.
//
// A model is a text file: "IMOD", then lines of
//   input NAME TYPE DIM...     output NAME TYPE DIM...     (TYPE by its ACL number; DIM -1 is unknown)
//   gear batch N | gear hw H W | gear dims DIM...     one of the gears that the last input chooses among
//   sleep MS     every run takes so long
//   fail LOAD|RUN CODE TEXT...     that call fails so
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"

struct aclDataBuffer {
  void* data;
  size_t size;
};

struct aclTensorDesc {
  std::vector<int64_t> dims;
};

struct aclmdlDataset {
  std::vector<aclDataBuffer*> buffers;
  std::vector<aclTensorDesc*> set;    // the caller's
  std::vector<aclTensorDesc> result;  // of the last run
};

namespace {

struct Port {
  std::string name;
  aclDataType type;
  std::vector<int64_t> dims;
};

struct Model {
  std::vector<Port> inputs, outputs;
  std::string gear_kind;
  std::vector<std::vector<int64_t>> gears;
  int sleep_ms = 0;
  int fail_load = 0, fail_run = 0;
  std::string message;
};

Model model;
std::string error;

// Threads load the one model of a process again while others run it: only the first load reads.
std::mutex loading;
std::string loaded;

size_t SizeOf(const Port& port) {
  size_t size = aclDataTypeSize(port.type);
  for (const int64_t dim : port.dims) size *= dim < 0 ? (model.gears.empty() ? 0 : 8) : dim;
  return size;
}

// The dims of the last choice: what UnderGear of omrun makes of it, worked out anew.
std::vector<int64_t> chosen;
std::vector<int64_t> Under(std::vector<int64_t> dims) {
  if (model.gear_kind == "dims") return chosen;
  size_t at = 0;
  for (int64_t& dim : dims) {
    if (dim < 0) dim = chosen.at(model.gear_kind == "batch" ? 0 : at++);
  }
  return dims;
}

aclError CopyDims(const std::vector<Port>& ports, size_t index, aclmdlIODims* dims) {
  if (index >= ports.size()) return ACL_ERROR_INVALID_PARAM;
  *dims = {};
  dims->dimCount = ports[index].dims.size();
  std::copy(ports[index].dims.begin(), ports[index].dims.end(), dims->dims);
  return ACL_SUCCESS;
}

aclError Fail(int code) {
  error = model.message;
  return code;
}

}  // namespace

extern "C" {

aclError aclInit(const char*) { return ACL_SUCCESS; }
aclError aclFinalize() { return ACL_SUCCESS; }
const char* aclGetRecentErrMsg() { return error.empty() ? nullptr : error.c_str(); }
aclError aclrtSetDevice(int32_t) { return ACL_SUCCESS; }
aclError aclrtResetDevice(int32_t) { return ACL_SUCCESS; }
const char* aclrtGetSocName() { return "Echo1"; }
aclError aclrtMalloc(void** address, size_t size, aclrtMemMallocPolicy) {
  if (size == 0) return ACL_ERROR_INVALID_PARAM;
  *address = std::malloc(size);
  return *address ? ACL_SUCCESS : ACL_ERROR_BAD_ALLOC;
}
aclError aclrtFree(void* address) {
  std::free(address);
  return ACL_SUCCESS;
}
aclError aclrtMemcpy(void* to, size_t room, const void* from, size_t size, aclrtMemcpyKind) {
  if (size > room) return ACL_ERROR_INVALID_PARAM;
  std::memcpy(to, from, size);
  return ACL_SUCCESS;
}
size_t aclDataTypeSize(aclDataType type) {
  switch (type) {
    case ACL_FLOAT:
    case ACL_INT32: return 4;
    case ACL_INT64: return 8;
    default: return 1;
  }
}

aclDataBuffer* aclCreateDataBuffer(void* data, size_t size) { return new aclDataBuffer{data, size}; }
aclError aclDestroyDataBuffer(const aclDataBuffer* buffer) {
  delete buffer;
  return ACL_SUCCESS;
}
aclError aclUpdateDataBuffer(aclDataBuffer* buffer, void* data, size_t size) {
  *buffer = {data, size};
  return ACL_SUCCESS;
}
void* aclGetDataBufferAddr(const aclDataBuffer* buffer) { return buffer->data; }
size_t aclGetDataBufferSizeV2(const aclDataBuffer* buffer) { return buffer->size; }

aclTensorDesc* aclCreateTensorDesc(aclDataType, int rank, const int64_t* dims, aclFormat) {
  return new aclTensorDesc{std::vector<int64_t>(dims, dims + rank)};
}
void aclDestroyTensorDesc(const aclTensorDesc* desc) { delete desc; }
size_t aclGetTensorDescNumDims(const aclTensorDesc* desc) { return desc->dims.size(); }
aclError aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index, int64_t* dim) {
  *dim = desc->dims.at(index);
  return ACL_SUCCESS;
}

aclError aclmdlLoadFromFile(const char* path, uint32_t* id) {
  const std::lock_guard lock(loading);
  *id = 1;
  if (loaded == path) return model.fail_load ? Fail(model.fail_load) : ACL_SUCCESS;
  loaded = path;
  model = {};
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "gear") {
      words >> model.gear_kind;
      model.gears.emplace_back();
      for (int64_t dim; words >> dim;) model.gears.back().push_back(dim);
    }
    if (kind == "sleep") words >> model.sleep_ms;
    if (kind == "fail") {
      std::string where;
      int code;
      words >> where >> code;
      (where == "LOAD" ? model.fail_load : model.fail_run) = code;
      std::getline(words >> std::ws, model.message);
    }
    if (kind == "input" || kind == "output") {
      Port port;
      int type;
      words >> port.name >> type;
      port.type = static_cast<aclDataType>(type);
      for (int64_t dim; words >> dim;) port.dims.push_back(dim);
      (kind == "input" ? model.inputs : model.outputs).push_back(port);
    }
  }
  return model.fail_load ? Fail(model.fail_load) : ACL_SUCCESS;
}
aclError aclmdlUnload(uint32_t) { return ACL_SUCCESS; }
aclmdlDesc* aclmdlCreateDesc() { return reinterpret_cast<aclmdlDesc*>(&model); }
aclError aclmdlDestroyDesc(aclmdlDesc*) { return ACL_SUCCESS; }
aclError aclmdlGetDesc(aclmdlDesc*, uint32_t) { return ACL_SUCCESS; }
size_t aclmdlGetNumInputs(aclmdlDesc*) { return model.inputs.size(); }
size_t aclmdlGetNumOutputs(aclmdlDesc*) { return model.outputs.size(); }
size_t aclmdlGetInputSizeByIndex(aclmdlDesc*, size_t i) { return SizeOf(model.inputs[i]); }
size_t aclmdlGetOutputSizeByIndex(aclmdlDesc*, size_t i) { return SizeOf(model.outputs[i]); }
const char* aclmdlGetInputNameByIndex(const aclmdlDesc*, size_t i) { return model.inputs[i].name.c_str(); }
const char* aclmdlGetOutputNameByIndex(const aclmdlDesc*, size_t i) { return model.outputs[i].name.c_str(); }
aclFormat aclmdlGetInputFormat(const aclmdlDesc*, size_t) { return ACL_FORMAT_ND; }
aclFormat aclmdlGetOutputFormat(const aclmdlDesc*, size_t) { return ACL_FORMAT_ND; }
aclDataType aclmdlGetInputDataType(const aclmdlDesc*, size_t i) { return model.inputs[i].type; }
aclDataType aclmdlGetOutputDataType(const aclmdlDesc*, size_t i) { return model.outputs[i].type; }
aclError aclmdlGetInputDims(const aclmdlDesc*, size_t i, aclmdlIODims* dims) { return CopyDims(model.inputs, i, dims); }
aclError aclmdlGetOutputDims(const aclmdlDesc*, size_t i, aclmdlIODims* dims) {
  return CopyDims(model.outputs, i, dims);
}

aclError aclmdlGetDynamicBatch(const aclmdlDesc*, aclmdlBatch* batch) {
  batch->batchCount = 0;
  if (model.gear_kind != "batch") return ACL_SUCCESS;
  for (const auto& gear : model.gears) batch->batch[batch->batchCount++] = static_cast<uint64_t>(gear[0]);
  return ACL_SUCCESS;
}
aclError aclmdlGetDynamicHW(const aclmdlDesc*, size_t, aclmdlHW* hw) {
  hw->hwCount = 0;
  if (model.gear_kind != "hw") return ACL_SUCCESS;
  for (const auto& gear : model.gears) {
    hw->hw[hw->hwCount][0] = static_cast<uint64_t>(gear[0]);
    hw->hw[hw->hwCount++][1] = static_cast<uint64_t>(gear[1]);
  }
  return ACL_SUCCESS;
}
aclError aclmdlGetInputDynamicGearCount(const aclmdlDesc*, size_t, size_t* count) {
  *count = model.gear_kind == "dims" ? model.gears.size() : 0;
  return ACL_SUCCESS;
}
aclError aclmdlGetInputDynamicDims(const aclmdlDesc*, size_t, aclmdlIODims* dims, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    dims[i].dimCount = model.gears[i].size();
    std::copy(model.gears[i].begin(), model.gears[i].end(), dims[i].dims);
  }
  return ACL_SUCCESS;
}
aclError aclmdlSetDynamicBatchSize(uint32_t, aclmdlDataset*, size_t index, uint64_t batch) {
  chosen = {static_cast<int64_t>(batch)};
  return index + 1 == model.inputs.size() ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM;
}
aclError aclmdlSetDynamicHWSize(uint32_t, aclmdlDataset*, size_t index, uint64_t height, uint64_t width) {
  chosen = {static_cast<int64_t>(height), static_cast<int64_t>(width)};
  return index + 1 == model.inputs.size() ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM;
}
aclError aclmdlSetInputDynamicDims(uint32_t, aclmdlDataset*, size_t index, const aclmdlIODims* dims) {
  chosen.assign(dims->dims, dims->dims + dims->dimCount);
  return index + 1 == model.inputs.size() ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM;
}
aclError aclmdlGetCurOutputDims(const aclmdlDesc*, size_t i, aclmdlIODims* dims) {
  const std::vector<int64_t> under = Under(model.outputs[i].dims);
  dims->dimCount = under.size();
  std::copy(under.begin(), under.end(), dims->dims);
  return ACL_SUCCESS;
}

aclmdlDataset* aclmdlCreateDataset() { return new aclmdlDataset; }
aclError aclmdlDestroyDataset(const aclmdlDataset* dataset) {
  delete dataset;
  return ACL_SUCCESS;
}
aclError aclmdlAddDatasetBuffer(aclmdlDataset* dataset, aclDataBuffer* buffer) {
  dataset->buffers.push_back(buffer);
  dataset->set.push_back(nullptr);
  dataset->result.emplace_back();
  return ACL_SUCCESS;
}
aclError aclmdlSetDatasetTensorDesc(aclmdlDataset* dataset, aclTensorDesc* desc, size_t index) {
  dataset->set.at(index) = desc;
  return ACL_SUCCESS;
}
aclTensorDesc* aclmdlGetDatasetTensorDesc(const aclmdlDataset* dataset, size_t index) {
  return const_cast<aclTensorDesc*>(&dataset->result.at(index));
}

aclError aclmdlExecute(uint32_t, const aclmdlDataset* inputs, aclmdlDataset* outputs) {
  std::this_thread::sleep_for(std::chrono::milliseconds(model.sleep_ms));
  if (model.fail_run) return Fail(model.fail_run);
  for (size_t i = 0; i < outputs->buffers.size(); ++i) {
    const aclDataBuffer& from = *inputs->buffers[i];
    aclDataBuffer& to = *outputs->buffers[i];
    if (!to.data && from.size) to = {std::malloc(from.size), from.size};
    std::memcpy(to.data, from.data, std::min(from.size, to.size));
    outputs->result[i].dims = inputs->set[i] ? inputs->set[i]->dims : model.inputs[i].dims;
  }
  return ACL_SUCCESS;
}

}  // extern "C"
