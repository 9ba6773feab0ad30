/* What acl_rt.h knows of the process as a whole: callbacks at its start and end, versions of packages, and what a
 * device's last fault was. */
#ifndef ACL_ACL_RT_SYSTEM_H_
#define ACL_ACL_RT_SYSTEM_H_

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclrtMemUceInfo { void *addr; size_t len; size_t reserved[14]; } aclrtMemUceInfo;
typedef enum aclrtErrorType {
  ACL_RT_NO_ERROR = 0, ACL_RT_ERROR_MEMORY = 1, ACL_RT_ERROR_L2 = 2, ACL_RT_ERROR_AICORE = 3, ACL_RT_ERROR_LINK = 4,
  ACL_RT_ERROR_L3_PORT = 5, ACL_RT_ERROR_OTHERS = 0xffff
} aclrtErrorType;
typedef enum aclrtAicoreErrorType {
  ACL_RT_AICORE_ERROR_UNKNOWN = 0, ACL_RT_AICORE_ERROR_SW = 1, ACL_RT_AICORE_ERROR_HW_LOCAL = 2
} aclrtAicoreErrorType;
typedef struct aclrtMemUceInfoArray { size_t arraySize; aclrtMemUceInfo memUceInfoArray[20]; } aclrtMemUceInfoArray;
typedef union aclrtErrorInfoDetail {
  aclrtMemUceInfoArray uceInfo; aclrtAicoreErrorType aicoreErrType;
} aclrtErrorInfoDetail;
typedef struct aclrtErrorInfo {
  uint8_t tryRepair; uint8_t hasDetail; uint8_t reserved[2]; aclrtErrorType errorType; aclrtErrorInfoDetail detail;
} aclrtErrorInfo;
typedef enum aclCANNPackageName {
  ACL_PKG_NAME_CANN = 0, ACL_PKG_NAME_RUNTIME = 1, ACL_PKG_NAME_COMPILER = 2, ACL_PKG_NAME_HCCL = 3,
  ACL_PKG_NAME_TOOLKIT = 4, ACL_PKG_NAME_OPP = 5, ACL_PKG_NAME_OPP_KERNEL = 6, ACL_PKG_NAME_DRIVER = 7
} aclCANNPackageName;
typedef struct aclCANNPackageVersion {
  char version[128]; char majorVersion[64]; char minorVersion[64]; char releaseVersion[64]; char patchVersion[64];
  char reserved[128];
} aclCANNPackageVersion;
typedef enum aclRegisterCallbackType {
  ACL_REG_TYPE_ACL_MODEL = 0, ACL_REG_TYPE_ACL_OP_EXECUTOR = 1, ACL_REG_TYPE_ACL_OP_CBLAS = 2,
  ACL_REG_TYPE_ACL_OP_COMPILER = 3, ACL_REG_TYPE_ACL_TDT_CHANNEL = 4, ACL_REG_TYPE_ACL_TDT_QUEUE = 5,
  ACL_REG_TYPE_ACL_DVPP = 6, ACL_REG_TYPE_ACL_RETR = 7, ACL_REG_TYPE_OTHER = 0xffff
} aclRegisterCallbackType;
typedef aclError (*aclInitCallbackFunc)(const char *configStr, size_t len, void *userData);
typedef aclError (*aclFinalizeCallbackFunc)(void *userData);

/* Called by aclInit with the text of its configuration file (at once where aclInit was called before), and by aclFinalize.
 * The first code that is not 0 is what these calls return. 100000 for a function that is registered already. */
ACL_FUNC_VISIBILITY aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc,
                                                     void *userData);
/* 100000 for one that is not registered. */
ACL_FUNC_VISIBILITY aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc);
ACL_FUNC_VISIBILITY aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc,
                                                         void *userData);
ACL_FUNC_VISIBILITY aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type,
                                                           aclFinalizeCallbackFunc cbFunc);

/* All packages have the version of the interface (1.17.0) but the driver, of which there is none: 100000. */
ACL_FUNC_VISIBILITY aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion *version);

/* ACL_RT_NO_ERROR, ACL_RT_ERROR_AICORE once a kernel has failed on the device, ACL_RT_ERROR_OTHERS while it is lost;
 * a reset ends both. None can be repaired otherwise. */
ACL_FUNC_VISIBILITY aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo *errorInfo);

#ifdef __cplusplus
}
#endif
#endif /* ACL_ACL_RT_SYSTEM_H_ */
