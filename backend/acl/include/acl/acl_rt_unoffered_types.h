/* What the calls of acl_rt_unoffered.h take: graph capture, virtual memory, sharing between processes, counted
 * notifies and the like. The layouts are those of the ABI. */
#ifndef ACL_ACL_RT_UNOFFERED_TYPES_H_
#define ACL_ACL_RT_UNOFFERED_TYPES_H_

#include "acl_base.h"
#include "acl_rt_kernel.h"
#include "acl_rt_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void *aclmdlRITask;
typedef void *aclrtCntNotify;
typedef void *aclrtLabel;
typedef void *aclrtLabelList;
typedef void *aclrtMbuf;
typedef void *aclrtTaskGrp;
typedef struct aclrtGroupInfo aclrtGroupInfo;
typedef enum aclrtTsId { ACL_TS_ID_AICORE = 0, ACL_TS_ID_AIVECTOR = 1, ACL_TS_ID_RESERVED = 2 } aclrtTsId;
typedef enum aclrtMemManagedAdviseType {
  ACL_MEM_ADVISE_SET_READ_MOSTLY = 0, ACL_MEM_ADVISE_UNSET_READ_MOSTLY = 1, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION = 2,
  ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 3, ACL_MEM_ADVISE_SET_ACCESSED_BY = 4,
  ACL_MEM_ADVISE_UNSET_ACCESSED_BY = 5
} aclrtMemManagedAdviseType;
typedef enum aclrtMemManagedLocationType {
  ACL_MEM_LOCATIONTYPE_INVALID = 0, ACL_MEM_LOCATIONTYPE_DEVICE = 1, ACL_MEM_LOCATIONTYPE_HOST = 2,
  ACL_MEM_LOCATIONTYPE_HOST_NUMA = 3, ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT = 4
} aclrtMemManagedLocationType;
typedef struct aclrtMemManagedLocation { aclrtMemManagedLocationType type; int32_t id; } aclrtMemManagedLocation;
typedef struct aclrtServerPid { uint32_t sdid; int32_t *pid; size_t num; } aclrtServerPid;
typedef enum aclrtIpcMemAttrType { ACL_RT_IPC_MEM_ATTR_ACCESS_LINK = 0 } aclrtIpcMemAttrType;
typedef enum aclrtGroupAttr {
  ACL_GROUP_AICORE_INT = 0, ACL_GROUP_AIV_INT = 1, ACL_GROUP_AIC_INT = 2, ACL_GROUP_SDMANUM_INT = 3,
  ACL_GROUP_ASQNUM_INT = 4, ACL_GROUP_GROUPID_INT = 5
} aclrtGroupAttr;
typedef enum aclrtFloatOverflowMode {
  ACL_RT_OVERFLOW_MODE_SATURATION = 0, ACL_RT_OVERFLOW_MODE_INFNAN = 1, ACL_RT_OVERFLOW_MODE_UNDEF = 2
} aclrtFloatOverflowMode;
typedef enum aclrtMemManagedRangeAttribute {
  ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY = 1, ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION = 2,
  ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY = 3, ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE = 4,
  ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID = 5, ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION = 6,
  ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE = 7, ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID = 8
} aclrtMemManagedRangeAttribute;
typedef enum aclrtMemAllocationType { ACL_MEM_ALLOCATION_TYPE_PINNED = 0 } aclrtMemAllocationType;
typedef enum aclrtMemHandleType { ACL_MEM_HANDLE_TYPE_NONE = 0, ACL_MEM_HANDLE_TYPE_POSIX = 2 } aclrtMemHandleType;
typedef enum aclrtMemSharedHandleType {
  ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT = 1, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC = 2
} aclrtMemSharedHandleType;
typedef struct aclrtMemFabricHandle { uint8_t data[128]; } aclrtMemFabricHandle;
typedef struct aclrtPhysicalMemProp {
  aclrtMemHandleType handleType; aclrtMemAllocationType allocationType; aclrtMemAttr memAttr;
  aclrtMemLocation location; uint64_t reserve;
} aclrtPhysicalMemProp;
typedef enum aclrtMemGranularityOptions {
  ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM = 0, ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1,
  ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF = 0xffff
} aclrtMemGranularityOptions;
typedef void *aclrtDrvMemHandle;
typedef void (*aclrtOpExceptionCallback)(aclrtExceptionInfo *exceptionInfo, void *userData);
typedef void *aclmdlRI;
typedef enum aclmdlRICaptureMode {
  ACL_MODEL_RI_CAPTURE_MODE_GLOBAL = 0, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL = 1,
  ACL_MODEL_RI_CAPTURE_MODE_RELAXED = 2
} aclmdlRICaptureMode;
typedef enum aclmdlRICaptureStatus {
  ACL_MODEL_RI_CAPTURE_STATUS_NONE = 0, ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE = 1,
  ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED = 2
} aclmdlRICaptureStatus;
typedef enum aclrtCmoType {
  ACL_RT_CMO_TYPE_PREFETCH = 0, ACL_RT_CMO_TYPE_WRITEBACK = 1, ACL_RT_CMO_TYPE_INVALID = 2, ACL_RT_CMO_TYPE_FLUSH = 3
} aclrtCmoType;
typedef enum aclmdlRITaskType {
  ACL_MODEL_RI_TASK_DEFAULT = 0, ACL_MODEL_RI_TASK_KERNEL = 1, ACL_MODEL_RI_TASK_EVENT_RECORD = 2,
  ACL_MODEL_RI_TASK_EVENT_WAIT = 3, ACL_MODEL_RI_TASK_EVENT_RESET = 4, ACL_MODEL_RI_TASK_VALUE_WRITE = 5,
  ACL_MODEL_RI_TASK_VALUE_WAIT = 6
} aclmdlRITaskType;
typedef struct aclmdlRIKernelTaskParams {
  aclrtFuncHandle funcHandle; aclrtLaunchKernelCfg *cfg; void *args; uint32_t isHostArgs; size_t argsSize;
  uint32_t numBlocks; uint32_t rsv[10];
} aclmdlRIKernelTaskParams;
typedef struct aclmdlRIEventRecordTaskParams {
  aclrtEvent event; uint32_t eventFlag; uint32_t recordFlag;
} aclmdlRIEventRecordTaskParams;
typedef struct aclmdlRIEventWaitTaskParams {
  aclrtEvent event; uint32_t eventFlag; uint32_t waitFlag;
} aclmdlRIEventWaitTaskParams;
typedef struct aclmdlRIEventResetTaskParams {
  aclrtEvent event; uint32_t eventFlag; uint32_t resetFlag;
} aclmdlRIEventResetTaskParams;
typedef struct aclmdlRIValueWriteTaskParams { void *devAddr; uint64_t value; } aclmdlRIValueWriteTaskParams;
typedef struct aclmdlRIValueWaitTaskParams {
  void *devAddr; uint64_t value; uint32_t flag;
} aclmdlRIValueWaitTaskParams;
typedef struct aclmdlRITaskParams {
  aclmdlRITaskType type;
  uint32_t rsv0[3];
  aclrtTaskGrp taskGrp;
  void *opInfoPtr;
  size_t opInfoSize;
  uint8_t rsv1[32];
  __extension__ union {
    uint8_t rsv2[128];
    aclmdlRIKernelTaskParams kernelTaskParams;
    aclmdlRIEventRecordTaskParams eventRecordTaskParams;
    aclmdlRIEventWaitTaskParams eventWaitTaskParams;
    aclmdlRIEventResetTaskParams eventResetTaskParams;
    aclmdlRIValueWriteTaskParams valueWriteTaskParams;
    aclmdlRIValueWaitTaskParams valueWaitTaskParams;
  };
} aclmdlRITaskParams;
typedef enum aclrtReduceKind {
  ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM = 10, ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX = 11, ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN = 12,
  ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL = 13
} aclrtReduceKind;
typedef enum aclrtDevResLimitType { ACL_RT_DEV_RES_CUBE_CORE = 0, ACL_RT_DEV_RES_VECTOR_CORE = 1 } aclrtDevResLimitType;
typedef enum aclrtCondition {
  ACL_RT_EQUAL = 0, ACL_RT_NOT_EQUAL = 1, ACL_RT_GREATER = 2, ACL_RT_GREATER_OR_EQUAL = 3, ACL_RT_LESS = 4,
  ACL_RT_LESS_OR_EQUAL = 5
} aclrtCondition;
typedef enum aclrtCompareDataType { ACL_RT_SWITCH_INT32 = 0, ACL_RT_SWITCH_INT64 = 1 } aclrtCompareDataType;
typedef struct aclrtBarrierCmoInfo { aclrtCmoType cmoType; uint32_t barrierId; } aclrtBarrierCmoInfo;
typedef struct aclrtBarrierTaskInfo { size_t barrierNum; aclrtBarrierCmoInfo cmoInfo[6]; } aclrtBarrierTaskInfo;
typedef struct aclrtRandomParaInfo {
  uint8_t isAddr; uint8_t valueOrAddr[8]; uint8_t size; uint8_t rsv[6];
} aclrtRandomParaInfo;
typedef struct aclrtDropoutBitmaskInfo { aclrtRandomParaInfo dropoutRation; } aclrtDropoutBitmaskInfo;
typedef struct aclrtUniformDisInfo { aclrtRandomParaInfo min; aclrtRandomParaInfo max; } aclrtUniformDisInfo;
typedef struct aclrtNormalDisInfo { aclrtRandomParaInfo mean; aclrtRandomParaInfo stddev; } aclrtNormalDisInfo;
typedef enum aclrtRandomNumFuncType {
  ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK = 0, ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS = 1,
  ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS = 2, ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS = 3
} aclrtRandomNumFuncType;
typedef struct aclrtRandomNumFuncParaInfo {
  aclrtRandomNumFuncType funcType;
  union {
    aclrtDropoutBitmaskInfo dropoutBitmaskInfo;
    aclrtUniformDisInfo uniformDisInfo;
    aclrtNormalDisInfo normalDisInfo;
  } paramInfo;
} aclrtRandomNumFuncParaInfo;
typedef struct aclrtRandomNumTaskInfo {
  aclDataType dataType;
  aclrtRandomNumFuncParaInfo randomNumFuncParaInfo;
  void *randomParaAddr;
  void *randomResultAddr;
  void *randomCounterAddr;
  aclrtRandomParaInfo randomSeed;
  aclrtRandomParaInfo randomNum;
  uint8_t rsv[8];
} aclrtRandomNumTaskInfo;
typedef enum aclrtDeviceTaskAbortStage {
  ACL_RT_DEVICE_TASK_ABORT_PRE = 0, ACL_RT_DEVICE_TASK_ABORT_POST = 1
} aclrtDeviceTaskAbortStage;
typedef enum aclrtUpdateTaskAttrId {
  ACL_RT_UPDATE_RANDOM_TASK = 1, ACL_RT_UPDATE_AIC_AIV_TASK = 2
} aclrtUpdateTaskAttrId;
typedef struct aclrtRandomTaskUpdateAttr { void *srcAddr; size_t size; uint32_t rsv[4]; } aclrtRandomTaskUpdateAttr;
typedef struct aclrtAicAivTaskUpdateAttr {
  void *binHandle; void *funcEntryAddr; void *blockDimAddr; uint32_t rsv[4];
} aclrtAicAivTaskUpdateAttr;
typedef union aclrtUpdateTaskAttrVal {
  aclrtRandomTaskUpdateAttr randomTaskAttr; aclrtAicAivTaskUpdateAttr aicAivTaskAttr;
} aclrtUpdateTaskAttrVal;
typedef struct aclrtTaskUpdateInfo { aclrtUpdateTaskAttrId id; aclrtUpdateTaskAttrVal val; } aclrtTaskUpdateInfo;
typedef enum aclrtDeviceState {
  ACL_RT_DEVICE_STATE_SET_PRE = 0, ACL_RT_DEVICE_STATE_SET_POST = 1, ACL_RT_DEVICE_STATE_RESET_PRE = 2,
  ACL_RT_DEVICE_STATE_RESET_POST = 3
} aclrtDeviceState;
typedef void (*aclrtDeviceStateCallback)(int32_t deviceId, aclrtDeviceState state, void *args);
typedef enum aclrtSnapShotStage {
  ACL_RT_SNAPSHOT_LOCK_PRE = 0, ACL_RT_SNAPSHOT_BACKUP_PRE = 1, ACL_RT_SNAPSHOT_BACKUP_POST = 2,
  ACL_RT_SNAPSHOT_RESTORE_PRE = 3, ACL_RT_SNAPSHOT_RESTORE_POST = 4, ACL_RT_SNAPSHOT_UNLOCK_POST = 5
} aclrtSnapShotStage;
typedef uint32_t (*aclrtSnapShotCallBack)(int32_t deviceId, void *args);
typedef struct aclrtSnapShotBackupArgs { uint32_t backupFlags; char reserved[60]; } aclrtSnapShotBackupArgs;
typedef struct aclrtSnapShotRestoreArgs { uint32_t restoreFlags; char reserved[60]; } aclrtSnapShotRestoreArgs;
typedef struct aclrtUuid { char bytes[16]; } aclrtUuid;
typedef enum aclrtStreamState {
  ACL_RT_STREAM_STATE_CREATE_POST = 1, ACL_RT_STREAM_STATE_DESTROY_PRE = 2
} aclrtStreamState;
typedef void (*aclrtStreamStateCallback)(aclrtStream stm, aclrtStreamState state, void *args);
typedef int32_t (*aclrtDeviceTaskAbortCallback)( int32_t deviceId, aclrtDeviceTaskAbortStage stage, uint32_t timeout,
    void *args);
