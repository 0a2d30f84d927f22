// of_template<13>
extern "C" __global__ void chars_5(char* p, int i) {
    char a[5];
    for (int k = 0; k < 5; k++) a[(k * 7 + i) % 5] = p[k];
    p[0] = a[i];
}
extern "C" __global__ void ints_4(int* p, int i) {
    int a[4];
    for (int k = 0; k < 4; k++) a[(k * 7 + i) % 4] = p[k];
    p[0] = a[i];
}
extern "C" __global__ void ints_5(int* p, int i) {
    int a[5];
    for (int k = 0; k < 5; k++) a[(k * 7 + i) % 5] = p[k];
    p[0] = a[i];
}
extern "C" __global__ void doubles_3(double* p, int i) {
    double a[3];
    for (int k = 0; k < 3; k++) a[(k * 7 + i) % 3] = p[k];
    p[0] = a[i];
}
extern "C" __global__ void ints_1000(int* p, int i) {
    int a[1000];
    for (int k = 0; k < 1000; k++) a[(k * 7 + i) % 1000] = p[k];
    p[0] = a[i];
}
extern "C" __global__ void none(int* p) { int a = p[1]; p[0] = a; }
extern "C" __global__ void constant_indices(int* p) { int a[3]; a[0] = p[0]; a[1] = p[1]; a[2] = a[0] * a[1]; p[2] = a[2]; }
extern "C" __global__ void unrolled(int* p) {
    int a[4];
#pragma unroll
    for (int k = 0; k < 4; k++) a[k] = p[k];
#pragma unroll
    for (int k = 0; k < 4; k++) p[k] = a[3 - k];
}
extern "C" __global__ void two(char* p, int* q, int i) {
    char a[3]; int b[5];
    for (int k = 0; k < 3; k++) a[(k + i) % 3] = p[k];
    for (int k = 0; k < 5; k++) b[(k + i) % 5] = q[k];
    p[0] = a[i]; q[0] = b[i];
}
extern "C" __global__ void plane(int* p, int i, int j) {
    int a[3][7];
    for (int k = 0; k < 21; k++) a[(k + i) % 3][(k * 2 + j) % 7] = p[k];
    p[0] = a[i][j];
}
struct Pair { char tag; double value; };
extern "C" __global__ void structures(double* p, int i) {
    Pair a[3];
    for (int k = 0; k < 3; k++) { a[(k + i) % 3].value = p[k]; a[(k + i) % 3].tag = k; }
    p[0] = a[i].value + a[i].tag;
}
extern "C" __global__ void aligned(int* p, int i) {
    __align__(16) int a[5];
    for (int k = 0; k < 5; k++) a[(k + i) % 5] = p[k];
    p[0] = a[i];
}
template <int N> __global__ void of_template(int* p, int i) {
    int a[N];
    for (int k = 0; k < N; k++) a[(k * 3 + i) % N] = p[k];
    p[0] = a[i];
}
__device__ int inlined(int* p, int i) {
    int a[6];
    for (int k = 0; k < 6; k++) a[(k + i) % 6] = p[k];
    return a[i];
}
extern "C" __global__ void calls_inlined(int* p, int i) { p[0] = inlined(p, i); }
__device__ __noinline__ int called(int* p, int i) {
    int a[6];
    for (int k = 0; k < 6; k++) a[(k + i) % 6] = p[k];
    return a[i];
}
extern "C" __global__ void calls(int* p, int i) { p[0] = called(p, i); }
extern "C" __global__ void shared_array(int* p, int i) {
    __shared__ int a[9];
    for (int k = 0; k < 9; k++) a[(k + i) % 9] = p[k];
    p[0] = a[i];
}
