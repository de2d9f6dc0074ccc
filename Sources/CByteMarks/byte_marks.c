#include "byte_marks.h"
