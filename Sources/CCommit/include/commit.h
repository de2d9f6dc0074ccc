#ifndef ROLLCALL_CCOMMIT_H
#define ROLLCALL_CCOMMIT_H

// The commit that the program was built from, as `tools/build` says it; empty where it was built in
// another way, for then nobody knows it for certain.
const char *_Nonnull rollcall_commit(void);

#endif
