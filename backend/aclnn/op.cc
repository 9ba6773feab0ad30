// acl_op.h and acl_op_compiler.h.
#include <filesystem>
#include <map>

#include "backend/acl/guard.h"
#include "backend/acl/include/acl/acl_op_compiler.h"
#include "backend/acl/include/acl/acl_mdl.h"
#include "backend/aclnn/single_op.h"

using namespace atc::aclnn;
using atc::AttrMap;
using atc::acl::BadHandle;
using atc::acl::Buffer;
using atc::acl::Buffers;
using atc::acl::Fail;
using atc::acl::Guard;
using atc::acl::GuardValue;
using atc::acl::NullArgument;
using atc::acl::TensorDescs;

namespace {

HandleTable<SingleOp>& Ops() {
  static auto* table = new HandleTable<SingleOp>(atc::acl::HandleKind::kOpHandle);
  return *table;
}

template <class Make>
aclError SetAttr(aclopAttr* attr, const char* name, Make&& make) {
  return Guard([&]() -> aclError {
    if (attr == nullptr) return NullArgument("attr");
    if (name == nullptr) return NullArgument("attrName");
    const auto found = OpAttributes().Find(attr);
    if (!found) return BadHandle("attr", "a set of attributes");
    std::lock_guard lock(found->mutex);
    found->map.Set(atc::Name(name), atc::AttrValue(make()));
    return ACL_SUCCESS;
  });
}

template <class T>
aclError CheckList(int count, const T* values) {
  if (count < 0) return Fail(ACL_ERROR_INVALID_PARAM, "a list has no negative length");
  return count > 0 && values == nullptr ? NullArgument("values") : ACL_SUCCESS;
}

template <class Handles>
aclError CopyDescs(int count, const Handles* handles, const char* name, std::vector<atc::acl::TensorDesc>* out) {
  if (count < 0) return Fail(ACL_ERROR_INVALID_PARAM, std::string("a negative number of ") + name);
  if (count > 0 && handles == nullptr) return NullArgument(name);
  for (int i = 0; i < count; ++i) {
    const auto found = TensorDescs().Find(handles[i]);
    if (!found) return BadHandle(name, "a tensor description");
    out->push_back(*found);
  }
  return ACL_SUCCESS;
}

// The device's memory behind the buffers; constants of a description need none.
template <class Handles>
aclError FindBuffers(int count, const Handles* handles, const char* name, std::vector<std::shared_ptr<Buffer>>* out) {
  if (count > 0 && handles == nullptr) return NullArgument(name);
  for (int i = 0; i < count; ++i) {
    auto found = Buffers().Find(handles[i]);
    if (!found) return BadHandle(name, "a data buffer");
    out->push_back(std::move(found));
  }
  return ACL_SUCCESS;
}

aclError CopyAttrs(const aclopAttr* attr, AttrMap* out) {
  if (attr == nullptr) return ACL_SUCCESS;
  const auto found = OpAttributes().Find(attr);
  if (!found) return BadHandle("attr", "a set of attributes");
  std::lock_guard lock(found->mutex);
  *out = found->map;
  return ACL_SUCCESS;
}

template <class In, class Out>
aclError Prepare(const char* type, int num_in, const In* in, int num_out, const Out* out, const aclopAttr* attr, std::shared_ptr<SingleOp>* op) {
  if (type == nullptr) return NullArgument("opType");
  std::vector<atc::acl::TensorDesc> inputs;
  std::vector<atc::acl::TensorDesc> outputs;
  AttrMap attrs;
  if (const aclError code = CopyDescs(num_in, in, "inputDesc", &inputs); code != ACL_SUCCESS) return code;
  if (const aclError code = CopyDescs(num_out, out, "outputDesc", &outputs); code != ACL_SUCCESS) return code;
  if (const aclError code = CopyAttrs(attr, &attrs); code != ACL_SUCCESS) return code;
  return MakeSingleOp(type, std::move(inputs), std::move(outputs), attrs, op);
}

template <class InBuffers, class OutBuffers>
aclError RunWith(const SingleOp& op, int num_in, const InBuffers* in, int num_out, const OutBuffers* out, aclrtStream stream) {
  std::vector<std::shared_ptr<Buffer>> inputs;
  std::vector<std::shared_ptr<Buffer>> outputs;
  if (const aclError code = FindBuffers(num_in, in, "inputs", &inputs); code != ACL_SUCCESS) return code;
  if (const aclError code = FindBuffers(num_out, out, "outputs", &outputs); code != ACL_SUCCESS) return code;
  std::vector<Buffer*> plain_in;
  std::vector<Buffer*> plain_out;
  for (const auto& each : inputs) plain_in.push_back(each.get());
  for (const auto& each : outputs) plain_out.push_back(each.get());
  return RunSingleOp(op, plain_in, plain_out, stream);
}

struct Options {
  std::mutex mutex;
  std::map<int, std::string> values;
};

Options& TheOptions() {
  static auto* options = new Options;
  return *options;
}

aclError CheckOption(aclCompileOpt opt) {
  if (opt >= ACL_PRECISION_MODE && opt <= ACL_OP_DEBUG_OPTION) return ACL_SUCCESS;
  return Fail(ACL_ERROR_INVALID_PARAM, "there is no aclCompileOpt " + std::to_string(static_cast<int>(opt)));
}

}  // namespace

