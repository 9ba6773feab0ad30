// acl_mdl.h: descriptions.
#include <algorithm>
#include <cstring>

#include "backend/acl/handle_table.h"
#include "backend/acl/include/acl/acl_mdl.h"
#include "backend/acl/model_table.h"
#include "backend/acl/objects.h"

using namespace atc::acl;
using atc::ModelInfo;
using atc::TensorInfo;

namespace {

// The description of a model, or an empty one. The information never changes once it is there, so that names may be
// handed out.
struct ModelDesc {
  std::mutex mutex;
  std::shared_ptr<const ModelInfo> info;
  uint32_t model_id = 0;
};

enum class Side { kInput, kOutput };

HandleTable<ModelDesc>& Descs() {
  static auto* table = new HandleTable<ModelDesc>(HandleKind::kModelDesc);
  return *table;
}

aclError FindInfo(const aclmdlDesc* desc, std::shared_ptr<const ModelInfo>* out, uint32_t* model_id = nullptr) {
  if (desc == nullptr) return NullArgument("modelDesc");
  const auto found = Descs().Find(desc);
  if (!found) return BadHandle("modelDesc", "a model description");
  std::lock_guard lock(found->mutex);
  if (!found->info) return Fail(ACL_ERROR_INVALID_PARAM, "the description is empty: call aclmdlGetDesc first");
  *out = found->info;
  if (model_id != nullptr) *model_id = found->model_id;
  return ACL_SUCCESS;
}

const std::vector<TensorInfo>& Tensors(const ModelInfo& info, Side side) {
  return side == Side::kInput ? info.inputs : info.outputs;
}

const char* SideName(Side side) { return side == Side::kInput ? "input" : "output"; }

aclError CheckIndex(const ModelInfo& info, Side side, size_t index) {
  const size_t count = Tensors(info, side).size();
  if (index < count) return ACL_SUCCESS;
  return Fail(ACL_ERROR_INVALID_PARAM, std::string(SideName(side)) + " " + std::to_string(index) +
                                           " was asked for; the model has " + std::to_string(count));
}

// What `get` reads from one tensor; `fallback` and a line in the log when there is none.
template <class Result, class Get>
Result Read(const aclmdlDesc* desc, Side side, size_t index, Result fallback, Get&& get) {
  return GuardValue<Result>(fallback, [&]() -> Result {
    std::shared_ptr<const ModelInfo> info;
    if (FindInfo(desc, &info) != ACL_SUCCESS || CheckIndex(*info, side, index) != ACL_SUCCESS) return fallback;
    return get(Tensors(*info, side)[index]);
  });
}

size_t Count(const aclmdlDesc* desc, Side side) {
  return GuardValue<size_t>(0, [&]() -> size_t {
    std::shared_ptr<const ModelInfo> info;
    return FindInfo(desc, &info) == ACL_SUCCESS ? Tensors(*info, side).size() : 0;
  });
}

size_t Bytes(const aclmdlDesc* desc, Side side, size_t index) {
  return Read<size_t>(desc, side, index, 0, [](const TensorInfo& t) { return t.bytes; });
}

const char* Name(const aclmdlDesc* desc, Side side, size_t index) {
  return Read<const char*>(desc, side, index, "", [](const TensorInfo& t) { return t.name.c_str(); });
}

aclFormat FormatOf(const aclmdlDesc* desc, Side side, size_t index) {
  return Read(desc, side, index, ACL_FORMAT_UNDEFINED,
              [](const TensorInfo& t) { return static_cast<aclFormat>(t.format); });
}

aclDataType TypeOf(const aclmdlDesc* desc, Side side, size_t index) {
  return Read(desc, side, index, ACL_DT_UNDEFINED, [](const TensorInfo& t) { return ToAcl(t.dtype); });
}

// The name in an aclmdlIODims, whose room is fixed.
std::string ShortName(uint32_t model_id, Side side, size_t index, const std::string& name) {
  if (name.size() < ACL_MAX_TENSOR_NAME_LEN) return name;
  return "acl_modelId_" + std::to_string(model_id) + "_" + SideName(side) + "_" + std::to_string(index);
}

// The shape of an output under the gear that was chosen last, else under that with the largest one.
const atc::Shape& CurrentShape(const ModelInfo& info, uint32_t model_id, size_t output) {
  const auto& gears = info.gears.gears;
  std::shared_ptr<Model> model;
  if (model_id != 0 && ModelTable::Get().Find(model_id, &model) == ACL_SUCCESS && model->gear < gears.size()) {
    return gears[model->gear].outputs[output];
  }
  const auto elements = [&](const atc::GearInfo::Gear& gear) { return gear.outputs[output].NumElements(); };
  return std::max_element(gears.begin(), gears.end(),
                          [&](const auto& a, const auto& b) { return elements(a) < elements(b); })
      ->outputs[output];
}

aclError Dims(const aclmdlDesc* desc, Side side, size_t index, aclmdlIODims* dims, bool current) {
  return Guard([&]() -> aclError {
    if (dims == nullptr) return NullArgument("dims");
    std::shared_ptr<const ModelInfo> info;
    uint32_t model_id = 0;
    if (const aclError code = FindInfo(desc, &info, &model_id); code != ACL_SUCCESS) return code;
    if (const aclError code = CheckIndex(*info, side, index); code != ACL_SUCCESS) return code;
    const TensorInfo& tensor = Tensors(*info, side)[index];
    const atc::Shape& shape = current && !info->gears.empty() ? CurrentShape(*info, model_id, index) : tensor.shape;
    if (current && !shape.IsKnown()) {
      return Fail(ACL_ERROR_API_NOT_SUPPORT, "output '" + tensor.name +
                                                 "' has a shape that only a run tells: see "
                                                 "aclmdlGetDatasetTensorDesc");
    }
    if (shape.rank() > ACL_MAX_DIM_CNT) {
      return Fail(ACL_ERROR_STORAGE_OVER_LIMIT, "'" + tensor.name + "' has more dims than aclmdlIODims has room for");
    }
    const std::string name = ShortName(model_id, side, index, tensor.name);
    std::memset(dims, 0, sizeof(*dims));
    std::memcpy(dims->name, name.c_str(), name.size());
    dims->dimCount = shape.rank();
    for (size_t i = 0; i < dims->dimCount; ++i) dims->dims[i] = shape[i];
    return ACL_SUCCESS;
  });
}

aclError IndexOf(const aclmdlDesc* desc, Side side, const char* name, size_t* index) {
  return Guard([&]() -> aclError {
    if (name == nullptr) return NullArgument("name");
    if (index == nullptr) return NullArgument("index");
    std::shared_ptr<const ModelInfo> info;
    if (const aclError code = FindInfo(desc, &info); code != ACL_SUCCESS) return code;
    const std::vector<TensorInfo>& tensors = Tensors(*info, side);
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].name != name) continue;
      *index = i;
      return ACL_SUCCESS;
    }
    return Fail(ACL_ERROR_INVALID_PARAM, std::string("the model has no ") + SideName(side) + " '" + name + "'");
  });
}

}  // namespace

