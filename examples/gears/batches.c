/* Runs a model with gears of batches over as many samples as a file holds: usage: batches model.om in.bin out.bin
 * in.bin has samples of the model's first input one after the other, out.bin gets those of its first output. Each run takes
 * the largest gear that the samples left over fill, the last ones the smallest that holds them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"

static void Check(int code, const char* what) {
  if (code == 0) return;
  const char* why = aclGetRecentErrMsg();
  fprintf(stderr, "[ERROR] %s failed with %d: %s\n", what, code, why == NULL ? "" : why);
  exit(1);
}

/* A dataset of one buffer for each size; their addresses go to `memory`. */
static aclmdlDataset* MakeSet(const size_t* sizes, size_t count, void** memory) {
  aclmdlDataset* set = aclmdlCreateDataset();
  for (size_t i = 0; i < count; ++i) {
    Check(aclrtMalloc(&memory[i], sizes[i], ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    Check(aclmdlAddDatasetBuffer(set, aclCreateDataBuffer(memory[i], sizes[i])), "aclmdlAddDatasetBuffer");
  }
  return set;
}

static void FreeSet(aclmdlDataset* set) {
  for (size_t i = 0; i < aclmdlGetDatasetNumBuffers(set); ++i) {
    aclDataBuffer* buffer = aclmdlGetDatasetBuffer(set, i);
    aclrtFree(aclGetDataBufferAddr(buffer));
    aclDestroyDataBuffer(buffer);
  }
  aclmdlDestroyDataset(set);
}

/* The gear for `left` samples. */
static uint64_t ChooseGear(const aclmdlBatch* gears, uint64_t left) {
  uint64_t filled = 0, holds = 0;
  for (size_t i = 0; i < gears->batchCount; ++i) {
    const uint64_t size = gears->batch[i];
    if (size <= left && size > filled) filled = size;
    if (size >= left && (holds == 0 || size < holds)) holds = size;
  }
  return filled > 0 ? filled : holds;
}

enum { kMostBuffers = 16 };

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: %s model.om in.bin out.bin\n", argv[0]);
    return 2;
  }
  uint32_t id = 0;
  Check(aclInit(NULL), "aclInit");
  Check(aclrtSetDevice(0), "aclrtSetDevice");
  Check(aclmdlLoadFromFile(argv[1], &id), "aclmdlLoadFromFile");
  aclmdlDesc* desc = aclmdlCreateDesc();
  Check(aclmdlGetDesc(desc, id), "aclmdlGetDesc");
  size_t told = 0, in_sizes[kMostBuffers], out_sizes[kMostBuffers];
  void *in_memory[kMostBuffers], *out_memory[kMostBuffers];
  const size_t inputs = aclmdlGetNumInputs(desc), outputs = aclmdlGetNumOutputs(desc);
  if (inputs > kMostBuffers || outputs > kMostBuffers) return 2;
  aclmdlBatch gears;
  Check(aclmdlGetDynamicBatch(desc, &gears), "aclmdlGetDynamicBatch");
  if (gears.batchCount == 0) {
    fprintf(stderr, "[ERROR] the model has no gears of batches: convert with --dynamic_batch_size\n");
    return 1;
  }
  Check(aclmdlGetInputIndexByName(desc, ACL_DYNAMIC_TENSOR_NAME, &told), "aclmdlGetInputIndexByName");
  uint64_t largest = 0;
  for (size_t i = 0; i < gears.batchCount; ++i) largest = gears.batch[i] > largest ? gears.batch[i] : largest;
  for (size_t i = 0; i < inputs; ++i) in_sizes[i] = aclmdlGetInputSizeByIndex(desc, i);
  for (size_t i = 0; i < outputs; ++i) out_sizes[i] = aclmdlGetOutputSizeByIndex(desc, i);
  aclmdlDataset* in_set = MakeSet(in_sizes, inputs, in_memory);
  aclmdlDataset* out_set = MakeSet(out_sizes, outputs, out_memory);

  /* Sizes are those of the largest gear. */
  const size_t in_bytes = in_sizes[0] / largest, out_bytes = out_sizes[0] / largest;
  FILE* in = fopen(argv[2], "rb");
  FILE* out = fopen(argv[3], "wb");
  char* samples = calloc(1, in_sizes[0]);
  char* results = malloc(out_sizes[0]);
  if (in == NULL || out == NULL || samples == NULL || results == NULL) {
    fprintf(stderr, "[ERROR] %s or %s cannot be opened\n", argv[2], argv[3]);
    return 1;
  }
  fseek(in, 0, SEEK_END);
  uint64_t left = (uint64_t)ftell(in) / in_bytes;
  rewind(in);
  while (left > 0) {
    const uint64_t gear = ChooseGear(&gears, left), count = gear < left ? gear : left;
    memset(samples, 0, in_sizes[0]);
    if (fread(samples, in_bytes, count, in) != count) return 1;
    Check(aclrtMemcpy(in_memory[0], in_sizes[0], samples, in_bytes * gear, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
    Check(aclmdlSetDynamicBatchSize(id, in_set, told, gear), "aclmdlSetDynamicBatchSize");
    Check(aclmdlExecute(id, in_set, out_set), "aclmdlExecute");
    aclmdlIODims dims;
    Check(aclmdlGetCurOutputDims(desc, 0, &dims), "aclmdlGetCurOutputDims");
    printf("gear %llu: %llu samples, output of %lld\n", (unsigned long long)gear, (unsigned long long)count, (long long)dims.dims[0]);
    Check(aclrtMemcpy(results, out_sizes[0], out_memory[0], out_bytes * count, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
    fwrite(results, out_bytes, count, out);
    left -= count;
  }
  fclose(in);
  fclose(out);
  free(samples);
  free(results);
  FreeSet(in_set);
  FreeSet(out_set);
  aclmdlDestroyDesc(desc);
  Check(aclmdlUnload(id), "aclmdlUnload");
  Check(aclrtResetDevice(0), "aclrtResetDevice");
  Check(aclFinalize(), "aclFinalize");
  return 0;
}
