__device__ void arrive(int number) { asm volatile("bar.arrive %0, %1;" :: "r"(number), "n"(64) : "memory"); }
__device__ void meet(int number) { asm volatile("bar.sync %0, %1;" :: "r"(number), "r"(64) : "memory"); }
extern "C" __global__ void kernel(const int* x, int* o) {
    __shared__ int room[64];
    const int t = threadIdx.x;
    o += blockIdx.x * blockDim.x;
    if (t < 32) {
        BEFORE
        arrive(1);
        BEHIND
        asm volatile("barrier.sync 2, 64;" ::: "memory");
    } else if (t < 64) {
        WAIT
        const int seen = room[63 - t];
        room[t] = 2 * seen;
        meet(4);
        o[t] = seen;
    } else {
        meet(4);  // what the second warp wrote, the third one sees, and so the first one behind barrier 2
        asm volatile("{ .reg .pred p; setp.lt.s32 p, %1, 70; bar.red.popc.u32 %0, 6, 32, p; }" : "=r"(o[t]) : "r"(t));
        asm volatile("barrier.cta.sync.aligned 2, 64;" ::: "memory");
        o[t] += room[t - 32];
    }
    if (t < 32) o[t] = room[t + 32];
}
