#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

// For memory of our own that a hash goes on in: a type of this alignment is none for Swift.
enum { xxh3StateBytes = sizeof(XXH3_state_t), xxh3StateAlignment = 64 };
