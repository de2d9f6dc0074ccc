#ifndef ROLLCALL_CPREFETCH_H
#define ROLLCALL_CPREFETCH_H

// Asks the processor to bring memory near that will be looked at soon, and does not wait for it;
// Swift has no operation for that. It stands here so that who calls it has it compiled in.
//
// Nothing is read: the place may be any.
static inline void rollcall_prefetch(const void *_Nonnull place) {
  __builtin_prefetch(place);
}

#endif
