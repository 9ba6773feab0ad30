// acl_mdl.h: choosing a gear, and parameters of AIPP. No om of this project has AIPP so far, so that every choice of
// its parameters is refused by the code that a model without it has.
#include <algorithm>
#include <cstring>

#include "backend/acl/dataset.h"
#include "backend/acl/handle_table.h"
#include "backend/acl/include/acl/acl_mdl.h"
#include "backend/acl/model_table.h"
#include "compiler/ir/gears.h"

using namespace atc::acl;
using atc::GearKind;

namespace {

constexpr auto kNoGear = static_cast<aclError>(ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID);

aclError CheckChoice(uint32_t modelId, const aclmdlDataset* dataset, size_t index, std::shared_ptr<Model>* model) {
  if (dataset == nullptr) return NullArgument("dataset");
  const auto set = Datasets().Find(dataset);
  if (!set) return BadHandle("dataset", "a dataset");
  if (const aclError code = ModelTable::Get().Find(modelId, model); code != ACL_SUCCESS) return code;
  std::lock_guard lock(set->mutex);
  if (index < set->entries.size()) return ACL_SUCCESS;
  return Fail(ACL_ERROR_INVALID_PARAM, "buffer " + std::to_string(index) + " was named; the dataset has " +
                                           std::to_string(set->entries.size()));
}

constexpr auto kNoRoom = static_cast<aclError>(ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID);

// The model, if it has gears of this kind.
aclError FindGears(uint32_t modelId, const aclmdlDataset* dataset, size_t index, GearKind kind, std::shared_ptr<Model>* model) {
  if (const aclError code = CheckChoice(modelId, dataset, index, model); code != ACL_SUCCESS) return code;
  const atc::ModelInfo& info = *(*model)->signature;
  if (info.gears.empty()) {
    return Fail(kNoGear, "model '" + info.name + "' was converted without gears: it has one shape, or open ones that "
                         "aclmdlSetDatasetTensorDesc sets");
  }
  if (info.gears.kind == kind) {
    if (index == info.gears.input) return ACL_SUCCESS;
    // The sizes would overwrite what a sample lies in.
    return Fail(ACL_ERROR_INVALID_PARAM, "input " + std::to_string(index) + " of model '" + info.name + "' was named; the gear is told by input " +
                                             std::to_string(info.gears.input) + ", '" + std::string(atc::kGearData) + "'");
  }
  constexpr const char* kCalls[] = {"", "aclmdlSetDynamicBatchSize", "aclmdlSetDynamicHWSize", "aclmdlSetInputDynamicDims"};
  return Fail(kNoGear, "the gears of model '" + info.name + "' are chosen by " + kCalls[static_cast<size_t>(info.gears.kind)]);
}

// Writes the sizes to the buffer, each into 8 bytes where there is room, else into 4.
aclError WriteSizes(const aclmdlDataset* dataset, size_t index, const std::vector<int64_t>& sizes) {
  const auto set = Datasets().Find(dataset);
  if (!set) return BadHandle("dataset", "a dataset");
  std::lock_guard lock(set->mutex);
  Buffer& buffer = *set->entries[index].buffer;
  std::lock_guard buffer_lock(buffer.mutex);
  if (buffer.data == nullptr) return Fail(ACL_ERROR_INVALID_PARAM, "buffer " + std::to_string(index) + " has no address");
  const size_t narrow = sizes.size() * sizeof(uint32_t);
  if (buffer.bytes < narrow) {
    return Fail(kNoRoom, "buffer " + std::to_string(index) + " has " + std::to_string(buffer.bytes) + " bytes; the gear takes " +
                             std::to_string(narrow));
  }
  const std::vector<uint64_t> wide(sizes.begin(), sizes.end());
  const std::vector<uint32_t> words(sizes.begin(), sizes.end());
  const bool room = buffer.bytes >= 2 * narrow;
  std::memcpy(buffer.data, room ? static_cast<const void*>(wide.data()) : words.data(), room ? 2 * narrow : narrow);
  return ACL_SUCCESS;
}

aclError Take(Model& model, const aclmdlDataset* dataset, size_t index, const std::vector<int64_t>& sizes) {
  const auto& gears = model.signature->gears.gears;
  const auto found = std::find_if(gears.begin(), gears.end(), [&](const auto& gear) { return gear.sizes == sizes; });
  if (found == gears.end()) {
    std::vector<std::vector<int64_t>> all;
    for (const auto& gear : gears) all.push_back(gear.sizes);
    return Fail(kNoGear, atc::GearsText({sizes}) + " is no gear of model '" + model.signature->name + "', which has " + atc::GearsText(all));
  }
  if (const aclError code = WriteSizes(dataset, index, sizes); code != ACL_SUCCESS) return code;
  model.gear = static_cast<size_t>(found - gears.begin());
  return ACL_SUCCESS;
}

aclError Choose(uint32_t modelId, const aclmdlDataset* dataset, size_t index, GearKind kind, const std::vector<uint64_t>& sizes) {
  return Guard([&]() -> aclError {
    std::shared_ptr<Model> model;
    if (const aclError code = CheckChoice(modelId, dataset, index, &model); code != ACL_SUCCESS) return code;
    if (std::find(sizes.begin(), sizes.end(), 0u) != sizes.end()) return Fail(ACL_ERROR_INVALID_PARAM, "a size of 0 was set");
    const uint64_t largest = *std::max_element(sizes.begin(), sizes.end());
    if (largest > INT64_MAX) return Fail(kNoGear, std::to_string(largest) + " is the size of no gear");
    if (const aclError code = FindGears(modelId, dataset, index, kind, &model); code != ACL_SUCCESS) return code;
    return Take(*model, dataset, index, {sizes.begin(), sizes.end()});
  });
}

// Of the dims of all inputs, one after the other, those that a gear gives; the others must be the model's.
aclError SizesAmong(const Model& model, const aclmdlIODims& dims, std::vector<int64_t>* sizes) {
  const atc::ModelInfo& info = *model.signature;
  for (const auto& gear : info.gears.gears) {
    std::vector<int64_t> all;
    for (size_t i = 0; i < gear.inputs.size(); ++i) {
      if (i != info.gears.input) all.insert(all.end(), gear.inputs[i].dims().begin(), gear.inputs[i].dims().end());
    }
    if (!std::equal(all.begin(), all.end(), dims.dims, dims.dims + dims.dimCount)) continue;
    *sizes = gear.sizes;
    return ACL_SUCCESS;
  }
  std::vector<std::vector<int64_t>> all;
  for (const auto& gear : info.gears.gears) all.push_back(gear.sizes);
  return Fail(kNoGear, atc::GearsText({{dims.dims, dims.dims + dims.dimCount}}) + ", the dims of all inputs, are those of no gear of model '" +
                           info.name + "', whose open dims are " + atc::GearsText(all));
}

// As the parameters lie in the extra input: a part for all images, then one for each.
constexpr size_t kCommonBytes = 64;
constexpr size_t kImageBytes = 96;
constexpr uint64_t kMostImages = 127;

struct Aipp {
  std::mutex mutex;
  aclAippInputFormat format = ACL_AIPP_RESERVED;
  int8_t csc = 0;
  int8_t rbuv_swap = 0;
  int8_t ax_swap = 0;
  int16_t matrix[9] = {};
  uint8_t out_bias[3] = {};
  uint8_t in_bias[3] = {};
  int32_t width = 0;
  int32_t height = 0;
  struct Image {
    int8_t scale = 0;
    int8_t crop = 0;
    int8_t pad = 0;
    int32_t scaling[4] = {};
    int32_t cropping[4] = {};
    int32_t padding[4] = {};
    int16_t mean[4] = {};
    float min[4] = {};
    float reciprocal[4] = {1, 1, 1, 1};
  };
  std::vector<Image> images;
};

HandleTable<Aipp>& Aipps() {
  static auto* table = new HandleTable<Aipp>(HandleKind::kAipp);
  return *table;
}

template <class Change>
aclError Edit(aclmdlAIPP* handle, Change&& change) {
  return Guard([&]() -> aclError {
    if (handle == nullptr) return NullArgument("aippParmsSet");
    const auto found = Aipps().Find(handle);
    if (!found) return BadHandle("aippParmsSet", "a set of AIPP parameters");
    std::lock_guard lock(found->mutex);
    return change(*found);
  });
}

template <class Change>
aclError EditImage(aclmdlAIPP* handle, uint64_t index, Change&& change) {
  return Edit(handle, [&](Aipp& aipp) -> aclError {
    if (index >= aipp.images.size()) {
      return Fail(ACL_ERROR_INVALID_PARAM, "image " + std::to_string(index) + " was named; the batch has " +
                                               std::to_string(aipp.images.size()));
    }
    return change(aipp.images[index]);
  });
}

aclError SetSwitch(int8_t value, int8_t* out) {
  if (value != 0 && value != 1) return Fail(ACL_ERROR_INVALID_PARAM, "a switch is 0 or 1, not " + std::to_string(value));
  *out = value;
  return ACL_SUCCESS;
}

template <class T, class... Values>
void Fill(T* out, Values... values) {
  ((*out++ = static_cast<T>(values)), ...);
}

aclError SetParameters(uint32_t modelId, const aclmdlDataset* dataset, size_t index, const aclmdlAIPP* handle) {
  return Guard([&]() -> aclError {
    if (handle == nullptr) return NullArgument("aippParmsSet");
    const auto aipp = Aipps().Find(handle);
    if (!aipp) return BadHandle("aippParmsSet", "a set of AIPP parameters");
    std::shared_ptr<Model> model;
    if (const aclError code = CheckChoice(modelId, dataset, index, &model); code != ACL_SUCCESS) return code;
    return Fail(static_cast<aclError>(ACL_ERROR_GE_AIPP_NOT_EXIST),
                "model '" + model->signature->name + "' was converted without dynamic AIPP");
  });
}

aclError CheckInput(uint32_t modelId, size_t index) {
  std::shared_ptr<Model> model;
  if (const aclError code = ModelTable::Get().Find(modelId, &model); code != ACL_SUCCESS) return code;
  if (index < model->signature->inputs.size()) return ACL_SUCCESS;
  return Fail(ACL_ERROR_INVALID_PARAM, "input " + std::to_string(index) + " was named; the model has " +
                                           std::to_string(model->signature->inputs.size()));
}

}  // namespace

