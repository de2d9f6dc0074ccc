// Everything is in the header, so that it is inlined into its callers.
#include "prefetch.h"
