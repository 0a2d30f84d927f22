#include <cub/block/block_reduce.cuh>
#include <cub/thread/thread_load.cuh>
extern "C" __global__ void kernel(const int* x, int* sum) {
    typedef cub::BlockReduce<int, 128> Reduce;
    __shared__ typename Reduce::TempStorage room;
    const int all = Reduce(room).Sum(cub::ThreadLoad<cub::LOAD_CG>((const unsigned*)x + threadIdx.x));  // inline PTX by macros
    if (threadIdx.x == 0) sum[0] = all;
}
