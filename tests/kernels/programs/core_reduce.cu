#include <cub/block/block_reduce.cuh>
extern "C" __global__ void kernel(const int* x, int* sum) {
    typedef cub::BlockReduce<int, 128> Reduce;
    __shared__ typename Reduce::TempStorage room;
    const int all = Reduce(room).Sum(x[threadIdx.x]);
    if (threadIdx.x == 0) sum[0] = all;
}
