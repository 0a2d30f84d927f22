// Methods that are chosen when the kernel runs.

struct Abstract {
    __device__ virtual int run(int* s, int t) = 0;
};
struct Concrete : Abstract {
    __device__ int run(int* s, int t) override {
        s[t] = t;
        __syncthreads();
        return s[63 - t];
    }
};
extern "C" __global__ void of_an_abstract_class(int* out, int n) {
    __shared__ int s[64];
    Concrete c;
    Abstract& a = c;
    out[blockIdx.x * 64 + threadIdx.x] = a.run(s, threadIdx.x);
}

struct Shape {
    int v;
    __device__ explicit Shape(int x) : v(x) {}
    __device__ virtual int area(int by) { return v * by; }
    __device__ virtual void grow() { v += 1; }
};
struct Square : Shape {
    using Shape::Shape;
    __device__ int area(int) override { return v * v; }
};
struct Meets : Shape {
    int* s;
    __device__ Meets(int* s, int x) : Shape(x), s(s) {}
    __device__ int area(int by) override {
        s[threadIdx.x] = v;
        __syncthreads();
        int got = s[(threadIdx.x + by) & 63];
        __syncthreads();
        return got;
    }
    __device__ void grow() final { v = __shfl_xor_sync(0xffffffffu, v, 1) + 2; }
};

extern "C" __global__ void chosen_by_each_thread(int* out, int n) {
    Shape a(threadIdx.x);
    Square b(threadIdx.x + 1);
    Shape* which = threadIdx.x & 1 ? &a : static_cast<Shape*>(&b);
    __syncthreads();
    which->grow();
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = which->area(n) * 100 + a.v + b.v;
}

extern "C" __global__ void with_a_barrier(int* out, int n) {
    __shared__ int s[64];
    Meets m(s, threadIdx.x);
    Shape& shape = m;
    int v = shape.area(3);
    shape.grow();
    v += shape.area(n) * 100;
    out[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void with_a_warp_operation(int* out, int n) {
    Meets m(nullptr, threadIdx.x * 3);
    Shape* shapes[2] = {&m, &m};
    for (int i = 0; i < n; ++i) shapes[i & 1]->grow();
    out[blockIdx.x * 64 + threadIdx.x] = m.v;
}
