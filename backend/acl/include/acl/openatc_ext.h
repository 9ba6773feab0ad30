/* What OpenATC's device can tell or be told and ACL has no call for. Not part of ACL: find each function by its symbol
 * (dlsym) and go without where it is absent, so that one program runs on this device and on a real one. */
#ifndef ACL_OPENATC_EXT_H_
#define ACL_OPENATC_EXT_H_

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A structure of numbers is filled up to the size that the caller gives, so that it may grow at its end. */
typedef struct openatcModelStats {
  uint64_t arenaBytes;          /* feature memory, planned at conversion */
  uint64_t weightBytes;         /* constants, as they lie in the model file */
  uint64_t preparedWeightBytes; /* constants that were given another layout or type at load */
  uint64_t peakBytes;           /* most device memory that the model held at one time, weights included */
  uint32_t streamCount;         /* streams of the plan */
  uint32_t eventCount;          /* events of the plan */
  uint32_t taskCount;           /* tasks of one run */
  uint32_t reserved;
} openatcModelStats;

typedef struct openatcMemoryStats {
  uint64_t deviceBytes;     /* device memory in use */
  uint64_t devicePeakBytes; /* the most since the device was set */
  uint64_t deviceCount;     /* device allocations alive */
  uint64_t hostBytes;       /* memory of aclrtMallocHost in use */
  uint64_t hostPeakBytes;
  uint64_t hostCount;
} openatcMemoryStats;

/* "OpenATC 0.1.0" */
ACL_FUNC_VISIBILITY const char *openatcGetVersion(void);
/* One line on what stands in for an NPU here: "simulated Ascend device on the host CPU (x86_64, 8 cores)". */
ACL_FUNC_VISIBILITY const char *openatcGetDeviceDescription(void);

/* Cores that all models together may use. It takes effect for models loaded and streams created from then on; 0 means
 * every core that the process may run on, which is the default. 100000 above that number. */
ACL_FUNC_VISIBILITY aclError openatcSetCores(uint32_t cores);
ACL_FUNC_VISIBILITY aclError openatcGetCores(uint32_t *cores);

ACL_FUNC_VISIBILITY aclError openatcGetModelStats(uint32_t modelId, openatcModelStats *stats, size_t statsSize);
/* Of the calling thread's current device. */
ACL_FUNC_VISIBILITY aclError openatcGetMemoryStats(openatcMemoryStats *stats, size_t statsSize);

/* Whether the file is an om that OpenATC wrote (1) or one of another origin (0), which this device cannot run.
 * 100003 when it cannot be read, 100013 when it is no om. */
ACL_FUNC_VISIBILITY aclError openatcIsOwnModel(const char *fileName, int32_t *own);

#ifdef __cplusplus
}
#endif
#endif /* ACL_OPENATC_EXT_H_ */
