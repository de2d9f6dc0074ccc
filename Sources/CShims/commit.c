#include "commit.h"

#ifndef ROLLCALL_COMMIT
#define ROLLCALL_COMMIT ""
#endif

const char *rollcall_commit(void) { return ROLLCALL_COMMIT; }