aclmdlDesc* aclmdlCreateDesc(void) {
  return GuardValue<aclmdlDesc*>(nullptr,
                                 [] { return static_cast<aclmdlDesc*>(Descs().Add(std::make_shared<ModelDesc>())); });
}

aclError aclmdlDestroyDesc(aclmdlDesc* modelDesc) {
  return Guard([&]() -> aclError {
    if (modelDesc == nullptr) return NullArgument("modelDesc");
    return Descs().Remove(modelDesc) ? ACL_SUCCESS : BadHandle("modelDesc", "a model description");
  });
}

aclError aclmdlGetDesc(aclmdlDesc* modelDesc, uint32_t modelId) {
  return Guard([&]() -> aclError {
    if (modelDesc == nullptr) return NullArgument("modelDesc");
    const auto desc = Descs().Find(modelDesc);
    if (!desc) return BadHandle("modelDesc", "a model description");
    std::shared_ptr<Model> model;
    if (const aclError code = ModelTable::Get().Find(modelId, &model); code != ACL_SUCCESS) return code;
    std::lock_guard lock(desc->mutex);
    desc->info = model->signature;
    desc->model_id = modelId;
    return ACL_SUCCESS;
  });
}

size_t aclmdlGetNumInputs(aclmdlDesc* modelDesc) { return Count(modelDesc, Side::kInput); }
size_t aclmdlGetNumOutputs(aclmdlDesc* modelDesc) { return Count(modelDesc, Side::kOutput); }

