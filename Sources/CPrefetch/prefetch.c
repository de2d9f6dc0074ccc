// All of it stands in the header, to be compiled into who calls it.
#include "prefetch.h"