aclError aclopSetModelDir(const char* modelDir) {
  return Guard([&]() -> aclError {
    if (modelDir == nullptr) return NullArgument("modelDir");
    std::error_code error;
    if (std::filesystem::is_directory(modelDir, error)) return ACL_SUCCESS;
    return Fail(ACL_ERROR_INVALID_FILE, std::string("'") + modelDir + "' is not a folder");
  });
}

aclError aclopLoad(const void* model, size_t modelSize) {
  size_t work = 0;
  size_t weight = 0;
  return aclmdlQuerySizeFromMem(model, modelSize, &work, &weight) == ACL_SUCCESS ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM;
}

aclError aclopSetMaxOpQueueNum(uint64_t maxOpNum) {
  return maxOpNum > 0 ? ACL_SUCCESS : Fail(ACL_ERROR_INVALID_PARAM, "a queue of 0 operators was asked for");
}

aclopAttr* aclopCreateAttr(void) {
  return GuardValue<aclopAttr*>(nullptr, [] { return static_cast<aclopAttr*>(OpAttributes().Add(std::make_shared<OpAttrs>())); });
}

void aclopDestroyAttr(const aclopAttr* attr) {
  GuardValue(0, [&] {
    if (attr != nullptr && !OpAttributes().Remove(attr)) BadHandle("attr", "a set of attributes");
    return 0;
  });
}

aclError aclopSetAttrBool(aclopAttr* attr, const char* attrName, uint8_t attrValue) {
  return SetAttr(attr, attrName, [&] { return attrValue != 0; });
}
aclError aclopSetAttrInt(aclopAttr* attr, const char* attrName, int64_t attrValue) {
  return SetAttr(attr, attrName, [&] { return attrValue; });
}
aclError aclopSetAttrFloat(aclopAttr* attr, const char* attrName, float attrValue) {
  return SetAttr(attr, attrName, [&] { return attrValue; });
}
aclError aclopSetAttrString(aclopAttr* attr, const char* attrName, const char* attrValue) {
  return attrValue == nullptr ? NullArgument("attrValue") : SetAttr(attr, attrName, [&] { return std::string(attrValue); });
}
aclError aclopSetAttrDataType(aclopAttr* attr, const char* attrName, aclDataType attrValue) {
  return SetAttr(attr, attrName, [&] { return atc::acl::FromAcl(attrValue); });
}

