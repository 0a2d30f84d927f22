// kernel_template<6>
struct Tagged { char tag; double value; };
extern "C" __global__ void only_char(int* p, int i) { __shared__ char a[3]; a[i] = p[i]; __syncthreads(); p[0] = a[i + 1]; }
extern "C" __global__ void char_int(int* p, int i) { __shared__ char a[3]; __shared__ int b[2]; a[i] = p[i]; b[i] = p[i]; __syncthreads(); p[0] = a[i + 1] + b[i + 1]; }
extern "C" __global__ void int_char(int* p, int i) { __shared__ int b[2]; __shared__ char a[3]; a[i] = p[i]; b[i] = p[i]; __syncthreads(); p[0] = a[i + 1] + b[i + 1]; }
extern "C" __global__ void char_double_char(int* p, int i) { __shared__ char a[3]; __shared__ double b[2]; __shared__ char c[5]; a[i] = p[i]; b[i] = p[i]; c[i] = 1; __syncthreads(); p[0] = a[i + 1] + b[i + 1] + c[i + 1]; }
extern "C" __global__ void short_char_int_double(int* p, int i) { __shared__ short s[3]; __shared__ char a[7]; __shared__ int n[3]; __shared__ double d[1]; s[i] = a[i] = n[i] = d[i] = p[i]; __syncthreads(); p[0] = s[i + 1] + a[i + 1] + n[i + 1] + d[i + 1]; }
extern "C" __global__ void aligned_16(int* p, int i) { __shared__ __align__(16) char a[5]; a[i] = p[i]; __syncthreads(); p[0] = a[i + 1]; }
extern "C" __global__ void aligned_128(int* p, int i) { __shared__ char b[3]; __shared__ __align__(128) char a[5]; b[i] = a[i] = p[i]; __syncthreads(); p[0] = a[i + 1] + b[i + 1]; }
extern "C" __global__ void aligned_16_and_ints(int* p, int i) { __shared__ __align__(16) int a[5]; __shared__ __align__(16) int b[6]; b[i] = a[i] = p[i]; __syncthreads(); p[0] = a[i + 1] + b[i + 1]; }
extern "C" __global__ void scalar(int* p, int i) { __shared__ int a; if (i == 0) a = p[i]; __syncthreads(); p[0] = a; }
extern "C" __global__ void structure(double* p, int i) { __shared__ Tagged a[3]; a[i].value = p[i]; a[i].tag = i; __syncthreads(); p[0] = a[i + 1].value + a[i + 1].tag; }
extern "C" __global__ void atomic_only(int* p, int i) { __shared__ int a[3]; atomicAdd(&a[i], 1); p[0] = 1; }
extern "C" __global__ void volatile_only(int* p, int i) { __shared__ volatile int a[3]; a[i] = 1; p[0] = 1; }
extern "C" __global__ void read_only(int* p, int i) { __shared__ int a[3]; p[0] = a[i]; }
extern "C" __global__ void compound_only(int* p, int i) { __shared__ int a[3]; a[i] += 1; p[0] = 1; }
extern "C" __global__ void written_members(double* p, int i) { __shared__ Tagged a[3]; a[i].value = p[i]; p[0] = 1; }
extern "C" __global__ void address_kept(int** p, int i) { __shared__ int a[3]; a[0] = i; p[0] = a; }
extern "C" __global__ void not_used(int* p) { __shared__ int a[3]; p[0] = 1; }
extern "C" __global__ void never(int* p, int i) { if (false) { __shared__ int a[3]; a[i] = p[i]; __syncthreads(); p[0] = a[i + 1]; } p[1] = 1; }
extern "C" __global__ void in_scopes(int* p, int i) { if (i > 5) { __shared__ int a[6]; a[i] = p[i]; __syncthreads(); p[0] = a[i + 1]; } else { __shared__ int b[6]; b[i] = p[i]; __syncthreads(); p[0] = b[i + 1]; } }
__device__ __noinline__ void put(int* a, int i) { a[i] = i; }
extern "C" __global__ void passed_to_call(int* p, int i) { __shared__ int a[3]; put(a, i); p[0] = 1; }
__device__ void put_here(int* a, int i) { a[i] = i; }
extern "C" __global__ void passed_to_inlined(int* p, int i) { __shared__ int a[3]; put_here(a, i); p[0] = 1; }
__device__ int used_by_two(int i) { __shared__ int a[10]; a[i] = i; __syncthreads(); return a[i + 1]; }
__device__ int through_a(int i) { return used_by_two(i) + 1; }
__device__ int through_b(int i) { return used_by_two(i) + 2; }
extern "C" __global__ void by_two_paths(int* p, int i) { p[0] = through_a(i) + through_b(i + 1); }
template <int N> __device__ int of_size(int i) { __shared__ int a[N]; a[i] = i; __syncthreads(); return a[i + 1]; }
extern "C" __global__ void by_template_5(int* p, int i) { p[0] = of_size<5>(i); }
extern "C" __global__ void by_templates(int* p, int i) { p[0] = of_size<5>(i) + of_size<9>(i); }
template <int N> __global__ void kernel_template(int* p, int i) { __shared__ double a[N]; a[i] = p[i]; __syncthreads(); p[0] = a[i + 1] + of_size<N>(i); }
struct Worker { int n; __device__ Worker(int i) : n(i) {} __device__ int work(int i) { __shared__ int a[12]; a[i] = n; __syncthreads(); return a[i + 1]; } static __device__ int fixed(int i) { __shared__ int a[20]; a[i] = i; __syncthreads(); return a[i + 1]; } };
extern "C" __global__ void by_method(int* p, int i) { Worker w(i); p[0] = w.work(i); }
extern "C" __global__ void by_static_method(int* p, int i) { p[0] = Worker::fixed(i); }
struct Maker { int n; __device__ Maker(int i) { __shared__ int a[14]; a[i] = i; __syncthreads(); n = a[i + 1]; } };
extern "C" __global__ void by_constructor(int* p, int i) { Maker m(i); p[0] = m.n; }
struct Plus { int v; __device__ Plus operator+(const Plus& o) const { __shared__ int a[15]; a[v] = o.v; __syncthreads(); return Plus{a[v + 1]}; } };
extern "C" __global__ void by_operator(int* p, int i) { p[0] = (Plus{i} + Plus{i + 1}).v; }
extern "C" __global__ void by_lambda(int* p, int i) { auto f = [](int j) { __shared__ int a[16]; a[j] = j; __syncthreads(); return a[j + 1]; }; p[0] = f(i); }
__device__ __noinline__ int pointed(int i) { __shared__ int a[17]; a[i] = i; __syncthreads(); return a[i + 1]; }
__device__ __noinline__ int pointed_too(int i) { __shared__ int a[30]; a[i] = i; __syncthreads(); return a[i + 1]; }
extern "C" __global__ void by_pointer(int* p, int i) { int (*f)(int) = i > 3 ? pointed : pointed_too; p[0] = f(i); }
struct Base { __device__ virtual int go(int i) = 0; };
struct First : Base { __device__ int go(int i) override { __shared__ int a[18]; a[i] = i; __syncthreads(); return a[i + 1]; } };
struct Second : Base { __device__ int go(int i) override { __shared__ int a[31]; a[i] = i; __syncthreads(); return a[i + 1]; } };
extern "C" __global__ void by_virtual(int* p, int i) { First f; Second s; Base* b = i > 2 ? (Base*)&f : (Base*)&s; p[0] = b->go(i); }
__device__ __noinline__ int recursive(int i) { __shared__ int a[19]; a[i] = i; __syncthreads(); return i < 2 ? a[i + 1] : recursive(i - 1) + recursive(i - 2); }
extern "C" __global__ void by_recursion(int* p, int i) { p[0] = recursive(i); }
namespace space { __shared__ int in_space[21]; static __shared__ int hidden[22]; }
extern "C" __global__ void of_namespace(int* p, int i) { space::in_space[i] = p[i]; space::hidden[i] = 2; __syncthreads(); p[0] = space::in_space[i + 1] + space::hidden[i + 1]; }
static __shared__ int of_file[23];
extern "C" __global__ void of_static(int* p, int i) { of_file[i] = p[i]; __syncthreads(); p[0] = of_file[i + 1]; }
extern "C" { __shared__ int of_c[24]; }
extern "C" __global__ void of_c_linkage(int* p, int i) { of_c[i] = p[i]; __syncthreads(); p[0] = of_c[i + 1]; }
extern "C" __global__ void sizeof_only(int* p) { __shared__ int a[3]; p[0] = sizeof(a); }
extern "C" __global__ void unsigned_zero(int* p, int i) { __shared__ int a[1000]; for (int k = 0; k < 1000; k++) a[k] = 0; __syncthreads(); p[0] = a[i]; }
extern "C" __global__ void stored_constant(int* p, int i) { __shared__ int a; a = 5; __syncthreads(); p[0] = a; }
