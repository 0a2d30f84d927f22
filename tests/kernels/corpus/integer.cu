// Integer intrinsics, each into a row of its own.

#define ROW(number, expression) out[(number) * n + i] = (unsigned)(expression)

extern "C" __global__ void bits(const unsigned* a, const unsigned* b, unsigned* out, unsigned long long* wide, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned x = a[i], y = b[i];
    const unsigned long long both = ((unsigned long long)x << 32) | y;
    ROW(0, __popc(x));
    ROW(1, __clz((int)x));
    ROW(2, __ffs((int)x));
    ROW(3, __brev(x));
    ROW(4, __byte_perm(x, y, 0x7531 + (i % 8)));
    ROW(5, __funnelshift_l(x, y, i));
    ROW(6, __funnelshift_r(x, y, i));
    ROW(7, __funnelshift_lc(x, y, i));
    ROW(8, __funnelshift_rc(x, y, i));
    ROW(9, __popcll(both));
    ROW(10, __clzll((long long)both));
    ROW(11, __ffsll((long long)both));
    wide[i] = __brevll(both);
}

extern "C" __global__ void products(const int* a, const int* b, unsigned* out, long long* wide, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int x = a[i], y = b[i];
    ROW(0, __mul24(x & 0x7fffff, y & 0x7fffff));
    ROW(1, __umul24((unsigned)x & 0xffffff, (unsigned)y & 0xffffff));
    ROW(2, __mulhi(x, y));
    ROW(3, __umulhi((unsigned)x, (unsigned)y));
    ROW(4, __sad(x, y, 7u));
    ROW(5, __usad((unsigned)x, (unsigned)y, 7u));
    ROW(6, __hadd(x, y));
    ROW(7, __rhadd(x, y));
    ROW(8, __uhadd((unsigned)x, (unsigned)y));
    ROW(9, __urhadd((unsigned)x, (unsigned)y));
    ROW(10, min(x, y) + max(x % 10, 3));
    ROW(11, abs(x / 2));
    wide[i] = __mul64hi((long long)x << 32, (long long)y << 20);
    wide[n + i] = (long long)__umul64hi((unsigned long long)(unsigned)x << 32, (unsigned long long)(unsigned)y << 20);
    wide[2 * n + i] = min((long long)x, (long long)y * 2) + llabs((long long)y) + max((long long)x, 5ll);
}

#if __CUDA_ARCH__ >= 610
extern "C" __global__ void dot_products(const int* a, const int* b, int* out, unsigned* u, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = __dp4a(a[i], b[i], i);
    out[n + i] = __dp2a_lo(a[i], b[i], i);
    out[2 * n + i] = __dp2a_hi(a[i], b[i], i);
    u[i] = __dp4a((unsigned)a[i], (unsigned)b[i], (unsigned)i);
}
#endif

// Two or four small numbers in a word.
extern "C" __global__ void lanes(const unsigned* a, const unsigned* b, unsigned* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned x = a[i], y = b[i];
    ROW(0, __vadd4(x, y));
    ROW(1, __vsub2(x, y));
    ROW(2, __vaddus4(x, y));
    ROW(3, __vaddss2(x, y));
    ROW(4, __vsubus2(x, y));
    ROW(5, __vabsdiffu4(x, y));
    ROW(6, __vabsdiffs2(x, y));
    ROW(7, __vmaxs4(x, y));
    ROW(8, __vminu2(x, y));
    ROW(9, __vcmpgtu4(x, y));
    ROW(10, __vcmpeq2(x, (x & 0xffffu) | (y & 0xffff0000u)));
    ROW(11, __vseteq4(x, x ^ (y & 0xff00ffu)));
    ROW(12, __vavgu4(x, y));
    ROW(13, __vhaddu2(x, y));
    ROW(14, __vneg4(x));
    ROW(15, __vabs2(x));
    ROW(16, __vsadu4(x, y));
}
