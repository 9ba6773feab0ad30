/* The model part of acl_base.h, which holds all of it. */
#ifndef ACL_ACL_BASE_MDL_H_
#define ACL_ACL_BASE_MDL_H_
#include "acl_base.h"
#endif /* ACL_ACL_BASE_MDL_H_ */
