#include <cuda_shim/ptx_memory.h>

extern "C" __global__ void do_while(char* reg_out, char* reg_in) {
    unsigned r2 = 0u;
    unsigned r3;
    do {
        r2 = r2 + 1u;
        *(unsigned*)reg_out = r2;
        r3 = *(unsigned*)reg_in;
    } while (r3 < threadIdx.x);
}

extern "C" __global__ void while_loop(char* reg_out, char* reg_in) {
    unsigned r2 = *(unsigned*)reg_in;
    while (!(r2 == 0u)) {
        r2 = r2 >> 1u;
        *(unsigned*)reg_out = r2;
    }
}

extern "C" __global__ void branches(char* reg_out, unsigned long long reg_in) {
    if (threadIdx.x == 0u) {
        *(unsigned*)(reg_out + 4) = 2u;
    }
    else {
        *(unsigned*)reg_out = 1u;
    }
}

extern "C" __global__ void table(char* reg_out, unsigned long long reg_in) {
    unsigned r2;
    switch (threadIdx.x) {
        case 0: {
            r2 = 1u;
            break;
        }
        case 1: {
            r2 = 2u;
            break;
        }
        default: {
            r2 = 3u;
            break;
        }
    }
    *(unsigned*)reg_out = r2;
}

extern "C" __global__ void skips(char* reg_out, char* reg_in) {
    bool skip_to_6 = false;
    unsigned r3;
    unsigned r2;
    do {
        r2 = *(unsigned*)reg_in;
        while (true) {
            if (r2 == threadIdx.x) {
                skip_to_6 = true;
                break;
            }
            r2 = r2 >> 1u;
            if (!(r2 != 0u)) {
                break;
            }
        }
        if (skip_to_6) {
            break;
        }
        *(unsigned*)reg_out = 1u;
        r3 = *(unsigned*)(reg_in + 4);
    } while (r3 != 0u);
    if (!skip_to_6) {
        *(unsigned*)reg_out = 2u;
    }
    *(unsigned*)(reg_out + 4) = r2;
}

extern "C" __global__ void irreducible(char* reg_out, char* reg_in) {
    int block = 0;
    unsigned r2;
    while (true) {
        switch (block) {
            case 0: {
                r2 = *(unsigned*)reg_in;
                block = (threadIdx.x == 0u) ? 2 : 1;
                break;
            }
            case 1: {
                r2 = r2 + 1u;
                block = 2;
                break;
            }
            case 2: {
                r2 = r2 + 2u;
                block = (r2 < 50u) ? 1 : 3;
                break;
            }
            case 3: {
                *(unsigned*)reg_out = r2;
                return;
                break;
            }
        }
    }
}

