// The ACL functions that this program calls, found at run time, so that OpenATC's device and a vendor's library serve
// alike.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "acl/openatc_ext.h"

namespace atc::omrun {

struct Backend {
  std::string path;  // of the library, as it was found
  // Names of all functions below and whether the library has each, in their order.
  std::vector<std::pair<std::string, bool>> symbols;
  std::string missing;  // those that this program cannot do without

  decltype(&aclInit) init = nullptr;
  decltype(&aclFinalize) finalize = nullptr;
  decltype(&aclGetRecentErrMsg) recent_error = nullptr;
  decltype(&aclrtSetDevice) set_device = nullptr;
  decltype(&aclrtResetDevice) reset_device = nullptr;
  decltype(&aclrtGetSocName) soc_name = nullptr;
  decltype(&aclrtMalloc) malloc = nullptr;
  decltype(&aclrtFree) free = nullptr;
  decltype(&aclrtMemcpy) memcpy = nullptr;
  decltype(&aclCreateDataBuffer) create_buffer = nullptr;
  decltype(&aclDestroyDataBuffer) destroy_buffer = nullptr;
  decltype(&aclUpdateDataBuffer) update_buffer = nullptr;
  decltype(&aclGetDataBufferAddr) buffer_address = nullptr;
  decltype(&aclGetDataBufferSizeV2) buffer_size = nullptr;
  decltype(&aclCreateTensorDesc) create_tensor_desc = nullptr;
  decltype(&aclDestroyTensorDesc) destroy_tensor_desc = nullptr;
  decltype(&aclGetTensorDescNumDims) tensor_desc_num_dims = nullptr;
  decltype(&aclGetTensorDescDimV2) tensor_desc_dim = nullptr;
  decltype(&aclmdlLoadFromFile) load = nullptr;
  decltype(&aclmdlUnload) unload = nullptr;
  decltype(&aclmdlCreateDesc) create_desc = nullptr;
  decltype(&aclmdlDestroyDesc) destroy_desc = nullptr;
  decltype(&aclmdlGetDesc) get_desc = nullptr;
  decltype(&aclmdlGetNumInputs) num_inputs = nullptr;
  decltype(&aclmdlGetNumOutputs) num_outputs = nullptr;
  decltype(&aclmdlGetInputSizeByIndex) input_size = nullptr;
  decltype(&aclmdlGetOutputSizeByIndex) output_size = nullptr;
  decltype(&aclmdlGetInputNameByIndex) input_name = nullptr;
  decltype(&aclmdlGetOutputNameByIndex) output_name = nullptr;
  decltype(&aclmdlGetInputFormat) input_format = nullptr;
  decltype(&aclmdlGetOutputFormat) output_format = nullptr;
  decltype(&aclmdlGetInputDataType) input_type = nullptr;
  decltype(&aclmdlGetOutputDataType) output_type = nullptr;
  decltype(&aclmdlGetInputDims) input_dims = nullptr;
  decltype(&aclmdlGetOutputDims) output_dims = nullptr;
  decltype(&aclmdlCreateDataset) create_dataset = nullptr;
  decltype(&aclmdlDestroyDataset) destroy_dataset = nullptr;
  decltype(&aclmdlAddDatasetBuffer) add_buffer = nullptr;
  decltype(&aclmdlSetDatasetTensorDesc) set_tensor_desc = nullptr;
  decltype(&aclmdlGetDatasetTensorDesc) get_tensor_desc = nullptr;
  decltype(&aclmdlExecute) execute = nullptr;

  // Null where the library has them not: older ACL libraries, and for the last group every vendor's.
  decltype(&aclrtGetDeviceCount) device_count = nullptr;
  decltype(&aclrtCreateStream) create_stream = nullptr;
  decltype(&aclrtDestroyStream) destroy_stream = nullptr;
  decltype(&aclrtSynchronizeStream) synchronize_stream = nullptr;
  decltype(&aclrtSynchronizeStreamWithTimeout) synchronize_stream_with_timeout = nullptr;
  decltype(&aclrtStreamQuery) stream_query = nullptr;
  decltype(&aclrtCreateEvent) create_event = nullptr;
  decltype(&aclrtDestroyEvent) destroy_event = nullptr;
  decltype(&aclrtRecordEvent) record_event = nullptr;
  decltype(&aclrtEventElapsedTime) elapsed_time = nullptr;
  decltype(&aclmdlExecuteAsync) execute_async = nullptr;
  decltype(&aclmdlGetDynamicBatch) dynamic_batch = nullptr;
  decltype(&aclmdlGetDynamicHW) dynamic_hw = nullptr;
  decltype(&aclmdlGetInputDynamicGearCount) gear_count = nullptr;
  decltype(&aclmdlGetInputDynamicDims) gear_dims = nullptr;
  decltype(&aclmdlSetDynamicBatchSize) set_batch = nullptr;
  decltype(&aclmdlSetDynamicHWSize) set_hw = nullptr;
  decltype(&aclmdlSetInputDynamicDims) set_dims = nullptr;
  decltype(&aclmdlGetCurOutputDims) current_output_dims = nullptr;
  decltype(&aclmdlGetTensorRealName) real_name = nullptr;
  decltype(&aclmdlGetInputDimsRange) input_range = nullptr;
  decltype(&aclrtSetExceptionInfoCallback) set_exception_callback = nullptr;
  decltype(&aclrtGetDeviceIdFromExceptionInfo) fault_device = nullptr;
  decltype(&aclrtGetStreamIdFromExceptionInfo) fault_stream = nullptr;
  decltype(&aclrtGetTaskIdFromExceptionInfo) fault_task = nullptr;
  decltype(&aclrtGetErrorCodeFromExceptionInfo) fault_code = nullptr;
  decltype(&openatcGetDeviceDescription) device_description = nullptr;
  decltype(&openatcSetCores) set_cores = nullptr;
  decltype(&openatcGetModelStats) model_stats = nullptr;
  decltype(&openatcGetOutputPrecision) output_precision = nullptr;
  decltype(&openatcIsOwnModel) is_own_model = nullptr;
  decltype(&openatcStartProfile) start_profile = nullptr;
  decltype(&openatcStopProfile) stop_profile = nullptr;
  decltype(&openatcGetNumTaskRecords) num_task_records = nullptr;
  decltype(&openatcGetTaskRecord) task_record = nullptr;
  decltype(&openatcDestroyProfile) destroy_profile = nullptr;
  decltype(&openatcGetKernelName) kernel_name = nullptr;
  decltype(&openatcSetTensorCallback) set_tensor_callback = nullptr;

  bool simulated() const { return device_description != nullptr; }
  bool can_run_async() const {
    return create_stream && destroy_stream && synchronize_stream && synchronize_stream_with_timeout && stream_query &&
           create_event && destroy_event && record_event && elapsed_time && execute_async;
  }
  bool can_tell_faults() const {
    return set_exception_callback && fault_device && fault_stream && fault_task && fault_code;
  }
  bool can_profile() const {
    return start_profile && stop_profile && num_task_records && task_record && destroy_profile;
  }

  // Throws RunError "<doing>: <what the library says> (code N)" unless the code is 0.
  void Check(aclError code, const std::string& doing) const;
};

// Opens `path`, or when it is empty the libascendcl.so beside this program (../lib, ../lib64), else the one that the
// loader finds. The library stays open for the life of the process. Throws RunError with the loader's words.
Backend FindBackend(const std::string& path);
// The same; also throws where functions are missing.
Backend OpenBackend(const std::string& path);

}  // namespace atc::omrun
