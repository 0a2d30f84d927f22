__device__ unsigned take(dim3 d) { return d.x; }
__device__ unsigned take3(uint3 d) { return d.y; }
__device__ unsigned refer(const uint3& d) { return d.z; }
template <class T> __device__ unsigned deduce(const T& t) { return t.x; }
__device__ unsigned shadow(dim3 blockDim) { return blockDim.x + take(blockDim); }
struct Place { dim3 block; uint3 thread; };
extern "C" __global__ void indices(unsigned* out, dim3 given, Place place) {
    uint3 t = threadIdx;
    const uint3 b = blockIdx;
    const uint3& u = blockIdx;
    uint3 g = blockDim, whole = gridDim;
    dim3 d = threadIdx, e(threadIdx), f{blockDim}, three = {1, 2, 3};
    auto a = threadIdx;
    const auto& r = gridDim;
    dim3 h = t;
    uint3 i = h;
    t = threadIdx;
    h = blockDim;
    d = blockIdx;
    t.x += 1;
    place.block = blockDim;
    place.thread = threadIdx;
    out[0] = t.x + b.x + u.y + g.x + whole.z + d.x + e.x + f.x + three.y + a.x + r.x + h.x + i.x + take(threadIdx) +
             take(blockDim) + take3(blockDim) + take3(h) + refer(threadIdx) + deduce(threadIdx) + shadow(given) +
             take(dim3(7)) + take(5) + take(make_uint3(1, 2, 3)) + place.block.x + place.thread.y;
}