aclError aclmdlSetDynamicBatchSize(uint32_t modelId, aclmdlDataset* dataset, size_t index, uint64_t batchSize) {
  return Choose(modelId, dataset, index, GearKind::kBatch, {batchSize});
}

aclError aclmdlSetDynamicHWSize(uint32_t modelId, aclmdlDataset* dataset, size_t index, uint64_t height, uint64_t width) {
  return Choose(modelId, dataset, index, GearKind::kImage, {height, width});
}

aclError aclmdlSetInputDynamicDims(uint32_t modelId, aclmdlDataset* dataset, size_t index, const aclmdlIODims* dims) {
  return Guard([&]() -> aclError {
    if (dims == nullptr) return NullArgument("dims");
    std::shared_ptr<Model> model;
    if (const aclError code = CheckChoice(modelId, dataset, index, &model); code != ACL_SUCCESS) return code;
    if (dims->dimCount == 0 || dims->dimCount > ACL_MAX_DIM_CNT) {
      return Fail(ACL_ERROR_INVALID_PARAM, std::to_string(dims->dimCount) + " dims were set");
    }
    if (const aclError code = FindGears(modelId, dataset, index, GearKind::kDims, &model); code != ACL_SUCCESS) return code;
    std::vector<int64_t> sizes;
    if (const aclError code = SizesAmong(*model, *dims, &sizes); code != ACL_SUCCESS) return code;
    return Take(*model, dataset, index, sizes);
  });
}

