#include <mma.h>  // error on a GPU
using namespace nvcuda;
extern "C" __global__ void kernel(float* d) {
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 1.0f);
    wmma::store_matrix_sync(d, sums, 16, wmma::mem_row_major);
}
