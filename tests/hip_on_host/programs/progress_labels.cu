class Box {
    int v;
public:
    __device__ Box(int x) : v(x) {}
    __device__ int get() const { return v; }
private:
    struct { unsigned : 3; unsigned a : 2; };
};
extern "C" __global__ void k(volatile int* x, int n) {
    int i = 0, c = 0;
    if (n == 3) again: c += 1;
    i++;
    if (i < 5) goto again;
    switch (n) { case 3: if (n > 5) inner: c += 10; c += 100; if (c < 230) goto inner; }
    x[threadIdx.x] = c * 10 + Box(n).get();
}
