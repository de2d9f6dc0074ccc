#ifndef ROLLCALL_CPREFETCH_H
#define ROLLCALL_CPREFETCH_H

// Asks the processor to load memory that will be read soon, without waiting; Swift has no operation
// for this. It is in a header so that it is inlined.
//
// Nothing is read, so any address is allowed.
static inline void rollcall_prefetch(const void *_Nonnull address) {
  __builtin_prefetch(address);
}

#endif
