__device__ const char* text = R"mark(a "quoted" text
asm("mov.u32 %0, %%laneid;")
of three lines)mark";
extern "C" __global__ void kernel(char* out) {
    out[0] = text[0];
    out[1] = not_known;  // error
}
