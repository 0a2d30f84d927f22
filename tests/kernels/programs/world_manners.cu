typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef unsigned int uint;
constexpr double scaled(double x) { return log(x) * 2; }
struct __device_builtin__ Pair { int a, b; __device__ Pair(int x) : a(x), b(x) {} };
template <class T> struct own_size { static const size_t value = sizeof(T); };
extern "C" __global__ void kernel(int64_t* out, uint count) {
    char room[sizeof(Pair)];
    Pair* pair = new (room) Pair(3);
    out[threadIdx.x] = pair->a + (int64_t)scaled(2.0) + own_size<uint64_t>::value + count;
    NV_IF_TARGET(NV_PROVIDES_SM_70, (out[0] += 1;), (out[0] += 2;))
}
