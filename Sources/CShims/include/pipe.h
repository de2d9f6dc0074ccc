#ifndef ROLLCALL_PIPE_H
#define ROLLCALL_PIPE_H

// Copies up to `count` bytes from one pipe to another without removing them, and waits until there
// are any. Returns -1 and sets errno if that fails or the system has no tee(2).
long rollcall_copy_pipe(int from, int to, unsigned long count);

#endif
