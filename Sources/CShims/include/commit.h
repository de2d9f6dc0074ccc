#ifndef ROLLCALL_COMMIT_H
#define ROLLCALL_COMMIT_H

// The commit from which the program was built, as set by `tools/build`; empty if it was built in
// another way, because then the commit is not certain.
const char *_Nonnull rollcall_commit(void);

#endif
