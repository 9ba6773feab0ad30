/* What every header of an operator call includes. */
#ifndef ACLNN_ACLNN_BASE_H_
#define ACLNN_ACLNN_BASE_H_

#include "../acl/acl_base.h"
#include "../acl/acl_rt.h"
#include "acl_meta.h"

#endif /* ACLNN_ACLNN_BASE_H_ */
