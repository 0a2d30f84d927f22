__device__ int variable[64];
extern "C" __global__ void twice(int* out) {
    void* block = malloc(SIZE);
    free(block);
    free(block);
}
extern "C" __global__ void deleted_twice(int* out) {
    char* volatile block = new char[SIZE];  // else a compiler may leave the pair out
    out[0] = block != nullptr;
    delete[] block;
    delete[] block;
}
extern "C" __global__ void inside(int* out) { free((char*)malloc(SIZE) + 16); }
extern "C" __global__ void of_the_device(int* out) { free(out); }
extern "C" __global__ void of_the_module(int* out) { free(variable); }
extern "C" __global__ void of_the_thread(int* out) { int own[8]; out[0] = own[3]; free(own); }
extern "C" __global__ void of_the_block(int* out) { __shared__ int tile[64]; free(tile); }
extern "C" __global__ void made_up(int* out) { free((void*)0x1230); }
extern "C" __global__ void beyond(int* out) {
    char* block = (char*)malloc(SIZE);
    for (int i = 0; i < 4096; ++i) block[SIZE + i] = (char)i;
    free(block);
}
extern "C" __global__ void in_order(int* out) {
    int* block = (int*)malloc(SIZE);
    for (int i = 0; i < SIZE / 4; ++i) block[i] = i;
    unsigned long long sum = 0;
    for (int i = 0; i < SIZE / 4; ++i) sum += block[i];
    free(block);
    free(nullptr);
    out[threadIdx.x] = sum == SIZE / 4ull * (SIZE / 4 - 1) / 2;
}