size_t aclmdlGetInputSizeByIndex(aclmdlDesc* modelDesc, size_t index) { return Bytes(modelDesc, Side::kInput, index); }
size_t aclmdlGetOutputSizeByIndex(aclmdlDesc* modelDesc, size_t index) {
  return Bytes(modelDesc, Side::kOutput, index);
}

const char* aclmdlGetInputNameByIndex(const aclmdlDesc* modelDesc, size_t index) {
  return Name(modelDesc, Side::kInput, index);
}
const char* aclmdlGetOutputNameByIndex(const aclmdlDesc* modelDesc, size_t index) {
  return Name(modelDesc, Side::kOutput, index);
}

aclError aclmdlGetInputIndexByName(const aclmdlDesc* modelDesc, const char* name, size_t* index) {
  return IndexOf(modelDesc, Side::kInput, name, index);
}
aclError aclmdlGetOutputIndexByName(const aclmdlDesc* modelDesc, const char* name, size_t* index) {
  return IndexOf(modelDesc, Side::kOutput, name, index);
}

aclFormat aclmdlGetInputFormat(const aclmdlDesc* modelDesc, size_t index) {
  return FormatOf(modelDesc, Side::kInput, index);
}
aclFormat aclmdlGetOutputFormat(const aclmdlDesc* modelDesc, size_t index) {
  return FormatOf(modelDesc, Side::kOutput, index);
}

aclDataType aclmdlGetInputDataType(const aclmdlDesc* modelDesc, size_t index) {
  return TypeOf(modelDesc, Side::kInput, index);
}
aclDataType aclmdlGetOutputDataType(const aclmdlDesc* modelDesc, size_t index) {
  return TypeOf(modelDesc, Side::kOutput, index);
}

aclError aclmdlGetInputDims(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims) {
  return Dims(modelDesc, Side::kInput, index, dims, false);
}
aclError aclmdlGetOutputDims(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims) {
  return Dims(modelDesc, Side::kOutput, index, dims, false);
}
aclError aclmdlGetCurOutputDims(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims) {
  return Dims(modelDesc, Side::kOutput, index, dims, true);
}

aclError aclmdlGetInputDimsRange(const aclmdlDesc* modelDesc, size_t index, aclmdlIODimsRange* dimsRange) {
  return Guard([&]() -> aclError {
    if (dimsRange == nullptr) return NullArgument("dimsRange");
    std::shared_ptr<const ModelInfo> info;
    if (const aclError code = FindInfo(modelDesc, &info); code != ACL_SUCCESS) return code;
    if (const aclError code = CheckIndex(*info, Side::kInput, index); code != ACL_SUCCESS) return code;
    const TensorInfo& tensor = info->inputs[index];
    const size_t rank = tensor.shape.rank();
    if (rank > ACL_MAX_DIM_CNT) {
      return Fail(ACL_ERROR_STORAGE_OVER_LIMIT,
                  "'" + tensor.name + "' has more dims than aclmdlIODimsRange has room for");
    }
    std::memset(dimsRange, 0, sizeof(*dimsRange));
    dimsRange->rangeCount = rank;
    for (size_t i = 0; i < rank; ++i) {
      // Without a range of its own an unknown dim is any size, a known one itself.
      const bool ranged = i < tensor.ranges.size();
      const int64_t dim = tensor.shape[i];
      dimsRange->range[i][0] = ranged ? tensor.ranges[i].first : dim < 0 ? 0 : dim;
      dimsRange->range[i][1] = ranged ? tensor.ranges[i].second : dim;
    }
    return ACL_SUCCESS;
  });
}

