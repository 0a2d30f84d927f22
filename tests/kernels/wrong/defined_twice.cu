extern "C" __global__ void kernel(int* out) {
    int value = 1;
    out[0] = value;
    float value = 2;  // error
    out[1] = value;
}
