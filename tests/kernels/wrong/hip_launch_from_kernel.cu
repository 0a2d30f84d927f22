__global__ void child(int* x) { x[0] = 1; }
extern "C" __global__ void kernel(int* out) {
    child<<<1, 1>>>(out);  // error
}
