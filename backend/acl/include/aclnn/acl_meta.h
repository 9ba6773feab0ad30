/* Objects of the two-phase operator calls (aclnn): tensors, scalars, arrays, lists, executors. Handles as everywhere: a
 * stale or foreign one yields a code, never a crash. */
#ifndef ACLNN_ACL_META_H_
#define ACLNN_ACL_META_H_

#ifndef __cplusplus
#include <stdbool.h>
#endif

#include "../acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclTensor aclTensor;
typedef struct aclScalar aclScalar;
typedef struct aclIntArray aclIntArray;
typedef struct aclFloatArray aclFloatArray;
typedef struct aclBoolArray aclBoolArray;
typedef struct aclTensorList aclTensorList;
typedef struct aclScalarList aclScalarList;
typedef struct aclOpExecutor aclOpExecutor;

typedef int32_t aclnnStatus;

/* Codes: 161xxx what the caller did wrong, 361xxx the runtime, 561xxx inner faults. */
enum {
  OK = 0,
  ACLNN_SUCCESS = 0,
  ACLNN_ERR_PARAM_NULLPTR = 161001,
  ACLNN_ERR_PARAM_INVALID = 161002,
  ACLNN_ERR_RUNTIME_ERROR = 361001,
  ACLNN_ERR_INNER = 561000,
  ACLNN_ERR_INNER_INFERSHAPE_ERROR = 561001,
  ACLNN_ERR_INNER_TILING_ERROR = 561002,
  ACLNN_ERR_INNER_FIND_KERNEL_ERROR = 561003,
  ACLNN_ERR_INNER_CREATE_EXECUTOR = 561101,
  ACLNN_ERR_INNER_NOT_TRANS_EXECUTOR = 561102,
  ACLNN_ERR_INNER_NULLPTR = 561103,
  ACLNN_ERR_INNER_WRONG_ATTR_INFO_SIZE = 561104,
  ACLNN_ERR_INNER_KEY_CONFLICT = 561105,
  ACLNN_ERR_INNER_INVALID_IMPL_MODE = 561106,
  ACLNN_ERR_INNER_OPP_PATH_NOT_FOUND = 561107,
  ACLNN_ERR_INNER_LOAD_JSON_FAILED = 561108,
  ACLNN_ERR_INNER_JSON_VALUE_NOT_FOUND = 561109,
  ACLNN_ERR_INNER_JSON_FORMAT_INVALID = 561110,
  ACLNN_ERR_INNER_JSON_DTYPE_INVALID = 561111,
  ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND = 561112,
  ACLNN_ERR_INNER_OP_FILE_INVALID = 561113,
  ACLNN_ERR_INNER_ATTR_NUM_OUT_OF_BOUND = 561114,
  ACLNN_ERR_INNER_ATTR_LEN_NOT_ENOUGH = 561115,
  ACLNN_ERR_INNER_INPUT_NUM_IN_JSON_TOO_LARGE = 561116,
  ACLNN_ERR_INNER_INPUT_JSON_IS_NULL = 561117,
  ACLNN_ERR_INNER_STATIC_WORKSPACE_INVALID = 561118,
  ACLNN_ERR_INNER_STATIC_BLOCK_DIM_INVALID = 561119
};

/* A view of storage: viewDims, strides and offset in elements; strides NULL is row-major without gaps. tensorData is the
 * start of the storage and may be NULL until phase 2. NULL for more than 25 dims, negative ones, or a view that reaches
 * out of its storage. */
ACL_FUNC_VISIBILITY aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType,
                                               const int64_t *stride, int64_t offset, aclFormat format,
                                               const int64_t *storageDims, uint64_t storageDimsNum, void *tensorData);
/* These copy their values. */
ACL_FUNC_VISIBILITY aclScalar *aclCreateScalar(void *value, aclDataType dataType);
ACL_FUNC_VISIBILITY aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size);
ACL_FUNC_VISIBILITY aclFloatArray *aclCreateFloatArray(const float *value, uint64_t size);
ACL_FUNC_VISIBILITY aclBoolArray *aclCreateBoolArray(const bool *value, uint64_t size);
/* A list takes over its elements: they are destroyed with it. */
ACL_FUNC_VISIBILITY aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size);
ACL_FUNC_VISIBILITY aclScalarList *aclCreateScalarList(const aclScalar *const *value, uint64_t size);

/* NULL is 0. Memory of the device is never freed here. */
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyTensor(const aclTensor *tensor);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyScalar(const aclScalar *scalar);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyIntArray(const aclIntArray *array);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyFloatArray(const aclFloatArray *array);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyBoolArray(const aclBoolArray *array);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyTensorList(const aclTensorList *array);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyScalarList(const aclScalarList *array);

