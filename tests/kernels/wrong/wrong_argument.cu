__device__ float length(const float2* v) { return v->x; }

extern "C" __global__ void kernel(float* out, const int* in) {
    out[0] = length(in);  // error
}
