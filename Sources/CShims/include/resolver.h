#ifndef ROLLCALL_RESOLVER_H
#define ROLLCALL_RESOLVER_H

// The reason for a missing answer; any other number if no server could be queried.
enum {
  ROLLCALL_NO_SUCH_NAME = 1,
  ROLLCALL_TRY_AGAIN = 2,
  ROLLCALL_NO_SUCH_RECORDS = 4,
};

// Queries the system's resolver for the records of a type (33: SRV) of a name, and waits for them.
//
// Returns the length of the answer, which is truncated to `capacity`, or -1 with the reason in
// `error`. Safe on any thread.
int rollcall_resolve(
    const char *name, int type, unsigned char *answer, int capacity, int *error);

#endif
