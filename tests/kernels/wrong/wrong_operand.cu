struct Pair {
    int a, b;
};
extern "C" __global__ void kernel(int* out, Pair p) {
    out[0] = p + 1;  // error
}