aclError aclopSetAttrListDataType(aclopAttr* attr, const char* attrName, int numValues, const aclDataType values[]) {
  if (const aclError code = CheckList(numValues, values); code != ACL_SUCCESS) return code;
  return SetAttr(attr, attrName, [&] { return std::vector<int64_t>(values, values + numValues); });
}
aclError aclopSetAttrListBool(aclopAttr* attr, const char* attrName, int numValues, const uint8_t* values) {
  if (const aclError code = CheckList(numValues, values); code != ACL_SUCCESS) return code;
  return SetAttr(attr, attrName, [&] { return std::vector<bool>(values, values + numValues); });
}
aclError aclopSetAttrListInt(aclopAttr* attr, const char* attrName, int numValues, const int64_t* values) {
  if (const aclError code = CheckList(numValues, values); code != ACL_SUCCESS) return code;
  return SetAttr(attr, attrName, [&] { return std::vector<int64_t>(values, values + numValues); });
}
aclError aclopSetAttrListFloat(aclopAttr* attr, const char* attrName, int numValues, const float* values) {
  if (const aclError code = CheckList(numValues, values); code != ACL_SUCCESS) return code;
  return SetAttr(attr, attrName, [&] { return std::vector<float>(values, values + numValues); });
}
aclError aclopSetAttrListString(aclopAttr* attr, const char* attrName, int numValues, const char** values) {
  if (const aclError code = CheckList(numValues, values); code != ACL_SUCCESS) return code;
  for (int i = 0; i < numValues; ++i) {
    if (values[i] == nullptr) return NullArgument("values");
  }
  return SetAttr(attr, attrName, [&] { return std::vector<std::string>(values, values + numValues); });
}
aclError aclopSetAttrListListInt(aclopAttr* attr, const char* attrName, int numLists, const int* numValues,
                                 const int64_t* const values[]) {
  if (const aclError code = CheckList(numLists, values); code != ACL_SUCCESS) return code;
  if (const aclError code = CheckList(numLists, numValues); code != ACL_SUCCESS) return code;
  for (int i = 0; i < numLists; ++i) {
    if (const aclError code = CheckList(numValues[i], values[i]); code != ACL_SUCCESS) return code;
  }
  return SetAttr(attr, attrName, [&] {
    std::vector<std::vector<int64_t>> lists;
    for (int i = 0; i < numLists; ++i) lists.emplace_back(values[i], values[i] + numValues[i]);
    return lists;
  });
}

aclError aclopExecute(const char* opType, int numInputs, const aclTensorDesc* const inputDesc[],
                      const aclDataBuffer* const inputs[], int numOutputs, const aclTensorDesc* const outputDesc[],
                      aclDataBuffer* const outputs[], const aclopAttr* attr, aclrtStream stream) {
  return Guard([&]() -> aclError {
    std::shared_ptr<SingleOp> op;
    if (const aclError code = Prepare(opType, numInputs, inputDesc, numOutputs, outputDesc, attr, &op); code != ACL_SUCCESS) return code;
    return RunWith(*op, numInputs, inputs, numOutputs, outputs, stream);
  });
}

aclError aclopInferShape(const char* opType, int numInputs, aclTensorDesc* inputDesc[], aclDataBuffer* inputs[],
                         int numOutputs, aclTensorDesc* outputDesc[], aclopAttr* attr) {
  return Guard([&]() -> aclError {
    if (opType == nullptr) return NullArgument("opType");
    // Shapes may follow from values: small inputs are read where they lie.
    std::vector<atc::acl::TensorDesc> in;
    std::vector<atc::acl::TensorDesc> out;
    AttrMap attrs;
    if (const aclError code = CopyDescs(numInputs, inputDesc, "inputDesc", &in); code != ACL_SUCCESS) return code;
    if (const aclError code = CopyDescs(numOutputs, outputDesc, "outputDesc", &out); code != ACL_SUCCESS) return code;
    if (const aclError code = CopyAttrs(attr, &attrs); code != ACL_SUCCESS) return code;
    std::vector<std::shared_ptr<Buffer>> buffers;
    if (inputs != nullptr) {
      if (const aclError code = FindBuffers(numInputs, inputs, "inputs", &buffers); code != ACL_SUCCESS) return code;
    }
    constexpr size_t kSmall = 1024;
    for (size_t i = 0; i < buffers.size(); ++i) {
      std::lock_guard lock(buffers[i]->mutex);
      const size_t bytes = atc::acl::TensorBytes(in[i].dtype, in[i].shape).value_or(kSmall + 1);
      if (buffers[i]->data == nullptr || bytes > kSmall || buffers[i]->bytes < bytes) continue;
      const auto* data = static_cast<const std::byte*>(buffers[i]->data);
      in[i].constant = std::make_shared<const std::vector<std::byte>>(data, data + bytes);
    }
    for (atc::acl::TensorDesc& desc : out) desc.shape = atc::Shape::UnknownRank();
    std::shared_ptr<SingleOp> op;
    if (const aclError code = MakeSingleOp(opType, std::move(in), std::move(out), attrs, &op); code != ACL_SUCCESS) return code;
    for (int i = 0; i < numOutputs; ++i) TensorDescs().Find(outputDesc[i])->shape = op->outputs[i].shape;
    return ACL_SUCCESS;
  });
}

