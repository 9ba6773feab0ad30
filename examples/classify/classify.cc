// Classifies images with a model that atc converted: usage: classify model.om image.bin...
// Each image is a file of the model's first input, byte for byte. Prints the five best classes of each.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <vector>

#include "acl/acl.h"

namespace {

bool Good(int code, const char* what) {
  if (code == 0) return true;
  const char* why = aclGetRecentErrMsg();
  std::fprintf(stderr, "[ERROR] %s failed with %d: %s\n", what, code, why == nullptr ? "" : why);
  return false;
}

// A model in memory of the caller's, with one buffer for each input and output.
class Classifier {
 public:
  ~Classifier() {
    for (aclmdlDataset* set : {inputs_, outputs_}) {
      if (set == nullptr) continue;
      for (size_t i = 0; i < aclmdlGetDatasetNumBuffers(set); ++i) {
        aclDataBuffer* buffer = aclmdlGetDatasetBuffer(set, i);
        aclrtFree(aclGetDataBufferAddr(buffer));
        aclDestroyDataBuffer(buffer);
      }
      aclmdlDestroyDataset(set);
    }
    if (loaded_) aclmdlUnload(id_);
    if (desc_ != nullptr) aclmdlDestroyDesc(desc_);
    for (void* memory : {work_, weight_}) {
      if (memory != nullptr) aclrtFree(memory);
    }
  }

  bool Load(const char* path) {
    size_t work_bytes = 0;
    size_t weight_bytes = 0;
    if (!Good(aclmdlQuerySize(path, &work_bytes, &weight_bytes), "aclmdlQuerySize")) return false;
    if (work_bytes > 0 && !Good(aclrtMalloc(&work_, work_bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc")) return false;
    if (weight_bytes > 0 && !Good(aclrtMalloc(&weight_, weight_bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc")) return false;
    if (!Good(aclmdlLoadFromFileWithMem(path, &id_, work_, work_bytes, weight_, weight_bytes), "aclmdlLoadFromFileWithMem")) return false;
    loaded_ = true;
    desc_ = aclmdlCreateDesc();
    if (!Good(aclmdlGetDesc(desc_, id_), "aclmdlGetDesc")) return false;
    inputs_ = aclmdlCreateDataset();
    outputs_ = aclmdlCreateDataset();
    for (size_t i = 0; i < aclmdlGetNumInputs(desc_); ++i) {
      if (!AddBuffer(inputs_, aclmdlGetInputSizeByIndex(desc_, i))) return false;
    }
    for (size_t i = 0; i < aclmdlGetNumOutputs(desc_); ++i) {
      if (!AddBuffer(outputs_, aclmdlGetOutputSizeByIndex(desc_, i))) return false;
    }
    if (aclmdlGetOutputDataType(desc_, 0) == ACL_FLOAT) return true;
    std::fprintf(stderr, "[ERROR] output 0 is no float: convert with --output_type=FP32\n");
    return false;
  }

  // Scores of one image.
  bool Run(const char* image, std::vector<float>* scores) {
    const size_t bytes = aclmdlGetInputSizeByIndex(desc_, 0);
    std::vector<char> data(bytes);
    std::ifstream file(image, std::ios::binary | std::ios::ate);
    if (!file || static_cast<size_t>(file.tellg()) != bytes) {
      std::fprintf(stderr, "[ERROR] %s is no file of %zu bytes, the size of the model's input\n", image, bytes);
      return false;
    }
    file.seekg(0);
    file.read(data.data(), static_cast<std::streamsize>(bytes));
    void* input = aclGetDataBufferAddr(aclmdlGetDatasetBuffer(inputs_, 0));
    if (!Good(aclrtMemcpy(input, bytes, data.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy")) return false;
    if (!Good(aclmdlExecute(id_, inputs_, outputs_), "aclmdlExecute")) return false;
    aclDataBuffer* output = aclmdlGetDatasetBuffer(outputs_, 0);
    scores->resize(aclGetDataBufferSizeV2(output) / sizeof(float));
    const size_t size = scores->size() * sizeof(float);
    return Good(aclrtMemcpy(scores->data(), size, aclGetDataBufferAddr(output), size, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
  }

 private:
  static bool AddBuffer(aclmdlDataset* set, size_t bytes) {
    void* memory = nullptr;
    if (!Good(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc")) return false;
    return Good(aclmdlAddDatasetBuffer(set, aclCreateDataBuffer(memory, bytes)), "aclmdlAddDatasetBuffer");
  }

  uint32_t id_ = 0;
  bool loaded_ = false;
  void* work_ = nullptr;
  void* weight_ = nullptr;
  aclmdlDesc* desc_ = nullptr;
  aclmdlDataset* inputs_ = nullptr;
  aclmdlDataset* outputs_ = nullptr;
};

bool ClassifyAll(int argc, char** argv) {
  Classifier classifier;
  if (!classifier.Load(argv[1])) return false;
  for (int i = 2; i < argc; ++i) {
    std::vector<float> scores;
    if (!classifier.Run(argv[i], &scores)) return false;
    std::vector<size_t> order(scores.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const size_t best = std::min<size_t>(5, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<long>(best), order.end(), [&](size_t a, size_t b) { return scores[a] > scores[b]; });
    std::printf("%s\n", argv[i]);
    for (size_t k = 0; k < best; ++k) std::printf("  class %zu  %.6f\n", order[k], scores[order[k]]);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: classify model.om image.bin...\n");
    return 1;
  }
  if (!Good(aclInit(nullptr), "aclInit") || !Good(aclrtSetDevice(0), "aclrtSetDevice")) return 1;
  const bool good = ClassifyAll(argc, argv);
  return Good(aclrtResetDevice(0), "aclrtResetDevice") && Good(aclFinalize(), "aclFinalize") && good ? 0 : 1;
}
