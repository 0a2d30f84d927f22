extern "C" __global__ void leave(int* out, int n) {
    __shared__ int turns;
    if (threadIdx.x == 0) turns = 0;
    __syncthreads();
    int mine = 0;
    for (int round = 0; round < n; ++round) {
        if (round == threadIdx.x % 5 + 2) break;
        if (round % 2 == threadIdx.x % 2) { mine += 100; }
        atomicAdd(&turns, 1);
        mine += round;
        __syncwarp();
    }
    __syncthreads();
    out[threadIdx.x] = mine + 10000 * turns;
}
