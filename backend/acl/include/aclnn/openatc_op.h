/* Operator calls of operators that plugins bring: what their aclnn functions are made of. Not part of ACL. */
#ifndef ACLNN_OPENATC_OP_H_
#define ACLNN_OPENATC_OP_H_

#include "../acl/acl_op.h"
#include "aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Phase 1 of an operator by its type, one of the built-in ones or of a plugin (which is loaded then): inputs and outputs in
 * the order of its definition, NULL for an optional one that is absent. attr may be NULL; it is copied. Codes as of every
 * operator call; 561003 for a type that is none. */
ACL_FUNC_VISIBILITY aclnnStatus openatcOpGetWorkspaceSize(const char *opType, const aclTensor *const *inputs,
                                                          uint64_t numInputs, aclTensor *const *outputs,
                                                          uint64_t numOutputs, const aclopAttr *attr,
                                                          uint64_t *workspaceSize, aclOpExecutor **executor);
/* Phase 2. */
ACL_FUNC_VISIBILITY aclnnStatus openatcOpRun(const char *opType, void *workspace, uint64_t workspaceSize,
                                             aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif
#endif /* ACLNN_OPENATC_OP_H_ */
