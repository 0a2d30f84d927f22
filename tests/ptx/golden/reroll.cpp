#include <cuda_shim/ptx_memory.h>

extern "C" __global__ void unrolled(char* reg_in, char* reg_out, unsigned long long reg_n) {
    long long reg_i = ((long long)(int)blockDim.x * (long long)(int)blockIdx.x) + ((long long)(int)threadIdx.x);
    int reg_x = 7;
    long long reg_d = reg_n - reg_i;
    long long reg_count = 0ll;
    bool p0 = (reg_d > 0ll);
    if (reg_n <= 0x400000000000000ull) {
        if (!(((long long)(((long long)(int)blockDim.x * (long long)(int)blockIdx.x) + ((long long)(int)threadIdx.x))) >= (long long)reg_n)) {
            for (long long reg_counter1_1 = ((long long)(((long long)(int)blockDim.x * (long long)(int)blockIdx.x) + ((long long)(int)threadIdx.x))); reg_counter1_1 < (long long)reg_n; reg_counter1_1 += ((long long)((long long)(int)blockDim.x * (long long)(int)gridDim.x))) {
                unsigned reg_v0_1 = *(unsigned*)(reg_in + (((unsigned long long)(((unsigned long long)reg_counter1_1) & 31ull)) << 2u));
                reg_x = reg_x + reg_v0_1;
            }
        }
    }
    else {
        bool p1;
        long long reg_m;
        long long reg_e;
        if (p0) {
            long long reg_q = cuda_shim_ptx::quotient(reg_d, ((long long)((long long)(int)blockDim.x * (long long)(int)gridDim.x)));
            reg_m = reg_q * ((long long)(int)blockDim.x * (long long)(int)gridDim.x);
            reg_m = reg_d - reg_m;
            p1 = reg_m > 0ll;
            reg_e = p1 ? 1ll : 0ll;
            reg_count = reg_q + reg_e;
        }
        p1 = reg_count > 0ll;
        reg_e = p1 ? (-1ll) : 0ll;
        long long reg_left = reg_count + reg_e;
        p1 = reg_count < 1ll;
        if (!p1) {
            reg_m = (unsigned long long)reg_count & 1ull;
            long long reg_now = reg_i;
            p1 = reg_m == 0ll;
            if (!p1) {
                long long reg_turn = -reg_m;
                long long reg_ahead = reg_i + ((long long)(int)blockDim.x * (long long)(int)gridDim.x);
                bool p2;
                do {
                    long long o2 = (((unsigned long long)(reg_i >> 63u)) & reg_n) + reg_i;
                    o2 = (unsigned long long)o2 & 31ull;
                    o2 = (unsigned long long)o2 << 2u;
                    o2 = ((long long)((unsigned long long)reg_in)) + o2;
                    unsigned v0 = *(unsigned*)((char*)o2);
                    reg_x = reg_x + v0;
                    p2 = reg_left > 0ll;
                    reg_e = p2 ? (-1ll) : 0ll;
                    reg_left = reg_left + reg_e;
                    reg_i = p2 ? reg_ahead : 0ll;
                    reg_now = reg_now + ((long long)(int)blockDim.x * (long long)(int)gridDim.x);
                    reg_ahead = reg_ahead + ((long long)(int)blockDim.x * (long long)(int)gridDim.x);
                    reg_turn = reg_turn + 1ll;
                    p2 = reg_turn != 0ll;
                } while (p2);
            }
            reg_m = reg_count - 1ll;
            p1 = (unsigned long long)reg_m < 1ull;
            if (!p1) {
                long long reg_left1;
                do {
                    long long o5 = (((unsigned long long)(reg_i >> 63u)) & reg_n) + reg_i;
                    o5 = (unsigned long long)o5 & 31ull;
                    o5 = (unsigned long long)o5 << 2u;
                    o5 = ((long long)((unsigned long long)reg_in)) + o5;
                    unsigned v1 = *(unsigned*)((char*)o5);
                    reg_x = reg_x + v1;
                    bool c0 = reg_left > 0ll;
                    reg_left1 = reg_left + (c0 ? (-1ll) : 0ll);
                    long long reg_next0 = reg_now + ((long long)(int)blockDim.x * (long long)(int)gridDim.x);
                    long long reg_next1 = c0 ? reg_next0 : 0ll;
                    long long o8 = (((unsigned long long)(reg_next1 >> 63u)) & reg_n) + reg_next1;
                    o8 = (unsigned long long)o8 & 31ull;
                    o8 = (unsigned long long)o8 << 2u;
                    o8 = ((long long)((unsigned long long)reg_in)) + o8;
                    unsigned v2 = *(unsigned*)((char*)o8);
                    reg_x = reg_x + v2;
                    reg_left = reg_left1 + (-1ll);
                    reg_next0 = reg_next0 + ((long long)(int)blockDim.x * (long long)(int)gridDim.x);
                    reg_i = reg_next0;
                    reg_now = reg_next0;
                } while (reg_left1 > 0ll);
            }
        }
    }
    *(int*)reg_out = reg_x;
}

