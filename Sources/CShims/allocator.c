#include "allocator.h"

// Defines __GLIBC__ if the library is glibc.
#include <stddef.h>
#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

void rollcall_keep_large_blocks_apart(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
  // Threads that share freed memory need less of it.
  mallopt(M_ARENA_MAX, 2);
#endif
}