const char* aclmdlGetTensorRealName(const aclmdlDesc* modelDesc, const char* name) {
  return GuardValue<const char*>(nullptr, [&]() -> const char* {
    if (name == nullptr) return NullArgument("name"), nullptr;
    std::shared_ptr<const ModelInfo> info;
    uint32_t model_id = 0;
    if (FindInfo(modelDesc, &info, &model_id) != ACL_SUCCESS) return nullptr;
    for (const Side side : {Side::kInput, Side::kOutput}) {
      const std::vector<TensorInfo>& tensors = Tensors(*info, side);
      for (size_t i = 0; i < tensors.size(); ++i) {
        const std::string& real = tensors[i].name;
        if (real == name || ShortName(model_id, side, i, real) == name) return real.c_str();
      }
    }
    Fail(ACL_ERROR_INVALID_PARAM, std::string("the model has no input or output '") + name + "'");
    return nullptr;
  });
}

namespace {

// The description of a model that is not loaded.
template <class Origin>
aclError Describe(aclmdlDesc* modelDesc, const Origin& origin) {
  return Guard(
      [&]() -> aclError {
        if (modelDesc == nullptr) return NullArgument("modelDesc");
        const auto desc = Descs().Find(modelDesc);
        if (!desc) return BadHandle("modelDesc", "a model description");
        auto info = std::make_shared<const ModelInfo>(atc::LoadedModel::Describe(origin, nullptr));
        std::lock_guard lock(desc->mutex);
        desc->info = std::move(info);
        desc->model_id = 0;
        return ACL_SUCCESS;
      },
      ACL_ERROR_PARSE_MODEL);
}

}  // namespace

aclError aclmdlGetDescFromFile(aclmdlDesc* modelDesc, const char* modelPath) {
  if (modelPath == nullptr) return NullArgument("modelPath");
  return Describe(modelDesc, std::string(modelPath));
}

aclError aclmdlGetDescFromMem(aclmdlDesc* modelDesc, const void* model, size_t modelSize) {
  if (model == nullptr) return NullArgument("model");
  return Describe(modelDesc, std::span(static_cast<const std::byte*>(model), modelSize));
}

aclError aclmdlGetInputDimsV2(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims) {
  return aclmdlGetInputDims(modelDesc, index, dims);
}

const char* aclmdlGetOpAttr(aclmdlDesc* modelDesc, const char* opName, const char* attr) {
  return GuardValue<const char*>(nullptr, [&]() -> const char* {
    std::shared_ptr<const ModelInfo> info;
    if (opName == nullptr || attr == nullptr) return NullArgument("opName or attr"), nullptr;
    if (FindInfo(modelDesc, &info) != ACL_SUCCESS) return nullptr;
    if (std::string_view(attr) != ACL_ATTR_NAME_DATA_DUMP_ORIGIN_OP_NAMES) {
      return Fail(ACL_ERROR_INVALID_PARAM, std::string("attribute '") + attr + "' of operators is not given"), nullptr;
    }
    return "";
  });
}

namespace {

// The gears of that kind; none of a model that has others, or none at all.
aclError FindGears(const aclmdlDesc* desc, atc::GearKind kind, std::shared_ptr<const ModelInfo>* info,
                   std::vector<const atc::GearInfo::Gear*>* gears) {
  if (const aclError code = FindInfo(desc, info); code != ACL_SUCCESS) return code;
  if ((*info)->gears.kind != kind) return ACL_SUCCESS;
  for (const auto& gear : (*info)->gears.gears) gears->push_back(&gear);
  return ACL_SUCCESS;
}

}  // namespace

