/* Dumps of models that run, handed to the program instead of written to files; what starts them is in acl_rt.h. */
#ifndef ACL_ACL_DUMP_H_
#define ACL_ACL_DUMP_H_

#include <stdint.h>

#include "acl_base.h"
#include "acl_dump_unoffered.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ACL_DUMP_MAX_FILE_PATH_LENGTH 4096

/* A piece of what a file would hold; pieces of one file come in their order. */
typedef struct acldumpChunk {
  char fileName[ACL_DUMP_MAX_FILE_PATH_LENGTH];
  uint32_t bufLen;
  uint32_t isLastChunk;
  int64_t offset; /* in the file */
  int32_t flag;   /* 0 */
  __extension__ uint8_t dataBuf[0];
} acldumpChunk;

typedef enum acldumpType {
  AIC_ERR_BRIEF_DUMP = 1,
  AIC_ERR_NORM_DUMP = 2,
  AIC_ERR_DETAIL_DUMP = 3,
  DATA_DUMP = 4,
  OVERFLOW_DUMP = 5
} acldumpType;

/* The callback gets all that is dumped from the next aclmdlInitDump on, also without aclmdlSetDump: then the outputs of all
 * operators. It is called on the threads that run models and must return 0; another number ends the run with a fault.
 * flag: 0. */
ACL_FUNC_VISIBILITY aclError acldumpRegCallback(int32_t (*const messageCallback)(const acldumpChunk *chunk, int32_t len),
                                                int32_t flag);
ACL_FUNC_VISIBILITY void acldumpUnregCallback(void);
/* The folder below dump_path that the files of the dump under way are in, named by the time when it began, while DATA_DUMP
 * is on; it is made by the first run. NULL otherwise and for other kinds. Valid until the thread's next call. */
ACL_FUNC_VISIBILITY const char *acldumpGetPath(acldumpType dumpType);

#ifdef __cplusplus
}
#endif
#endif /* ACL_ACL_DUMP_H_ */
