#include "check_parts.h"
void audit_check_energy(audit_case *c) {(void)c;}
