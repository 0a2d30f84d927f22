#include "own/broken.h"
extern "C" __global__ void kernel(int* out) { out[0] = broken(); }
