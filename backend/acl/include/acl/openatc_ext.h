/* What OpenATC's device can tell or be told and ACL has no call for. Not part of ACL: find each function by its symbol
 * (dlsym) and go without where it is absent, so that one program runs on this device and on a real one. */
#ifndef ACL_OPENATC_EXT_H_
#define ACL_OPENATC_EXT_H_

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"
#include "acl_mdl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Values of no fixed size. In a buffer, strings (ACL_STRING) and sequences (OPENATC_VARIANT, an aclDataType of this
 * device alone; an optional is a sequence of one element or none) take this form, all numbers little-endian:
 *   strings    a record for each element, row-major: uint64 count of bytes, the bytes.
 *   sequences  a record for each element: uint64 count of bytes, then a tensor: int32 type (aclDataType), uint32 rank,
 *              int64 dims[rank], and its data: plain elements as they lie in memory, strings and sequences as here.
 *              An absent element has the type 28, rank 0 and no data.
 * The shape travels in the dataset's description, as for any tensor: that of a sequence is [number of elements]. A buffer
 * may have more bytes than its value takes; how many an output takes is only known after a run, so give a buffer
 * (NULL, 0), which is allocated then. */
enum { OPENATC_VARIANT = 26 };

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
/* The floating-point type with the fewest bits of significand among the results that output `index` of the model depends
 * on: FLOAT16 for a float output of a model that was converted to compute in half precision. Judge a comparison with a
 * reference by it. ACL_DT_UNDEFINED (-1) where nothing on the way is a floating-point number. 100000 for an index that is
 * none. */
ACL_FUNC_VISIBILITY aclError openatcGetOutputPrecision(uint32_t modelId, size_t index, aclDataType *dataType);
/* Of the calling thread's current device. */
ACL_FUNC_VISIBILITY aclError openatcGetMemoryStats(openatcMemoryStats *stats, size_t statsSize);

/* A model for aclmdlLoadFromModel of the bytes of an om, which are copied: where CANN's C++ interface hands over what it has
 * just built. 145000 for what is no om. Models that were loaded from it outlive it. */
ACL_FUNC_VISIBILITY aclError openatcCreateModel(const void *om, size_t omSize, aclmdlModel *model);
ACL_FUNC_VISIBILITY aclError openatcDestroyModel(const aclmdlModel *model);

/* What the tasks of one model did, from openatcStartProfile to openatcStopProfile. Times are those of the host's clock
 * CLOCK_MONOTONIC, in nanoseconds: they say how long the simulated device took, nothing about an NPU. */
typedef struct openatcProfile openatcProfile;
enum { OPENATC_TASK_KERNEL = 0, OPENATC_TASK_EVENT_RECORD = 1, OPENATC_TASK_EVENT_WAIT = 2 };

/* One task in one run. Texts live as long as the profile; those of ports hold one part for each port, separated by ';':
 * "1,3,48,320;64,3,3,3", "FLOAT16;FLOAT16", "NC1HWC0;NCHW". */
typedef struct openatcTaskRecord {
  uint32_t run;      /* since the start of the profile, from 0 */
  uint32_t taskId;   /* as in the model */
  uint32_t streamId; /* of the plan, from 0 */
  int32_t kind;      /* OPENATC_TASK_... */
  int64_t eventId;   /* of records and waits, else -1 */
  uint32_t cores;    /* that worked on it */
  uint32_t reserved;
  uint64_t startNs;
  uint64_t endNs;
  const char *opName;
  const char *opType;
  const char *taskType; /* AI_CORE, AI_VECTOR_CORE, AI_CPU, ...: where an NPU would run it */
  const char *inputShapes;
  const char *inputTypes;
  const char *inputFormats;
  const char *outputShapes;
  const char *outputTypes;
  const char *outputFormats;
} openatcTaskRecord;

/* 100000 when the model is being profiled already, or when openatcStopProfile finds that it is not. A profile is
 * released by openatcDestroyProfile. */
ACL_FUNC_VISIBILITY aclError openatcStartProfile(uint32_t modelId);
ACL_FUNC_VISIBILITY aclError openatcStopProfile(uint32_t modelId, openatcProfile **profile);
ACL_FUNC_VISIBILITY size_t openatcGetNumTaskRecords(const openatcProfile *profile);
/* In the order in which tasks began. 100000 for an index that is none. */
ACL_FUNC_VISIBILITY aclError openatcGetTaskRecord(const openatcProfile *profile, size_t index,
                                                  openatcTaskRecord *record, size_t recordSize);
ACL_FUNC_VISIBILITY aclError openatcDestroyProfile(openatcProfile *profile);

/* What a task made, as it made it. Data are those of the origin view: contiguous, row-major; strings and sequences in the
 * form above. All pointers are valid during the call alone. */
typedef struct openatcTensorRecord {
  uint32_t position;     /* of the task in the order of the plan, from 0 */
  uint32_t taskId;       /* as in openatcTaskRecord */
  uint32_t streamId;
  uint32_t outputIndex;
  int32_t dataType;      /* aclDataType */
  int32_t format;        /* aclFormat of the origin view */
  int32_t storageFormat; /* aclFormat in which the device of the plan holds it */
  uint32_t rank;
  const int64_t *dims;
  const void *data;
  uint64_t bytes;
  const char *opName;
  const char *opType;
  const char *originNames; /* nodes of the source model that the task stands for, in their order, separated by ';' */
} openatcTensorRecord;
typedef void (*openatcTensorCallback)(const openatcTensorRecord *record, void *userData);

/* From now on every run of the model calls `callback` for each output of each task that is read by another task or by the
 * caller, from one thread at a time; NULL: no longer. Nodes within branches and loop bodies are left out. The callback
 * must not call into ACL. */
ACL_FUNC_VISIBILITY aclError openatcSetTensorCallback(uint32_t modelId, openatcTensorCallback callback, void *userData);

/* The fast kernel that may serve operators of this type ("Conv2D"), where types and shapes allow it, or "reference". */
ACL_FUNC_VISIBILITY const char *openatcGetKernelName(const char *opType);

/* Whether the file is an om that OpenATC wrote (1) or one of another origin (0), which this device cannot run.
 * 100003 when it cannot be read, 100013 when it is no om. */
ACL_FUNC_VISIBILITY aclError openatcIsOwnModel(const char *fileName, int32_t *own);

#ifdef __cplusplus
}
#endif
#endif /* ACL_OPENATC_EXT_H_ */
