#define USE_HELPERS
#ifdef USE_HELPERS
#include "not_there/helpers.h"  // error
#endif
extern "C" __global__ void kernel() {}
