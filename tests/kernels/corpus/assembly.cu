// Inline PTX, as people write it. "asm" in a string, or in a comment: asm("nop"), stays what it is.

__device__ __forceinline__ unsigned lane_id() {
    unsigned ret;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(ret));
    return ret;
}

extern "C" __global__ void registers(unsigned* out) {
    const int t = threadIdx.x;
    unsigned tid, ntid, ctaid, less, clock_low;
    asm("mov.u32 %0, %%tid.x;" : "=r"(tid));
    asm("mov.u32 %0, %%ntid.x;" : "=r"(ntid));
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(ctaid));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(less));
    asm volatile("mov.u32 %0, %%clock;" : "=r"(clock_low) :: "memory");
    out[5 * t] = lane_id();
    out[5 * t + 1] = tid + 1000 * ntid;
    out[5 * t + 2] = ctaid;
    out[5 * t + 3] = less;
    out[5 * t + 4] = (clock_low | 1u) != 0 && "asm(\"nop\")"[0] == 'a';
}

extern "C" __global__ void barriers(const int* in, int* out) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = in[t];
    asm volatile("bar.sync 0;");
    int value = s[63 - t];
    asm volatile("membar.cta;" ::: "memory");
    asm volatile("barrier.sync 0;" ::: "memory");
    s[t] = value * 2;
    asm volatile("bar.sync 0;" ::: "memory"); out[t] = s[(t + 1) % 64];
}

extern "C" __global__ void loads(const float* in, const int4* vectors, float* out, int4* moved) {
    const int t = threadIdx.x;
    float value, next;
    asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(value) : "l"(in + t));
    asm volatile("ld.global.ca.f32 %0, [%1+4];" : "=f"(next) : "l"(in + t));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + t + 32));
    int4 v;
    asm("ld.global.nc.L1::no_allocate.v4.s32 {%0, %1, %2, %3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
        : "l"(vectors + t));
    asm volatile("st.global.cs.v4.s32 [%0], {%1, %2, %3, %4};" ::"l"(moved + t), "r"(v.w), "r"(v.z), "r"(v.y), "r"(v.x) : "memory");
    asm volatile("st.global.f32 [%0], %1;" ::"l"(out + t), "f"(value + 2 * next));
}

extern "C" __global__ void arithmetic(const unsigned* a, const unsigned* b, unsigned* out, int n) {
    const int t = threadIdx.x;
    const unsigned x = a[t], y = b[t];
    unsigned r;
    asm("add.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
    out[0 * n + t] = r;
    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(7));
    out[1 * n + t] = r;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(5), "r"(9));
    out[2 * n + t] = r;
    asm("bfi.b32 %0, %1, %2, 8, 4;" : "=r"(r) : "r"(x), "r"(y));
    out[3 * n + t] = r;
    asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(r) : "r"(x), "r"(y));
    out[4 * n + t] = r;
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r) : "r"(x), "r"(y), "r"(0x0f0f0f0fu));
    out[5 * n + t] = r;
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(t));
    out[6 * n + t] = r;
    asm("{\n\t"
        ".reg .u32 t1;\n\t"
        ".reg .pred p;\n\t"
        "setp.gt.u32 p, %1, %2;\n\t"
        "mov.u32 t1, 100;\n\t"
        "@p add.u32 t1, t1, 1;\n\t"
        "@!p mul.lo.u32 t1, t1, %2;\n\t"
        "mov.u32 %0, t1;\n\t"
        "}" : "=r"(r) : "r"(x), "r"(y));
    out[7 * n + t] = r;
    asm("mul.hi.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
    out[8 * n + t] = r;
    asm("popc.b32 %0, %1;" : "=r"(r) : "r"(x));
    out[9 * n + t] = r;
    unsigned long long wide;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(wide) : "r"(x), "r"(y));
    out[10 * n + t] = (unsigned)(wide >> 20);
    asm("mov.b64 %0, {%1, %2};" : "=l"(wide) : "r"(x), "r"(y));
    out[11 * n + t] = (unsigned)(wide >> 16);
}

extern "C" __global__ void floats(const float* a, float* out, unsigned short* halves, int n) {
    const int t = threadIdx.x;
    const float x = a[t];
    float r;
    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(x), "f"(x), "f"(1.0f));
    out[0 * n + t] = r;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    out[1 * n + t] = r;
    asm("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
    out[2 * n + t] = r;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
    out[3 * n + t] = r;
    asm("max.f32 %0, %1, 0f40000000;" : "=f"(r) : "f"(x));
    out[4 * n + t] = r;
    int whole;
    asm("cvt.rni.s32.f32 %0, %1;" : "=r"(whole) : "f"(x * 10));
    out[5 * n + t] = whole;
    unsigned bits;
    asm("mov.b32 %0, %1;" : "=r"(bits) : "f"(x));
    out[6 * n + t] = __uint_as_float(bits ^ 0x80000000u);
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(halves[t]) : "f"(x));
    asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(halves[t]));
    out[7 * n + t] = r;
}

extern "C" __global__ void warp_instructions(const int* in, int* out, unsigned* votes) {
    const int t = threadIdx.x;
    int value = in[t], other;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(other) : "r"(value), "r"(1));
    out[t] = value + other;
    unsigned ballot;
    asm volatile("{ .reg .pred p; setp.gt.s32 p, %1, 50; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(ballot) : "r"(value));
    votes[t] = ballot;
    asm volatile("red.global.add.s32 [%0], %1;" ::"l"(out + 64), "r"(value) : "memory");
}