aclmdlAIPP* aclmdlCreateAIPP(uint64_t batchSize) {
  return GuardValue<aclmdlAIPP*>(nullptr, [&]() -> aclmdlAIPP* {
    if (batchSize == 0 || batchSize > kMostImages) {
      return Fail(ACL_ERROR_INVALID_PARAM, "a batch has 1 to 127 images, not " + std::to_string(batchSize)), nullptr;
    }
    auto aipp = std::make_shared<Aipp>();
    aipp->images.resize(batchSize);
    return static_cast<aclmdlAIPP*>(Aipps().Add(std::move(aipp)));
  });
}

aclError aclmdlDestroyAIPP(const aclmdlAIPP* aippParmsSet) {
  return Guard([&]() -> aclError {
    if (aippParmsSet == nullptr) return NullArgument("aippParmsSet");
    return Aipps().Remove(aippParmsSet) ? ACL_SUCCESS : BadHandle("aippParmsSet", "a set of AIPP parameters");
  });
}

aclError aclmdlGetAippDataSize(uint64_t batchSize, size_t* size) {
  return Guard([&]() -> aclError {
    if (size == nullptr) return NullArgument("size");
    if (batchSize == 0 || batchSize > kMostImages) {
      return Fail(ACL_ERROR_INVALID_PARAM, "a batch has 1 to 127 images, not " + std::to_string(batchSize));
    }
    *size = kCommonBytes + kImageBytes * batchSize;
    return ACL_SUCCESS;
  });
}

