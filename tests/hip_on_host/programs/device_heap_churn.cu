extern "C" __global__ void churn(int* bad) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned random = 2654435761u * (thread + 1);
    unsigned char* blocks[8] = {};
    unsigned sizes[8];
    for (int turn = 0; turn < 200; ++turn) {
        random = 1664525u * random + 1013904223u;
        const int at = random >> 29;
        if (blocks[at]) {
            for (unsigned i = 0; i < sizes[at]; ++i) bad[thread] += blocks[at][i] != (unsigned char)(thread + at + i);
            free(blocks[at]);
        }
        sizes[at] = (random >> 8) % (turn % 50 == 0 ? 100000u : 2000u);
        blocks[at] = (unsigned char*)malloc(sizes[at]);
        bad[thread] += !blocks[at] || (size_t)blocks[at] % 16;
        for (unsigned i = 0; i < sizes[at]; ++i) blocks[at][i] = (unsigned char)(thread + at + i);
    }
    for (unsigned char* block : blocks) free(block);
}
