#define _GNU_SOURCE
#include "pipe.h"

#include <errno.h>
#include <fcntl.h>

long rollcall_copy_pipe(int from, int to, unsigned long count) {
#ifdef __linux__
  return tee(from, to, count, 0);
#else
  (void)from, (void)to, (void)count;
  errno = ENOSYS;
  return -1;
#endif
}
