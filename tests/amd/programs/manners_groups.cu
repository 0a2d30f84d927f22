#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
using namespace cooperative_groups;
extern "C" __global__ void groups(int* out) {
    thread_block block = this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    cooperative_groups::thread_group any = block;
    uint3 place = block.thread_index();
    dim3 size = block.group_dim();
    out[0] = cg::reduce(tile, (int)place.x, cg::plus<int>()) + cg::inclusive_scan(tile, 1) + any.size() + size.x;
    block.sync();
}
