// Everything is in the header, so that it is inlined into its callers.
#include "byte_marks.h"