/* The arrays are made by new int64_t[]: the caller ends them by delete[]. */
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims, uint64_t *viewDimsNum);
ACL_FUNC_VISIBILITY aclnnStatus aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims,
                                                   uint64_t *storageDimsNum);
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue,
                                                  uint64_t *stridesNum);
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewOffset(const aclTensor *tensor, int64_t *offset);
ACL_FUNC_VISIBILITY aclnnStatus aclGetFormat(const aclTensor *tensor, aclFormat *format);
ACL_FUNC_VISIBILITY aclnnStatus aclGetDataType(const aclTensor *tensor, aclDataType *dataType);
ACL_FUNC_VISIBILITY aclnnStatus aclGetIntArraySize(const aclIntArray *array, uint64_t *size);
ACL_FUNC_VISIBILITY aclnnStatus aclGetFloatArraySize(const aclFloatArray *array, uint64_t *size);
ACL_FUNC_VISIBILITY aclnnStatus aclGetBoolArraySize(const aclBoolArray *array, uint64_t *size);
ACL_FUNC_VISIBILITY aclnnStatus aclGetTensorListSize(const aclTensorList *tensorList, uint64_t *size);
ACL_FUNC_VISIBILITY aclnnStatus aclGetScalarListSize(const aclScalarList *scalarList, uint64_t *size);
/* The tensor described anew, as by aclCreateTensor. */
ACL_FUNC_VISIBILITY aclnnStatus aclInitTensor(aclTensor *tensor, const int64_t *viewDims, uint64_t viewDimsNum,
                                              aclDataType dataType, const int64_t *stride, int64_t offset,
                                              aclFormat format, const int64_t *storageDims, uint64_t storageDimsNum,
                                              void *tensorDataAddr);
/* Before phase 1 or after phase 2: an executor keeps the address that it was made with. */
ACL_FUNC_VISIBILITY aclnnStatus aclSetRawTensorAddr(aclTensor *tensor, void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclGetRawTensorAddr(const aclTensor *tensor, void **addr);

/* Directly after phase 1: phase 2 may then be called any number of times. 561000 for operators whose output shape depends
 * on values, 561103 for NULL. */
ACL_FUNC_VISIBILITY aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor);
/* Ends a repeatable executor, or one whose phase 2 was never called. */
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor);
/* Other addresses for a repeatable executor; index counts inputs, outputs, or all of them, in the order of the call's
 * arguments, a list being one. 161002 for an index that is none, 561103 for NULL, 561000 unless repeatable. */
ACL_FUNC_VISIBILITY aclnnStatus aclSetInputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor,
                                                      void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetOutputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor,
                                                       void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor,
                                                 void *addr);
/* Of one member of a list. */
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor *executor, size_t irIndex,
                                                             const size_t relativeIndex, aclTensorList *tensors,
                                                             void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor *executor, size_t irIndex,
                                                              const size_t relativeIndex, aclTensorList *tensors,
                                                              void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor *executor, size_t irIndex,
                                                        const size_t relativeIndex, aclTensorList *tensors, void *addr);
/* The same under the names of older headers. */
ACL_FUNC_VISIBILITY aclnnStatus AclSetInputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor,
                                                      void *addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetOutputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor,
                                                       void *addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor,
                                                 void *addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetDynamicInputTensorAddr(aclOpExecutor *executor, size_t irIndex,
                                                             const size_t relativeIndex, aclTensorList *tensors,
                                                             void *addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetDynamicOutputTensorAddr(aclOpExecutor *executor, size_t irIndex,
                                                              const size_t relativeIndex, aclTensorList *tensors,
                                                              void *addr);
ACL_FUNC_VISIBILITY aclnnStatus AclSetDynamicTensorAddr(aclOpExecutor *executor, size_t irIndex,
                                                        const size_t relativeIndex, aclTensorList *tensors, void *addr);

/* The tensors of an operator that the program computes itself, inputs first: a file of them in the dump that aclInit or
 * aclmdlSetDump began, as they are when the stream gets there; dump_mode chooses between inputs and outputs. Without a
 * dump it only checks. The tensors may be destroyed once it returns. */
ACL_FUNC_VISIBILITY aclnnStatus aclDumpOpTensors(const char *opType, const char *opName, aclTensor **tensors,
                                                 size_t inputTensorNum, size_t outputTensorNum, aclrtStream stream);

/* In place of aclInit and aclFinalize, for programs that call operators alone. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInit(const char *configPath);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFinalize(void);

#ifdef __cplusplus
}
#endif
#endif /* ACLNN_ACL_META_H_ */
