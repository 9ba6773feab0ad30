/* What the C headers must be in either language: an array of negative size where a size or a value is wrong. */
#ifndef TEST_BACKEND_ACL_HEADER_SIZES_H_
#define TEST_BACKEND_ACL_HEADER_SIZES_H_

#include "acl/acl.h"
#include "acl/acl_base_mdl.h"
#include "acl/acl_base_rt.h"
#include "acl/acl_dump.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_rt_allocator.h"
#include "acl/acl_prof.h"
#include "acl/acl_tdt.h"
#include "acl/acl_tdt_queue.h"
#include "acl/openatc_ext.h"
#include "acl/ops/acl_cblas.h"
#include "aclnn/aclnn_base.h"
#include "aclnn/openatc_op.h"
#include "aclnnop/aclnn_ops.h"

#define HOLDS(name, condition) typedef char name[(condition) ? 1 : -1]

/* Layouts of the ABI on a 64-bit machine. */
HOLDS(size_of_dims, sizeof(aclmdlIODims) == 1160);
HOLDS(size_of_dims_range, sizeof(aclmdlIODimsRange) == 2056);
HOLDS(size_of_batch, sizeof(aclmdlBatch) == 1032);
HOLDS(size_of_hw, sizeof(aclmdlHW) == 2056);
HOLDS(size_of_aipp_dims, sizeof(aclAippDims) == 2336);
HOLDS(size_of_om_desc, sizeof(aclmdlExeOMDesc) == 128);
HOLDS(size_of_usage, sizeof(aclrtMemUsageInfo) == 112 && sizeof(aclrtUtilizationInfo) == 24);
HOLDS(size_of_attr_value, sizeof(aclrtStreamAttrValue) == 16 && sizeof(aclmdlAttrValue_t) == 32);
HOLDS(size_of_pointer_attributes, sizeof(aclrtPtrAttributes) == 28);
HOLDS(size_of_status, sizeof(aclnnStatus) == 4);
HOLDS(place_of_dim_count, offsetof(aclmdlIODims, dimCount) == 128);
HOLDS(place_of_dims, offsetof(aclmdlIODims, dims) == 136);
HOLDS(size_of_error, sizeof(aclError) == 4);
HOLDS(size_of_half, sizeof(aclFloat16) == 2);
HOLDS(size_of_enum, sizeof(aclDataType) == 4 && sizeof(aclFormat) == 4 && sizeof(aclrtMemcpyKind) == 4);
HOLDS(size_of_stream, sizeof(aclrtStream) == sizeof(void *) && sizeof(aclrtEvent) == sizeof(void *));
HOLDS(size_of_model_stats, sizeof(openatcModelStats) == 48);
HOLDS(size_of_memory_stats, sizeof(openatcMemoryStats) == 48);
HOLDS(size_of_task_record, sizeof(openatcTaskRecord) == 120);
HOLDS(size_of_chunk, sizeof(acldumpChunk) == 4120 && offsetof(acldumpChunk, dataBuf) == 4116);
HOLDS(size_of_dump_tensor, sizeof(acldumpTensorInfo) == 456);
HOLDS(size_of_error_info, sizeof(aclrtErrorInfo) == 2576 && sizeof(aclrtMemUceInfo) == 128);
HOLDS(size_of_package_version, sizeof(aclCANNPackageVersion) == 512);
HOLDS(size_of_launch_attr, sizeof(aclrtLaunchKernelAttr) == 20 && sizeof(aclrtBinaryLoadOption) == 20);
HOLDS(size_of_task_params, sizeof(aclmdlRITaskParams) == 200 && sizeof(aclmdlRICondTaskParams) == 24);
HOLDS(size_of_physical, sizeof(aclrtPhysicalMemProp) == 32 && sizeof(aclrtMemAccessDesc) == 24);
HOLDS(size_of_counted, sizeof(aclrtCntNotifyWaitInfo) == 16 && sizeof(aclrtCntNotifyRecordInfo) == 8);
HOLDS(size_of_random, sizeof(aclrtRandomParaInfo) == 16 && sizeof(aclrtRandomNumTaskInfo) == 104);
HOLDS(size_of_barrier, sizeof(aclrtBarrierTaskInfo) == 56 && sizeof(aclrtTaskUpdateInfo) == 48);
HOLDS(size_of_handles, sizeof(aclrtIpcEventHandle) == 64 && sizeof(aclrtUuid) == 16 && sizeof(dim3) == 12);

HOLDS(value_of_bf16, ACL_BF16 == 27 && ACL_DT_UNDEFINED == -1 && ACL_BOOL == 12);
HOLDS(value_of_config, ACL_MDL_WITHOUT_GRAPH_INT32 == 28 && ACL_NPU_PERF_MODE == 29 && ACL_MDL_NPU_PERF_MODE == 9);
HOLDS(value_of_nz, ACL_FORMAT_FRACTAL_NZ == 29 && ACL_FORMAT_NCL == 47);
HOLDS(value_of_kind, ACL_MEMCPY_DEVICE_TO_DEVICE == 3 && ACL_MEMCPY_INTER_DEVICE_TO_DEVICE == 7);
HOLDS(value_of_status, ACL_EVENT_STATUS_COMPLETE == 0 && ACL_EVENT_RECORDED_STATUS_COMPLETE == 1);

#endif /* TEST_BACKEND_ACL_HEADER_SIZES_H_ */
