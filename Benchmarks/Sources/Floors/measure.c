#include "Floors.h"

#include <time.h>

static uint64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

__attribute__((noinline)) uint64_t floors_measure(
    int waits, void (*body)(void *context), void *context) {
  clockid_t clock = waits ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
  uint64_t start = now(clock);
  body(context);
  return now(clock) - start;
}
