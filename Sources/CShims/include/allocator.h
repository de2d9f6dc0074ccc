#ifndef ROLLCALL_ALLOCATOR_H
#define ROLLCALL_ALLOCATOR_H

// Makes the C library allocate large blocks separately and return them to the system as soon as
// they are freed; by default it stops doing so after a while. Has no effect without glibc.
void rollcall_keep_large_blocks_apart(void);

#endif
