template <class T> __device__ T larger(T a, T b) { return a < b ? b : a; }

extern "C" __global__ void kernel(double* out) {
    out[0] = larger(out[1], out);  // error
}
