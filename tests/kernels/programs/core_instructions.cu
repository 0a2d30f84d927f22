extern "C" __global__ void kernel(const unsigned short* a, float* out) {
    __shared__ __align__(16) unsigned short left[16][16], right[8][16];
    extern __shared__ __align__(16) unsigned short dynamic[];
    const int lane = threadIdx.x;
    const unsigned to = (unsigned)__cvta_generic_to_shared(&left[lane / 2][lane % 2 * 8]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to), "l"(a + lane * 8));
    if (lane < 16) {
        const unsigned there = (unsigned)__cvta_generic_to_shared(&right[lane / 2][lane % 2 * 8]);
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" :: "r"(there), "l"(a + lane * 8), "r"(16));
    }
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 0;");
    __syncwarp();
    unsigned x[4], y[2], z;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"((unsigned)__cvta_generic_to_shared(&left[lane % 16][lane / 16 * 8])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(y[0]), "=r"(y[1])
                 : "r"((unsigned)__cvta_generic_to_shared(&right[lane % 8][lane / 8 % 2 * 8])));
    for (int i = lane; i < 64; i += 32) dynamic[i] = left[i / 8][i % 8];
    __syncwarp();
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                 : "=r"(z) : "r"((unsigned)__cvta_generic_to_shared(dynamic + lane % 8 * 8)));
    float c[4] = {1, 1, 1, 1};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    for (int i = 0; i < 4; ++i) out[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = c[i];
    // A transposed element is where the plain one's row and column say.
    const unsigned short plain = left[lane % 4 * 2][lane / 4];
    if ((z & 0xffff) != plain) out[0] = -1;
}
