#include "check_parts.h"
void audit_check_gaps(audit_case *c) {(void)c;}