typedef enum aclrtFuncAttribute {
  ACL_FUNC_ATTR_KERNEL_TYPE = 1, ACL_FUNC_ATTR_KERNEL_RATIO = 2, ACL_FUNC_ATTR_KERNEL_SCHED_MODE = 3
} aclrtFuncAttribute;
typedef enum aclrtKernelType {
  ACL_KERNEL_TYPE_AICORE = 0, ACL_KERNEL_TYPE_CUBE = 1, ACL_KERNEL_TYPE_VECTOR = 2, ACL_KERNEL_TYPE_MIX = 3,
  ACL_KERNEL_TYPE_AICPU = 100
} aclrtKernelType;
typedef enum aclrtCntNotifyRecordMode {
  ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE = 0, ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE = 1,
  ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE = 2, ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE = 4
} aclrtCntNotifyRecordMode;
typedef struct aclrtCntNotifyRecordInfo { aclrtCntNotifyRecordMode mode; uint32_t value; } aclrtCntNotifyRecordInfo;
typedef enum aclrtCntNotifyWaitMode {
  ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE = 0, ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE = 1, ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE = 2,
  ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE = 3, ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE = 4
} aclrtCntNotifyWaitMode;
typedef struct aclrtCntNotifyWaitInfo {
  aclrtCntNotifyWaitMode mode; uint32_t value; uint32_t timeout; uint8_t isClear; uint8_t rsv[3];
} aclrtCntNotifyWaitInfo;
typedef enum aclrtMemAccessFlags {
  ACL_RT_MEM_ACCESS_FLAGS_NONE = 0, ACL_RT_MEM_ACCESS_FLAGS_READ = 1, ACL_RT_MEM_ACCESS_FLAGS_READWRITE = 3
} aclrtMemAccessFlags;
typedef struct aclrtMemAccessDesc {
  aclrtMemAccessFlags flags; aclrtMemLocation location; uint8_t rsv[12];
} aclrtMemAccessDesc;
typedef enum aclrtHacType {
  ACL_RT_HAC_TYPE_STARS = 0, ACL_RT_HAC_TYPE_AICPU = 1, ACL_RT_HAC_TYPE_AIC = 2, ACL_RT_HAC_TYPE_AIV = 3,
  ACL_RT_HAC_TYPE_PCIEDMA = 4, ACL_RT_HAC_TYPE_RDMA = 5, ACL_RT_HAC_TYPE_SDMA = 6, ACL_RT_HAC_TYPE_DVPP = 7,
  ACL_RT_HAC_TYPE_UDMA = 8, ACL_RT_HAC_TYPE_CCU = 9
} aclrtHacType;
typedef enum aclrtHostMemMapCapability {
  ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED = 0, ACL_RT_HOST_MEM_MAP_SUPPORTED = 1
} aclrtHostMemMapCapability;
typedef enum aclrtMemLinkType {
  ACL_RT_MEM_ACCESS_LINK_SIO = 0, ACL_RT_MEM_ACCESS_LINK_HCCS = 1, ACL_RT_MEM_ACCESS_UB_ONE_PORT_PATH = 2,
  ACL_RT_MEM_ACCESS_UB_MULTI_PORT_PATH = 3
} aclrtMemLinkType;
typedef struct aclrtIpcEventHandle { char reserved[64]; } aclrtIpcEventHandle;
typedef enum aclrtAtomicOperationCapability {
  ACL_RT_ATOMIC_CAPABILITY_SIGNED = 1, ACL_RT_ATOMIC_CAPABILITY_UNSIGNED = 2, ACL_RT_ATOMIC_CAPABILITY_REDUCATION = 4,
  ACL_RT_ATOMIC_CAPABILITY_REDUCTION = 4, ACL_RT_ATOMIC_CAPABILITY_SCALAR8 = 8,
  ACL_RT_ATOMIC_CAPABILITY_SCALAR16 = 16, ACL_RT_ATOMIC_CAPABILITY_SCALAR32 = 32,
  ACL_RT_ATOMIC_CAPABILITY_SCALAR64 = 64, ACL_RT_ATOMIC_CAPABILITY_SCALAR128 = 128,
  ACL_RT_ATOMIC_CAPABILITY_VECTOR32X4 = 256
} aclrtAtomicOperationCapability;
typedef enum aclrtAtomicOperation {
  ACL_RT_ATOMIC_OPERATION_INTEGER_ADD = 0, ACL_RT_ATOMIC_OPERATION_INTEGER_MIN = 1,
  ACL_RT_ATOMIC_OPERATION_INTEGER_MAX = 2, ACL_RT_ATOMIC_OPERATION_INTEGER_INCREMENT = 3,
  ACL_RT_ATOMIC_OPERATION_INTEGER_DECREMENT = 4, ACL_RT_ATOMIC_OPERATION_AND = 5, ACL_RT_ATOMIC_OPERATION_OR = 6,
  ACL_RT_ATOMIC_OPERATION_XOR = 7, ACL_RT_ATOMIC_OPERATION_EXCHANGE = 8, ACL_RT_ATOMIC_OPERATION_CAS = 9,
  ACL_RT_ATOMIC_OPERATION_FLOAT_ADD = 10, ACL_RT_ATOMIC_OPERATION_FLOAT_MIN = 11,
  ACL_RT_ATOMIC_OPERATION_FLOAT_MAX = 12, ACL_RT_ATOMIC_OPERATION_DMA_ADD = 30, ACL_RT_ATOMIC_OPERATION_DMA_MIN = 31,
  ACL_RT_ATOMIC_OPERATION_DMA_MAX = 32, ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_ADD = 40,
  ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MIN = 41, ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MAX = 42,
  ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_CAS = 43, ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH = 44
} aclrtAtomicOperation;
typedef void *aclmdlRICondHandle;
typedef enum aclmdlRICondHandleFlag { ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT = 1 } aclmdlRICondHandleFlag;
typedef enum aclmdlRICondTaskType {
  ACL_MODEL_RI_COND_TYPE_IF = 0, ACL_MODEL_RI_COND_TYPE_WHILE = 1, ACL_MODEL_RI_COND_TYPE_SWITCH = 2
} aclmdlRICondTaskType;
typedef struct aclmdlRICondTaskParams {
  aclmdlRICondHandle handle; aclmdlRICondTaskType type; uint32_t size; aclmdlRI *modelRIArray;
} aclmdlRICondTaskParams;
typedef enum aclrtDeviceLimit {
  ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE = 0, ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE = 1,
  ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE = 2, ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE = 3,
  ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE = 4
} aclrtDeviceLimit;
typedef struct dim3 {
  uint32_t x;
  uint32_t y;
  uint32_t z;
#ifdef __cplusplus
  dim3(uint32_t vx = 1, uint32_t vy = 1, uint32_t vz = 1) : x(vx), y(vy), z(vz) {}
#endif
} dim3;

#ifdef __cplusplus
}
#endif
#endif /* ACL_ACL_RT_UNOFFERED_TYPES_H_ */
