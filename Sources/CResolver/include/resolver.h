#ifndef ROLLCALL_CRESOLVER_H
#define ROLLCALL_CRESOLVER_H

// Asks the system's resolver for the records of a type (33: SRV) of a name, and waits for them.
//
// Returns the length of the answer, which is cut where it is longer than `capacity`, or -1 with
// `h_errno` in `error`: 1 where there is no such name, 4 where it has no such records, others where
// nobody could be asked. Safe on any thread.
int rollcall_resolve(
    const char *name, int type, unsigned char *answer, int capacity, int *error);

#endif
