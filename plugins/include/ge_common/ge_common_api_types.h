// What calls of the API return, and the keys of options as GetOptionValue takes them.
#pragma once

#include <cstdint>

#include "graph/types.h"

namespace ge {

using Status = uint32_t;

enum GraphRunMode { PREDICTION = 0, TRAIN };

constexpr const char_t* OPTION_GRAPH_RUN_MODE = "ge.graphRunMode";
constexpr const char_t* OPTION_EXEC_DEVICE_ID = "ge.exec.deviceId";
constexpr const char_t* OPTION_EXEC_DISABLE_REUSED_MEMORY = "ge.exec.disableReuseMemory";
constexpr const char_t* OPTION_STATIC_MODEL_OPS_LOWER_LIMIT = "ge.exec.static_model_ops_lower_limit";
constexpr const char_t* OPTION_HOST_ENV_OS = "ge.host_env_os";
constexpr const char_t* OPTION_HOST_ENV_CPU = "ge.host_env_cpu";
constexpr const char_t* SOC_VERSION = "ge.socVersion";
constexpr const char_t* PRECISION_MODE = "ge.exec.precision_mode";
constexpr const char_t* PRECISION_MODE_V2 = "ge.exec.precision_mode_v2";
constexpr const char_t* STREAM_MAX_PARALLEL_NUM = "ge.streamMaxParallelNum";
constexpr const char_t* AC_PARALLEL_ENABLE = "ac_parallel_enable";
constexpr const char_t* HCOM_PARALLEL = "ge.hcomParallel";
constexpr const char_t* CORE_TYPE = "ge.engineType";
constexpr const char_t* AICORE_NUM = "ge.aicoreNum";
constexpr const char_t* FUSION_SWITCH_FILE = "ge.fusionSwitchFile";
constexpr const char_t* ENABLE_SINGLE_STREAM = "ge.enableSingleStream";
constexpr const char_t* DETERMINISTIC = "ge.deterministic";
constexpr const char_t* EXTERNAL_WEIGHT = "ge.externalWeight";
constexpr const char_t* OUTPUT_DATATYPE = "ge.outputDatatype";
constexpr const char_t* MODIFY_MIXLIST = "ge.exec.modify_mixlist";

}  // namespace ge