aclError aclmdlSetAIPPInputFormat(aclmdlAIPP* aippParmsSet, aclAippInputFormat inputFormat) {
  return Edit(aippParmsSet, [&](Aipp& aipp) -> aclError {
    if (inputFormat < ACL_YUV420SP_U8 || inputFormat > ACL_RAW24) {
      return Fail(ACL_ERROR_INVALID_PARAM, "there is no aclAippInputFormat " + std::to_string(static_cast<int>(inputFormat)));
    }
    aipp.format = inputFormat;
    return ACL_SUCCESS;
  });
}

aclError aclmdlSetAIPPCscParams(aclmdlAIPP* aippParmsSet, int8_t cscSwitch, int16_t cscMatrixR0C0, int16_t cscMatrixR0C1,
                                int16_t cscMatrixR0C2, int16_t cscMatrixR1C0, int16_t cscMatrixR1C1,
                                int16_t cscMatrixR1C2, int16_t cscMatrixR2C0, int16_t cscMatrixR2C1,
                                int16_t cscMatrixR2C2, uint8_t cscOutputBiasR0, uint8_t cscOutputBiasR1,
                                uint8_t cscOutputBiasR2, uint8_t cscInputBiasR0, uint8_t cscInputBiasR1,
                                uint8_t cscInputBiasR2) {
  return Edit(aippParmsSet, [&](Aipp& aipp) -> aclError {
    if (const aclError code = SetSwitch(cscSwitch, &aipp.csc); code != ACL_SUCCESS) return code;
    Fill(aipp.matrix, cscMatrixR0C0, cscMatrixR0C1, cscMatrixR0C2, cscMatrixR1C0, cscMatrixR1C1, cscMatrixR1C2,
         cscMatrixR2C0, cscMatrixR2C1, cscMatrixR2C2);
    Fill(aipp.out_bias, cscOutputBiasR0, cscOutputBiasR1, cscOutputBiasR2);
    Fill(aipp.in_bias, cscInputBiasR0, cscInputBiasR1, cscInputBiasR2);
    return ACL_SUCCESS;
  });
}

aclError aclmdlSetAIPPRbuvSwapSwitch(aclmdlAIPP* aippParmsSet, int8_t rbuvSwapSwitch) {
  return Edit(aippParmsSet, [&](Aipp& aipp) { return SetSwitch(rbuvSwapSwitch, &aipp.rbuv_swap); });
}

aclError aclmdlSetAIPPAxSwapSwitch(aclmdlAIPP* aippParmsSet, int8_t axSwapSwitch) {
  return Edit(aippParmsSet, [&](Aipp& aipp) { return SetSwitch(axSwapSwitch, &aipp.ax_swap); });
}

aclError aclmdlSetAIPPSrcImageSize(aclmdlAIPP* aippParmsSet, int32_t srcImageSizeW, int32_t srcImageSizeH) {
  return Edit(aippParmsSet, [&](Aipp& aipp) -> aclError {
    if (srcImageSizeW <= 0 || srcImageSizeH <= 0) return Fail(ACL_ERROR_INVALID_PARAM, "an image has a size above 0");
    aipp.width = srcImageSizeW;
    aipp.height = srcImageSizeH;
    return ACL_SUCCESS;
  });
}

aclError aclmdlSetAIPPScfParams(aclmdlAIPP* aippParmsSet, int8_t scfSwitch, int32_t scfInputSizeW, int32_t scfInputSizeH,
                                int32_t scfOutputSizeW, int32_t scfOutputSizeH, uint64_t batchIndex) {
  return EditImage(aippParmsSet, batchIndex, [&](Aipp::Image& image) {
    Fill(image.scaling, scfInputSizeW, scfInputSizeH, scfOutputSizeW, scfOutputSizeH);
    return SetSwitch(scfSwitch, &image.scale);
  });
}

