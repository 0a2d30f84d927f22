#define ADD(a, b) \
    ((a) +        \
     (b))
__device__ const char* text = "one \
two";
extern "C" __global__ void kernel(int* out) {
    out[0] = ADD(1, 2);
    out[1] = missing;  // error
}