aclError aclopExecuteV2(const char* opType, int numInputs, aclTensorDesc* inputDesc[], aclDataBuffer* inputs[],
                        int numOutputs, aclTensorDesc* outputDesc[], aclDataBuffer* outputs[], aclopAttr* attr,
                        aclrtStream stream) {
  return Guard([&]() -> aclError {
    std::shared_ptr<SingleOp> op;
    if (const aclError code = Prepare(opType, numInputs, inputDesc, numOutputs, outputDesc, attr, &op); code != ACL_SUCCESS) return code;
    if (const aclError code = RunWith(*op, numInputs, inputs, numOutputs, outputs, stream); code != ACL_SUCCESS) return code;
    for (int i = 0; i < numOutputs; ++i) TensorDescs().Find(outputDesc[i])->shape = op->outputs[i].shape;
    return ACL_SUCCESS;
  });
}

aclError aclopCreateHandle(const char* opType, int numInputs, const aclTensorDesc* const inputDesc[], int numOutputs,
                           const aclTensorDesc* const outputDesc[], const aclopAttr* opAttr, aclopHandle** handle) {
  return Guard([&]() -> aclError {
    if (handle == nullptr) return NullArgument("handle");
    std::shared_ptr<SingleOp> op;
    if (const aclError code = Prepare(opType, numInputs, inputDesc, numOutputs, outputDesc, opAttr, &op); code != ACL_SUCCESS) return code;
    *handle = static_cast<aclopHandle*>(Ops().Add(std::move(op)));
    return ACL_SUCCESS;
  });
}

void aclopDestroyHandle(aclopHandle* handle) {
  GuardValue(0, [&] {
    if (handle != nullptr && !Ops().Remove(handle)) BadHandle("handle", "an operator");
    return 0;
  });
}

aclError aclopExecWithHandle(aclopHandle* handle, int numInputs, const aclDataBuffer* const inputs[], int numOutputs,
                             aclDataBuffer* const outputs[], aclrtStream stream) {
  return Guard([&]() -> aclError {
    if (handle == nullptr) return NullArgument("handle");
    const auto op = Ops().Find(handle);
    if (!op) return BadHandle("handle", "an operator");
    return RunWith(*op, numInputs, inputs, numOutputs, outputs, stream);
  });
}

namespace {

aclError CastOp(const aclTensorDesc* src, const aclTensorDesc* dst, std::shared_ptr<SingleOp>* op) {
  const auto target = TensorDescs().Find(dst);
  if (!target) return BadHandle("dstDesc", "a tensor description");
  std::vector<atc::acl::TensorDesc> in;
  if (const aclError code = CopyDescs(1, &src, "srcDesc", &in); code != ACL_SUCCESS) return code;
  AttrMap attrs;
  attrs.Set("dst_type", static_cast<int64_t>(target->dtype));
  return MakeSingleOp("Cast", std::move(in), {*target}, attrs, op);
}

}  // namespace

aclError aclopCast(const aclTensorDesc* srcDesc, const aclDataBuffer* srcBuffer, const aclTensorDesc* dstDesc,
                   aclDataBuffer* dstBuffer, uint8_t truncate, aclrtStream stream) {
  return Guard([&]() -> aclError {
    std::shared_ptr<SingleOp> op;
    if (const aclError code = CastOp(srcDesc, dstDesc, &op); code != ACL_SUCCESS) return code;
    return RunWith(*op, 1, &srcBuffer, 1, &dstBuffer, stream);
  });
}

