extern "C" __global__ void kernel(unsigned* out, unsigned x) {
    unsigned r;
    asm("{\n\t"
        ".reg .u32 t;\n\t"
        "add.u32 t, %1, 1;\n\t"
        "mul.lo.u32 %0, t, t;\n\t"
        "}"
        : "=r"(r)
        : "r"(x));
    asm("bfe.u32 %0, %1, 3, 4;" : "=r"(r) : "r"(x)); asm("popc.b32 %0, %1;" : "=r"(x) : "r"(r)); out[r] = another_wrong_name;  // error
}
