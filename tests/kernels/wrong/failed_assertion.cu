template <int N> struct Buffer {
    static_assert(N % 4 == 0, "whole vectors only");  // error
    float items[N];
};
extern "C" __global__ void kernel(float* out) {
    Buffer<6> b;
    b.items[0] = 1;
    out[0] = b.items[0];
}
