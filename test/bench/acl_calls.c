/* What acl_instructions.py counts: launches of an empty kernel, and runs of a model, by the C API.
 * usage: acl_calls launch COUNT KERNELS.so | acl_calls execute COUNT MODEL.om */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "acl/openatc_ext.h"

static void Check(aclError code, const char *what) {
  if (code == ACL_SUCCESS) return;
  const char *text = aclGetRecentErrMsg();
  fprintf(stderr, "%s: %d %s\n", what, code, text == NULL ? "" : text);
  exit(1);
}

static void Launch(long count, const char *path) {
  aclrtBinHandle library;
  aclrtFuncHandle function;
  Check(aclrtBinaryLoadFromFile(path, NULL, &library), "load");
  Check(aclrtBinaryGetFunction(library, "nothing", &function), "function");
  const void *argument = NULL;
  for (long i = 0; i < count; ++i) {
    Check(aclrtLaunchKernel(function, 1, &argument, sizeof(argument), NULL), "launch");
    if (i % 16 == 15) Check(aclrtSynchronizeStream(NULL), "synchronise");
  }
  Check(aclrtSynchronizeStream(NULL), "synchronise");
}

static aclmdlDataset *Buffers(aclmdlDesc *desc, size_t number, size_t (*bytes_of)(aclmdlDesc *, size_t)) {
  aclmdlDataset *set = aclmdlCreateDataset();
  for (size_t i = 0; i < number; ++i) {
    const size_t bytes = bytes_of(desc, i);
    void *memory;
    Check(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "malloc");
    Check(aclrtMemset(memory, bytes, 0, bytes), "memset");
    Check(aclmdlAddDatasetBuffer(set, aclCreateDataBuffer(memory, bytes)), "buffer");
  }
  return set;
}

static void Execute(long count, const char *path) {
  uint32_t model;
  Check(aclmdlLoadFromFile(path, &model), "load");
  aclmdlDesc *desc = aclmdlCreateDesc();
  Check(aclmdlGetDesc(desc, model), "describe");
  aclmdlDataset *inputs = Buffers(desc, aclmdlGetNumInputs(desc), aclmdlGetInputSizeByIndex);
  aclmdlDataset *outputs = Buffers(desc, aclmdlGetNumOutputs(desc), aclmdlGetOutputSizeByIndex);
  for (long i = 0; i < count; ++i) Check(aclmdlExecute(model, inputs, outputs), "execute");
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  Check(aclInit(NULL), "init");
  Check(openatcSetCores(1), "cores");
  Check(aclrtSetDevice(0), "device");
  (strcmp(argv[1], "launch") == 0 ? Launch : Execute)(atol(argv[2]), argv[3]);
  Check(aclrtResetDevice(0), "reset");
  Check(aclFinalize(), "finalize");
  return 0;
}
