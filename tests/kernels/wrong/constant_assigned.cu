__constant__ float limits[2] = {0, 1};

extern "C" __global__ void kernel(const float* in, float* out) {
    in[0] = 3.0f;  // error
    out[0] = limits[1];
}
