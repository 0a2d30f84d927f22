// template_constant<5>
// template_constant<200>
extern "C" __global__ void small_loop(int* p) { int a[4]; for (int k = 0; k < 4; k++) a[k] = p[k]; for (int k = 0; k < 4; k++) p[k] = a[3 - k]; }
extern "C" __global__ void loop_16(int* p) { int a[16]; for (int k = 0; k < 16; k++) a[k] = p[k]; for (int k = 0; k < 16; k++) p[k] = a[15 - k]; }
extern "C" __global__ void loop_32(int* p) { int a[32]; for (int k = 0; k < 32; k++) a[k] = p[k]; for (int k = 0; k < 32; k++) p[k] = a[31 - k]; }
extern "C" __global__ void loop_64(int* p) { int a[64]; for (int k = 0; k < 64; k++) a[k] = p[k]; for (int k = 0; k < 64; k++) p[k] = a[63 - k]; }
extern "C" __global__ void loop_128(int* p) { int a[128]; for (int k = 0; k < 128; k++) a[k] = p[k]; for (int k = 0; k < 128; k++) p[k] = a[127 - k]; }
extern "C" __global__ void loop_1000(int* p) { int a[1000]; for (int k = 0; k < 1000; k++) a[k] = p[k]; for (int k = 0; k < 1000; k++) p[k] = a[999 - k]; }
extern "C" __global__ void pragma_128(int* p) { int a[128];
#pragma unroll
  for (int k = 0; k < 128; k++) a[k] = p[k];
#pragma unroll
  for (int k = 0; k < 128; k++) p[k] = a[127 - k]; }
extern "C" __global__ void not_unrolled(int* p) { int a[4];
#pragma unroll 1
  for (int k = 0; k < 4; k++) a[k] = p[k];
#pragma unroll 1
  for (int k = 0; k < 4; k++) p[k] = a[3 - k]; }
