extern "C" __global__ void kernel(int* out) {
    if (out[0] > 3) {
        break;  // error
    }
}
