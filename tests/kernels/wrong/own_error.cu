#define VERSION 3
#if VERSION < 4
#error "version 4 is wanted"  // error
#endif
extern "C" __global__ void kernel() {}