extern "C" __global__ void variable_trip(int* p, int n) { int a[8]; for (int k = 0; k < n; k++) a[k] = p[k]; p[0] = a[2] + a[3]; }
extern "C" __global__ void inner_constant(int* p, int n) { int a[4] = {0, 0, 0, 0}; for (int j = 0; j < n; j++) for (int k = 0; k < 4; k++) a[k] += p[j * 4 + k]; for (int k = 0; k < 4; k++) p[k] = a[k]; }
extern "C" __global__ void tile_8x8(float* p, int n) { float a[8][8] = {}; for (int j = 0; j < n; j++) for (int r = 0; r < 8; r++) for (int c = 0; c < 8; c++) a[r][c] += p[j + r] * p[j + c]; for (int r = 0; r < 8; r++) for (int c = 0; c < 8; c++) p[r * 8 + c] = a[r][c]; }
extern "C" __global__ void const_table(int* p, int i) { const int t[5] = {3, 1, 4, 1, 5}; p[0] = t[i]; }
extern "C" __global__ void unchanged_table(int* p, int i) { int t[5] = {3, 1, 4, 1, 5}; p[0] = t[i]; }
extern "C" __global__ void static_table(int* p, int i) { static const int t[5] = {3, 1, 4, 1, 5}; p[0] = t[i]; }
extern "C" __global__ void changed_table(int* p, int i) { int t[5] = {3, 1, 4, 1, 5}; t[1] = p[1]; p[0] = t[i]; }
extern "C" __global__ void histogram(int* p, int n) { int a[10] = {}; for (int k = 0; k < n; k++) a[p[k]]++; for (int k = 0; k < 10; k++) p[k] = a[k]; }
__device__ void fill_constant(int* a, int v) { a[0] = v; a[1] = v + 1; a[2] = v + 2; }
__device__ void fill_dynamic(int* a, int v) { a[v] = 1; }
__device__ __noinline__ void keep(int* a, int v) { a[0] = v; a[1] = v + 1; }
extern "C" __global__ void passed_constant(int* p, int i) { int a[3]; fill_constant(a, i); p[0] = a[0] + a[1] * a[2]; }
extern "C" __global__ void passed_dynamic(int* p, int i) { int a[3]; a[0] = a[1] = a[2] = 7; fill_dynamic(a, i); p[0] = a[0] + a[1] * a[2]; }
extern "C" __global__ void passed_noinline(int* p, int i) { int a[3]; keep(a, i); p[0] = a[0] + a[1]; }
__device__ __noinline__ void keep_one(int* a, int v) { *a = v * v; }
extern "C" __global__ void scalar_noinline(int* p, int i) { int x; keep_one(&x, i); p[0] = x; }
__device__ __noinline__ void keep_ref(double& a, int v) { a = v * 2.5; }
extern "C" __global__ void reference_noinline(double* p, int i) { double x; keep_ref(x, i); p[0] = x; }
struct Big { int v[9]; };
__device__ __noinline__ Big make_big(int i) { Big b; for (int k = 0; k < 9; k++) b.v[k] = i * k; return b; }
extern "C" __global__ void returned_big(int* p, int i) { Big b = make_big(i); p[0] = b.v[0] + b.v[8]; }
extern "C" __global__ void parameter_read(int* p, Big b, int i) { p[0] = b.v[i]; }
extern "C" __global__ void parameter_written(int* p, Big b, int i) { b.v[i] = p[1]; p[0] = b.v[0] + b.v[1]; }
extern "C" __global__ void struct_copy(int* p, Big b, int i) { Big c = b; c.v[i] = 1; p[0] = c.v[2]; }
extern "C" __global__ void two_scopes(int* p, int i) { if (i > 5) { int a[6]; for (int k = 0; k < 6; k++) a[(k + i) % 6] = p[k]; p[0] = a[i]; } else { int b[6]; for (int k = 0; k < 6; k++) b[(k * 3 + i) % 6] = p[k]; p[0] = b[i]; } }
__device__ int one(int* p, int i) { int a[6]; for (int k = 0; k < 6; k++) a[(k + i) % 6] = p[k]; return a[i]; }
__device__ int other(int* p, int i) { int a[10]; for (int k = 0; k < 10; k++) a[(k + i) % 10] = p[k]; return a[i]; }
extern "C" __global__ void two_inlined(int* p, int i) { p[0] = one(p, i) + other(p, i); }
extern "C" __global__ void inlined_twice(int* p, int i) { p[0] = one(p, i) + one(p, i + 1); }
__device__ __noinline__ int far_one(int* p, int i) { int a[6]; for (int k = 0; k < 6; k++) a[(k + i) % 6] = p[k]; return a[i]; }
__device__ __noinline__ int far_other(int* p, int i) { int a[10]; for (int k = 0; k < 10; k++) a[(k + i) % 10] = p[k]; return a[i]; }
__device__ __noinline__ int far_chain(int* p, int i) { int a[4]; for (int k = 0; k < 4; k++) a[(k + i) % 4] = p[k]; return a[i] + far_one(p, i + a[1]); }
__device__ __noinline__ int far_plain(int* p, int i) { return p[i] * 3; }
__device__ __noinline__ int far_plain_chain(int* p, int i) { return far_plain(p, i) * i; }
extern "C" __global__ void noinline_siblings(int* p, int i) { p[0] = far_one(p, i) + far_other(p, i); }
extern "C" __global__ void noinline_chain(int* p, int i) { p[0] = far_chain(p, i); }
extern "C" __global__ void noinline_and_own(int* p, int i) { int a[3]; for (int k = 0; k < 3; k++) a[(k + i) % 3] = p[k]; p[0] = a[i] + far_one(p, i); }
extern "C" __global__ void noinline_plain(int* p, int i) { p[0] = far_plain(p, i); }
extern "C" __global__ void noinline_plain_chain(int* p, int i) { p[0] = far_plain_chain(p, i); }
__device__ __noinline__ int recursive(int* p, int i) { if (i < 2) return p[i]; return recursive(p, i - 1) + recursive(p, i - 2); }
extern "C" __global__ void recursion(int* p, int i) { p[0] = recursive(p, i); }
extern "C" __global__ void print_none(int* p) { printf("hello\n"); p[0] = 1; }
extern "C" __global__ void print_int(int* p, int i) { printf("%d\n", i); p[0] = 1; }
extern "C" __global__ void print_three(int* p, int i, double d) { printf("%d %f %d\n", i, d, i + 1); p[0] = 1; }
extern "C" __global__ void print_two(int* p, int i, double d) { printf("%d\n", i); p[0] = 1; printf("%f %f %d\n", d, d, i); }
extern "C" __global__ void write_only(int* p, int i) { int a[5]; a[i] = p[0]; p[1] = 2; }
extern "C" __global__ void unused(int* p) { int a[5]; p[0] = 1; }
extern "C" __global__ void union_bytes(float* p, int i) { union { float f; unsigned char b[4]; } u; u.f = p[0]; p[1] = u.b[i]; }
extern "C" __global__ void union_constant(float* p) { union { float f; unsigned char b[4]; } u; u.f = p[0]; p[1] = u.b[2]; }
extern "C" __global__ void cast_bytes(int* p, int i) { int x = p[0]; p[1] = ((unsigned char*)&x)[i]; }
extern "C" __global__ void cast_constant(int* p) { int x = p[0]; p[1] = ((unsigned char*)&x)[1]; }
extern "C" __global__ void pointers(int* p, int* q, int* r, int i) { int* a[3] = {p, q, r}; p[0] = a[i][0]; }
extern "C" __global__ void two_elements(int* p, int i) { int a[2] = {p[1], p[2]}; p[0] = a[i]; }
extern "C" __global__ void one_element(int* p, int i) { int a[1] = {p[1]}; p[0] = a[i]; }
extern "C" __global__ void by_condition(int* p, int i) { int a[2] = {p[1], p[2]}; p[0] = a[i > 3 ? 1 : 0]; }
extern "C" __global__ void row_dynamic(float* p, int i) { float m[3][3]; for (int k = 0; k < 9; k++) m[k / 3][k % 3] = p[k]; p[0] = m[i][1]; }
struct Vec { float d[3]; __device__ float& operator[](int i) { return d[i]; } __device__ float dot() const { float s = 0; for (int k = 0; k < 3; k++) s += d[k] * d[k]; return s; } };
extern "C" __global__ void vec_constant(float* p) { Vec v; v[0] = p[0]; v[1] = p[1]; v[2] = p[2]; p[0] = v.dot(); }
extern "C" __global__ void vec_dynamic(float* p, int i) { Vec v; v[0] = p[0]; v[1] = p[1]; v[2] = p[2]; v[i] = 2; p[0] = v.dot(); }
extern "C" __global__ void lambda_array(int* p, int i) { int a[5]; for (int k = 0; k < 5; k++) a[k] = p[k]; auto f = [&](int j) { return a[j]; }; p[0] = f(i); }
extern "C" __global__ void lambda_constant(int* p) { int a[5]; for (int k = 0; k < 5; k++) a[k] = p[k]; auto f = [&](int j) { return a[j]; }; p[0] = f(3); }
extern "C" __global__ void components(float* p, float4 v, int i) { float4 w = v; p[0] = (&w.x)[i]; }
extern "C" __global__ void float4s(float4* p, int i) { float4 a[3]; for (int k = 0; k < 3; k++) a[(k + i) % 3] = p[k]; p[0] = a[i]; }
extern "C" __global__ void volatile_array(int* p) { volatile int a[3]; a[1] = p[0]; p[1] = a[1]; }
extern "C" __global__ void volatile_scalar(int* p) { volatile int a; a = p[0]; p[1] = a; }
extern "C" __global__ void bubble(int* p) { int a[4]; for (int k = 0; k < 4; k++) a[k] = p[k]; for (int i = 0; i < 4; i++) for (int j = 0; j + 1 < 4 - i; j++) if (a[j] > a[j + 1]) { int t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; } for (int k = 0; k < 4; k++) p[k] = a[k]; }
extern "C" __global__ void insertion(int* p) { int a[6]; for (int k = 0; k < 6; k++) a[k] = p[k]; for (int i = 1; i < 6; i++) { int v = a[i], j = i - 1; while (j >= 0 && a[j] > v) { a[j + 1] = a[j]; j--; } a[j + 1] = v; } for (int k = 0; k < 6; k++) p[k] = a[k]; }
extern "C" __global__ void stack_walk(int* p, int n) { int stack[16]; int top = 0; stack[top++] = n; int s = 0; while (top > 0) { int v = stack[--top]; s += p[v]; if (v > 1 && top < 14) { stack[top++] = v / 2; stack[top++] = v - 2; } } p[0] = s; }
extern "C" __global__ void early_exit(int* p) { int a[8]; for (int k = 0; k < 8; k++) { a[k] = p[k]; if (a[k] < 0) break; } p[0] = a[0] + a[1]; }
extern "C" __global__ void walking_pointer(int* p) { int a[6]; int* q = a; for (int k = 0; k < 6; k++) *q++ = p[k]; p[0] = a[1] + a[5]; }
extern "C" __global__ void bools(int* p, int i) { bool a[9]; for (int k = 0; k < 9; k++) a[(k + i) % 9] = p[k] > 0; p[0] = a[i]; }
extern "C" __global__ void longs(long long* p, int i) { long long a[3]; short b[3]; for (int k = 0; k < 3; k++) { a[(k + i) % 3] = p[k]; b[(k + i) % 3] = p[k]; } p[0] = a[i] + b[i]; }
extern "C" __global__ void three_arrays(int* p, int i) { char a[3]; double b[2]; short c[3]; for (int k = 0; k < 2; k++) { a[(k + i) % 3] = p[k]; b[(k + i) % 2] = p[k]; c[(k + i) % 3] = p[k]; } p[0] = a[i] + b[i] + c[i]; }
extern "C" __global__ void unreachable(int* p, int i) { if (false) { int a[5]; for (int k = 0; k < 5; k++) a[(k + i) % 5] = p[k]; p[0] = a[i]; } p[1] = 1; }
extern "C" __global__ void stride_loop(int* p, int n) { int a[12]; for (int k = 0; k < 12; k += 3) a[k] = a[k + 1] = a[k + 2] = p[k]; int s = 0; for (int j = 0; j < n; j++) for (int k = 11; k >= 0; k--) s += a[k] * j; p[0] = s; }
template <int N> __device__ int sum_of(const int (&a)[N]) { int s = 0; for (int k = 0; k < N; k++) s += a[k]; return s; }
template <int N> __global__ void template_constant(int* p) { int a[N]; for (int k = 0; k < N; k++) a[k] = p[k]; p[0] = sum_of(a); }
extern "C" __global__ void member_array(int* p, int i) { struct { int n; short v[7]; } s; s.n = i; for (int k = 0; k < 7; k++) s.v[(k + i) % 7] = p[k]; p[0] = s.v[i] + s.n; }
extern "C" __global__ void address_kept(int** p, int i) { int a[3]; a[0] = i; p[0] = a; }
extern "C" __global__ void address_compared(int* p, int i) { int a[3]; a[0] = i; p[0] = (a == p); }
extern "C" __global__ void heap(int* p, int i) { int* a = (int*)malloc(40); a[i] = 1; p[0] = a[1]; free(a); }
extern "C" __global__ void asserted(int* p, int i) { assert(i > 2); p[0] = i; }
