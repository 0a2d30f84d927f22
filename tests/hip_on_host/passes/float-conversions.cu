// --- input ---
extern "C" __global__ void k(float* x, unsigned char* o) { o[threadIdx.x] = (unsigned char)(x[threadIdx.x] * 255); }
// --- after float-conversions ---
extern "C" __global__ void k(float* x, unsigned char* o) { o[threadIdx.x] = (unsigned char)cuda_shim_to_integer<unsigned char>((x[threadIdx.x] * 255)); }
// --- input ---
extern "C" __global__ void k(double* x, short* o) { o[0] = x[0]; short s = x[1] + 0.5; o[1] = s; o[2] = static_cast<short>(x[2]); }
// --- after float-conversions ---
extern "C" __global__ void k(double* x, short* o) { o[0] = cuda_shim_to_integer<short>(x[0]); short s = cuda_shim_to_integer<short>(x[1] + 0.5); o[1] = s; o[2] = static_cast<short>(cuda_shim_to_integer<short>(x[2])); }
// --- input ---
typedef unsigned char uchar;
template <class T> __device__ T clamped(float v) { return (T)v; }
template <class T> __device__ T stored(float v) { T t = v; return t; }
extern "C" __global__ void k(float* x, uchar* o) { o[0] = clamped<uchar>(x[0]); o[1] = uchar(x[1]); o[2] = stored<uchar>(x[2]); }
// --- after float-conversions ---
typedef unsigned char uchar;
template <class T> __device__ T clamped(float v) { return (T)cuda_shim_to_integer<T>(v); }
template <class T> __device__ T stored(float v) { T t = v; return t; }
extern "C" __global__ void k(float* x, uchar* o) { o[0] = clamped<uchar>(x[0]); o[1] = uchar(cuda_shim_to_integer<uchar>(x[1])); o[2] = stored<uchar>(x[2]); }
// --- input ---
extern "C" __global__ void k(float* x, int* o) { o[0] = x[0]; o[1] = (bool)x[1]; float f = (int)x[2]; x[3] = f; }
// --- after float-conversions ---
extern "C" __global__ void k(float* x, int* o) { o[0] = x[0]; o[1] = (bool)x[1]; float f = (int)x[2]; x[3] = f; }
// --- input ---
struct uchar_pair { unsigned char a, b; };
extern "C" __global__ void k(float* x, uchar_pair* o) {
    o[0] = uchar_pair{(unsigned char)((unsigned char)x[0] + x[1]), 1};
    o[1] = make_uchar2(x[2], x[3]).x > 3 ? o[0] : o[1];
}
// --- after float-conversions ---
struct uchar_pair { unsigned char a, b; };
extern "C" __global__ void k(float* x, uchar_pair* o) {
    o[0] = uchar_pair{(unsigned char)cuda_shim_to_integer<unsigned char>(((unsigned char)cuda_shim_to_integer<unsigned char>(x[0]) + x[1])), 1};
    o[1] = make_uchar2(cuda_shim_to_integer<unsigned char>(x[2]), cuda_shim_to_integer<unsigned char>(x[3])).x > 3 ? o[0] : o[1];
}