aclError aclopCreateHandleForCast(aclTensorDesc* srcDesc, aclTensorDesc* dstDesc, uint8_t truncate, aclopHandle** handle) {
  return Guard([&]() -> aclError {
    if (handle == nullptr) return NullArgument("handle");
    std::shared_ptr<SingleOp> op;
    if (const aclError code = CastOp(srcDesc, dstDesc, &op); code != ACL_SUCCESS) return code;
    *handle = static_cast<aclopHandle*>(Ops().Add(std::move(op)));
    return ACL_SUCCESS;
  });
}

aclError aclopUpdateParams(const char* opType, int numInputs, const aclTensorDesc* const inputDesc[], int numOutputs,
                           const aclTensorDesc* const outputDesc[], const aclopAttr* attr) {
  return Guard([&]() -> aclError {
    std::shared_ptr<SingleOp> op;
    return Prepare(opType, numInputs, inputDesc, numOutputs, outputDesc, attr, &op);
  });
}

aclError aclopCompile(const char* opType, int numInputs, const aclTensorDesc* const inputDesc[], int numOutputs,
                      const aclTensorDesc* const outputDesc[], const aclopAttr* attr, aclopEngineType engineType,
                      aclopCompileType compileFlag, const char* opPath) {
  return aclopUpdateParams(opType, numInputs, inputDesc, numOutputs, outputDesc, attr);
}

aclError aclopCompileAndExecute(const char* opType, int numInputs, const aclTensorDesc* const inputDesc[],
                                const aclDataBuffer* const inputs[], int numOutputs,
                                const aclTensorDesc* const outputDesc[], aclDataBuffer* const outputs[],
                                const aclopAttr* attr, aclopEngineType engineType, aclopCompileType compileFlag,
                                const char* opPath, aclrtStream stream) {
  return aclopExecute(opType, numInputs, inputDesc, inputs, numOutputs, outputDesc, outputs, attr, stream);
}

aclError aclopCompileAndExecuteV2(const char* opType, int numInputs, aclTensorDesc* inputDesc[],
                                  aclDataBuffer* inputs[], int numOutputs, aclTensorDesc* outputDesc[],
                                  aclDataBuffer* outputs[], aclopAttr* attr, aclopEngineType engineType,
                                  aclopCompileType compileFlag, const char* opPath, aclrtStream stream) {
  return aclopExecuteV2(opType, numInputs, inputDesc, inputs, numOutputs, outputDesc, outputs, attr, stream);
}

aclError aclSetCompileopt(aclCompileOpt opt, const char* value) {
  return Guard([&]() -> aclError {
    if (value == nullptr) return NullArgument("value");
    if (const aclError code = CheckOption(opt); code != ACL_SUCCESS) return code;
    std::lock_guard lock(TheOptions().mutex);
    TheOptions().values[opt] = value;
    return ACL_SUCCESS;
  });
}

size_t aclGetCompileoptSize(aclCompileOpt opt) {
  return GuardValue<size_t>(0, [&]() -> size_t {
    if (CheckOption(opt) != ACL_SUCCESS) return 0;
    std::lock_guard lock(TheOptions().mutex);
    return TheOptions().values[opt].size() + 1;
  });
}

aclError aclGetCompileopt(aclCompileOpt opt, char* value, size_t length) {
  return Guard([&]() -> aclError {
    if (value == nullptr) return NullArgument("value");
    if (const aclError code = CheckOption(opt); code != ACL_SUCCESS) return code;
    std::lock_guard lock(TheOptions().mutex);
    const std::string& text = TheOptions().values[opt];
    if (length <= text.size()) {
      return Fail(ACL_ERROR_INVALID_PARAM, "the value needs room for " + std::to_string(text.size() + 1) + " bytes");
    }
    text.copy(value, text.size());
    value[text.size()] = '\0';
    return ACL_SUCCESS;
  });
}

aclError aclopSetCompileFlag(aclOpCompileFlag flag) {
  if (flag == ACL_OP_COMPILE_DEFAULT || flag == ACL_OP_COMPILE_FUZZ) return ACL_SUCCESS;
  return Fail(ACL_ERROR_INVALID_PARAM, "there is no aclOpCompileFlag " + std::to_string(static_cast<int>(flag)));
}