aclError aclmdlGetDynamicBatch(const aclmdlDesc* modelDesc, aclmdlBatch* batch) {
  return Guard([&]() -> aclError {
    if (batch == nullptr) return NullArgument("batch");
    std::shared_ptr<const ModelInfo> info;
    std::vector<const atc::GearInfo::Gear*> gears;
    if (const aclError code = FindGears(modelDesc, atc::GearKind::kBatch, &info, &gears); code != ACL_SUCCESS)
      return code;
    batch->batchCount = std::min<size_t>(gears.size(), ACL_MAX_BATCH_NUM);
    for (size_t i = 0; i < batch->batchCount; ++i) batch->batch[i] = static_cast<uint64_t>(gears[i]->sizes[0]);
    return ACL_SUCCESS;
  });
}

aclError aclmdlGetDynamicHW(const aclmdlDesc* modelDesc, size_t /*index*/, aclmdlHW* hw) {
  return Guard([&]() -> aclError {
    if (hw == nullptr) return NullArgument("hw");
    std::shared_ptr<const ModelInfo> info;
    std::vector<const atc::GearInfo::Gear*> gears;
    if (const aclError code = FindGears(modelDesc, atc::GearKind::kImage, &info, &gears); code != ACL_SUCCESS)
      return code;
    hw->hwCount = std::min<size_t>(gears.size(), ACL_MAX_HW_NUM);
    for (size_t i = 0; i < hw->hwCount; ++i) {
      for (size_t side = 0; side < 2; ++side) hw->hw[i][side] = static_cast<uint64_t>(gears[i]->sizes[side]);
    }
    return ACL_SUCCESS;
  });
}

aclError aclmdlGetInputDynamicGearCount(const aclmdlDesc* modelDesc, size_t /*index*/, size_t* gearCount) {
  return Guard([&]() -> aclError {
    if (gearCount == nullptr) return NullArgument("gearCount");
    std::shared_ptr<const ModelInfo> info;
    std::vector<const atc::GearInfo::Gear*> gears;
    if (const aclError code = FindGears(modelDesc, atc::GearKind::kDims, &info, &gears); code != ACL_SUCCESS)
      return code;
    *gearCount = gears.size();
    return ACL_SUCCESS;
  });
}

// Of each gear the dims of all inputs, one after the other.
aclError aclmdlGetInputDynamicDims(const aclmdlDesc* modelDesc, size_t /*index*/, aclmdlIODims* dims,
                                   size_t gearCount) {
  return Guard([&]() -> aclError {
    if (dims == nullptr) return NullArgument("dims");
    std::shared_ptr<const ModelInfo> info;
    std::vector<const atc::GearInfo::Gear*> gears;
    if (const aclError code = FindGears(modelDesc, atc::GearKind::kDims, &info, &gears); code != ACL_SUCCESS)
      return code;
    if (gearCount < gears.size() || (gears.empty() && gearCount > 0)) {
      return Fail(ACL_ERROR_INVALID_PARAM, "the model has " + std::to_string(gears.size()) +
                                               " gears of dims, there is room for " + std::to_string(gearCount));
    }
    for (size_t g = 0; g < gears.size(); ++g) {
      std::memset(&dims[g], 0, sizeof(dims[g]));
      for (size_t i = 0; i < gears[g]->inputs.size(); ++i) {
        if (i == info->gears.input) continue;
        for (const int64_t dim : gears[g]->inputs[i].dims()) {
          if (dims[g].dimCount == ACL_MAX_DIM_CNT) {
            return Fail(ACL_ERROR_STORAGE_OVER_LIMIT, "the inputs have more dims than aclmdlIODims has room for");
          }
          dims[g].dims[dims[g].dimCount++] = dim;
        }
      }
    }
    return ACL_SUCCESS;
  });
}
