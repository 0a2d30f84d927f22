extern "C" __global__ int kernel(int* out) {  // error
    return out[0];
}
