#ifndef ROLLCALL_CALLOCATOR_H
#define ROLLCALL_CALLOCATOR_H

// Has the C library give large blocks of memory of their own, always, and back to the system once
// they are freed; by itself it stops doing so after a while. Nothing where it is not glibc.
void rollcall_keep_large_blocks_apart(void);

#endif
