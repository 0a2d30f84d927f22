// Kernels that write through pointers of each kind of parameter, in the form that FORM gives them.
struct Inner {
    short s;
    float* p;
};
struct Outer {
    int n;
    Inner inner[2];
};
union Either {
    unsigned long long number;
    float* p;
};
template <class T> struct View {
    T* data;
    int length;
    __device__ T& operator[](int i) const { return data[i]; }
};

#ifdef FORM_SPLIT
#define FORM                                       \
    __shared__ int meeting[32];                    \
    meeting[threadIdx.x] = 1;                      \
    __syncthreads();                               \
    if (!meeting[threadIdx.x ^ 1]) return;
#elif defined(FORM_FIBRES)
#define FORM if (threadIdx.x < 32) __syncthreads();
#else
#define FORM
#endif

extern "C" {
__global__ void pointer(float* x) { FORM x[threadIdx.x] = 2; }
__global__ void behind_numbers(char c, double d, float* __restrict__ x) { FORM x[threadIdx.x] = c + d; }
__global__ void reads(const float* x, float* out) { FORM out[threadIdx.x] = x[threadIdx.x]; }
__global__ void reference(float& x) { FORM x = 2; }
__global__ void nested(Outer o) { FORM o.inner[1].p[threadIdx.x] = 2; }
__global__ void either(Either e) { FORM e.p[threadIdx.x] = 2; }
__global__ void view(View<float> v, int i) { FORM v[threadIdx.x + i] = 2; }
__global__ void adds(float* x) { FORM atomicAdd(x, 1.0f); }
__global__ void called(int (*f)(int), float* x) { FORM x[0] = f(3); }
__global__ void unused(float* x, float* out) { FORM out[threadIdx.x] = x ? 1 : 0; }
__global__ void number(unsigned long long x, float* out) { FORM out[threadIdx.x] = x == 0x123456789abcull; }
}
