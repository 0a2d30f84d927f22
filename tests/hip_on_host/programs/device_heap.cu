extern "C" __global__ void take(void** kept, unsigned long long bytes, int count) {
    for (int i = 0; i < count; ++i) kept[i] = malloc(bytes);
}
extern "C" __global__ void take_new(char** kept, unsigned long long bytes, int count) {
    for (int i = 0; i < count; ++i) kept[i] = new char[bytes];
}
extern "C" __global__ void give(void** kept, int count) {
    for (int i = 0; i < count; ++i) free(kept[i]);
}
extern "C" __global__ void give_new(char** kept, int count) {
    for (int i = 0; i < count; ++i) delete[] kept[i];
}