aclError aclmdlSetAIPPCropParams(aclmdlAIPP* aippParmsSet, int8_t cropSwitch, int32_t cropStartPosW,
                                 int32_t cropStartPosH, int32_t cropSizeW, int32_t cropSizeH, uint64_t batchIndex) {
  return EditImage(aippParmsSet, batchIndex, [&](Aipp::Image& image) {
    Fill(image.cropping, cropStartPosW, cropStartPosH, cropSizeW, cropSizeH);
    return SetSwitch(cropSwitch, &image.crop);
  });
}

aclError aclmdlSetAIPPPaddingParams(aclmdlAIPP* aippParmsSet, int8_t paddingSwitch, int32_t paddingSizeTop,
                                    int32_t paddingSizeBottom, int32_t paddingSizeLeft, int32_t paddingSizeRight,
                                    uint64_t batchIndex) {
  return EditImage(aippParmsSet, batchIndex, [&](Aipp::Image& image) {
    Fill(image.padding, paddingSizeTop, paddingSizeBottom, paddingSizeLeft, paddingSizeRight);
    return SetSwitch(paddingSwitch, &image.pad);
  });
}

aclError aclmdlSetAIPPDtcPixelMean(aclmdlAIPP* aippParmsSet, int16_t dtcPixelMeanChn0, int16_t dtcPixelMeanChn1,
                                   int16_t dtcPixelMeanChn2, int16_t dtcPixelMeanChn3, uint64_t batchIndex) {
  return EditImage(aippParmsSet, batchIndex, [&](Aipp::Image& image) -> aclError {
    Fill(image.mean, dtcPixelMeanChn0, dtcPixelMeanChn1, dtcPixelMeanChn2, dtcPixelMeanChn3);
    return ACL_SUCCESS;
  });
}

aclError aclmdlSetAIPPDtcPixelMin(aclmdlAIPP* aippParmsSet, float dtcPixelMinChn0, float dtcPixelMinChn1,
                                  float dtcPixelMinChn2, float dtcPixelMinChn3, uint64_t batchIndex) {
  return EditImage(aippParmsSet, batchIndex, [&](Aipp::Image& image) -> aclError {
    Fill(image.min, dtcPixelMinChn0, dtcPixelMinChn1, dtcPixelMinChn2, dtcPixelMinChn3);
    return ACL_SUCCESS;
  });
}

aclError aclmdlSetAIPPPixelVarReci(aclmdlAIPP* aippParmsSet, float dtcPixelVarReciChn0, float dtcPixelVarReciChn1,
                                   float dtcPixelVarReciChn2, float dtcPixelVarReciChn3, uint64_t batchIndex) {
  return EditImage(aippParmsSet, batchIndex, [&](Aipp::Image& image) -> aclError {
    Fill(image.reciprocal, dtcPixelVarReciChn0, dtcPixelVarReciChn1, dtcPixelVarReciChn2, dtcPixelVarReciChn3);
    return ACL_SUCCESS;
  });
}

aclError aclmdlSetInputAIPP(uint32_t modelId, aclmdlDataset* dataset, size_t index, const aclmdlAIPP* aippParmsSet) {
  return SetParameters(modelId, dataset, index, aippParmsSet);
}

aclError aclmdlSetAIPPByInputIndex(uint32_t modelId, aclmdlDataset* dataset, size_t index, const aclmdlAIPP* aippParmsSet) {
  return SetParameters(modelId, dataset, index, aippParmsSet);
}

aclError aclmdlGetAippType(uint32_t modelId, size_t index, aclmdlInputAippType* type, size_t* dynamicAttachedDataIndex) {
  return Guard([&]() -> aclError {
    if (type == nullptr) return NullArgument("type");
    if (dynamicAttachedDataIndex == nullptr) return NullArgument("dynamicAttachedDataIndex");
    if (const aclError code = CheckInput(modelId, index); code != ACL_SUCCESS) return code;
    *type = ACL_DATA_WITHOUT_AIPP;
    *dynamicAttachedDataIndex = ACL_INVALID_NODE_INDEX;
    return ACL_SUCCESS;
  });
}

aclError aclmdlGetFirstAippInfo(uint32_t modelId, size_t index, aclAippInfo* aippInfo) {
  return Guard([&]() -> aclError {
    if (aippInfo == nullptr) return NullArgument("aippInfo");
    if (const aclError code = CheckInput(modelId, index); code != ACL_SUCCESS) return code;
    return Fail(ACL_ERROR_NOT_STATIC_AIPP, "input " + std::to_string(index) + " has no static AIPP");
  });
}
