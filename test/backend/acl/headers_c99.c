/* The public headers are clean C99, and a C program can call through them. */
#include "header_sizes.h"

int openatc_headers_c99(void) { return aclInit(NULL) == ACL_SUCCESS && aclFinalize() == ACL_ERROR_NONE; }
