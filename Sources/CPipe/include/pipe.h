#ifndef ROLLCALL_CPIPE_H
#define ROLLCALL_CPIPE_H

// Copies up to `count` bytes of what is in one pipe to another, and leaves them where they are;
// waits for there to be any. -1 with errno where that fails, or where the system has no tee(2).
long rollcall_copy_pipe(int from, int to, unsigned long count);

#endif
