/* Kernels of a program's own: C functions in a shared library, launched on a stream over a number of blocks.
 * Every argument is one 64-bit word (an address, or an integer widened), at most 32 of them; the function takes as many.
 * Inside it openatcGetBlockIdx() tells which block it is: C++ programs find GetBlockIdx in openatc_kernel.h. */
#ifndef ACL_ACL_RT_KERNEL_H_
#define ACL_ACL_RT_KERNEL_H_

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void *aclrtBinary;
typedef void *aclrtBinHandle;
typedef void *aclrtFuncHandle;
typedef void *aclrtArgsHandle;
typedef void *aclrtParamHandle;

typedef enum aclrtBinaryLoadOptionType {
  ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD = 1, ACL_RT_BINARY_LOAD_OPT_LAZY_MAGIC = 2, ACL_RT_BINARY_LOAD_OPT_MAGIC = 2,
  ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE = 3
} aclrtBinaryLoadOptionType;
typedef union aclrtBinaryLoadOptionValue {
  uint32_t isLazyLoad; uint32_t magic; int32_t cpuKernelMode; uint32_t rsv[4];
} aclrtBinaryLoadOptionValue;
typedef struct aclrtBinaryLoadOption {
  aclrtBinaryLoadOptionType type; aclrtBinaryLoadOptionValue value;
} aclrtBinaryLoadOption;
typedef struct aclrtBinaryLoadOptions { aclrtBinaryLoadOption *options; size_t numOpt; } aclrtBinaryLoadOptions;
typedef enum aclrtEngineType { ACL_RT_ENGINE_TYPE_AIC = 0, ACL_RT_ENGINE_TYPE_AIV = 1 } aclrtEngineType;
typedef struct aclrtTimeoutUs { uint32_t timeoutLow; uint32_t timeoutHigh; } aclrtTimeoutUs;
typedef enum aclrtLaunchKernelAttrId {
  ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE = 1, ACL_RT_LAUNCH_KERNEL_ATTR_LOCAL_MEMORY_SIZE = 2,
  ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE = 2, ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE = 3,
  ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET = 4, ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH = 5,
  ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP = 6, ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT = 7,
  ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US = 8, ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING = 9
} aclrtLaunchKernelAttrId;
typedef union aclrtLaunchKernelAttrValue {
  uint8_t schemMode; uint32_t localMemorySize; uint32_t dynUBufSize; aclrtEngineType engineType;
  uint32_t blockDimOffset; uint8_t isBlockTaskPrefetch; uint8_t isDataDump; uint16_t timeout;
  aclrtTimeoutUs timeoutUs; uint8_t enableProfiling; uint32_t rsv[4];
} aclrtLaunchKernelAttrValue;
typedef struct aclrtLaunchKernelAttr {
  aclrtLaunchKernelAttrId id; aclrtLaunchKernelAttrValue value;
} aclrtLaunchKernelAttr;
typedef struct aclrtLaunchKernelCfg {
  aclrtLaunchKernelAttr *attrs;
  size_t numAttrs;
} aclrtLaunchKernelCfg;
typedef struct {
  uint32_t addrOffset;
  uint32_t dataOffset;
} aclrtPlaceHolderInfo;

/* A shared library with kernels; options may be NULL. 100003 when it cannot be opened. */
ACL_FUNC_VISIBILITY aclError aclrtBinaryLoadFromFile(const char *binPath, aclrtBinaryLoadOptions *options,
                                                     aclrtBinHandle *binHandle);
ACL_FUNC_VISIBILITY aclError aclrtBinaryLoadFromData(const void *data, size_t length,
                                                     const aclrtBinaryLoadOptions *options,
                                                     aclrtBinHandle *binHandle);
/* The bytes of such a library; they are copied. */
ACL_FUNC_VISIBILITY aclrtBinary aclrtCreateBinary(const void *data, size_t dataLen);
ACL_FUNC_VISIBILITY aclError aclrtDestroyBinary(aclrtBinary binary);
ACL_FUNC_VISIBILITY aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle *binHandle);
/* Work that was queued with its kernels must be over. */
ACL_FUNC_VISIBILITY aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle);
/* 100029 when it has no function of that name. */
ACL_FUNC_VISIBILITY aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char *kernelName,
                                                    aclrtFuncHandle *funcHandle);
ACL_FUNC_VISIBILITY aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char *name);

/* Arguments one by one. Every parameter takes one word, whatever its size up to 8 bytes. */
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle *argsHandle);
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void *param, size_t paramSize,
                                                   aclrtParamHandle *paramHandle);
/* An argument that is the address of a buffer which is copied with the arguments. */
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle,
                                                              aclrtParamHandle *paramHandle);
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle,
                                                                 aclrtParamHandle paramHandle, size_t dataSize,
                                                                 void **bufferAddr);
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle,
                                                       void *param, size_t paramSize);
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle);

/* Queues numBlocks calls of the kernel, which run on the cores of the budget in any order. argsData is copied. */
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData,
                                               size_t argsSize, aclrtStream stream);
/* cfg may be NULL; nothing in it changes a launch here. */
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData,
                                                 size_t argsSize, aclrtLaunchKernelCfg *cfg, aclrtStream stream);
/* The arguments are released by the launch. */
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                                                         aclrtStream stream, aclrtLaunchKernelCfg *cfg,
                                                         aclrtArgsHandle argsHandle, void *reserve);
/* hostArgs holds the arguments, then the data that some of them point to: the argument at addrOffset becomes the
 * address of the copy of what lies at dataOffset. */
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                                                           aclrtStream stream, aclrtLaunchKernelCfg *cfg,
                                                           void *hostArgs, size_t argsSize,
                                                           aclrtPlaceHolderInfo *placeHolderArray,
                                                           size_t placeHolderNum);

/* What those calls come down to: numBlocks calls of block(args) on a stream; argsSize bytes of args are copied. */
ACL_FUNC_VISIBILITY aclError openatcLaunchBlocks(void (*block)(void *args), const void *args, size_t argsSize,
                                                 uint32_t numBlocks, aclrtStream stream);
/* Inside a kernel: which block this is, and how many there are; 0 and 1 elsewhere. */
ACL_FUNC_VISIBILITY uint32_t openatcGetBlockIdx(void);
ACL_FUNC_VISIBILITY uint32_t openatcGetBlockNum(void);

#ifdef __cplusplus
}
#endif
#endif /* ACL_ACL_RT_KERNEL_H_ */
