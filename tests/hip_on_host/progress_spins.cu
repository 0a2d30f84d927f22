// Loops that wait for memory which other threads of the block, or other blocks, write.

// --- threads of a block that wait for later ones: thread t for the value that thread t + 1 leaves

#define CHAIN(name, ...)                                                 \
    extern "C" __global__ void name(int* flags, int* out) {              \
        const int t = threadIdx.x, first = blockIdx.x * blockDim.x;      \
        int* const flag = flags + first + t + 1;                         \
        int got = 1;                                                     \
        if (t + 1 < blockDim.x) { __VA_ARGS__ }                          \
        out[first + t] = got;                                            \
        __threadfence();                                                 \
        atomicExch(flags + first + t, got + 1);                          \
    }
CHAIN(wait_volatile, { volatile int* p = flag; while ((got = *p) == 0) {} })
CHAIN(wait_empty_body, { while (*(volatile int*)flag == 0); got = *flag; })
CHAIN(wait_do, do { got = atomicAdd(flag, 0); } while (got == 0);)
CHAIN(wait_for_break, for (;;) { got = atomicCAS(flag, 0, 0); if (got != 0) break; })
CHAIN(wait_counting, for (int tries = 0; tries >= 0; tries = (tries + 1) & 1023) if ((got = atomicOr(flag, 0)) != 0) break;)
CHAIN(wait_fence, while ((got = *flag) == 0) __threadfence();)
CHAIN(wait_sleep, unsigned ns = 8; while ((got = *flag) == 0) { __nanosleep(ns); if (ns < 256) ns *= 2; })
CHAIN(wait_uncached, while (!(got = __ldcv(flag))) {})
CHAIN(wait_goto, again: got = atomicMax(flag, 0); if (got == 0) goto again;)
CHAIN(wait_nested, bool done = false; while (!done) { for (int k = 0; k < 4; ++k) { got = atomicAdd(flag, 0); if (got) { done = true; break; } } })
CHAIN(wait_lambda, auto ready = [&] { return (got = atomicAdd(flag, 0)) != 0; }; while (!ready()) {})
__device__ int load(int* flag) { return *(volatile int*)flag; }
__device__ int await(int* flag) { int value; while ((value = load(flag)) == 0) {} return value; }
CHAIN(wait_in_function, got = await(flag);)
__device__ int ask_again(int* flag) { const int value = atomicAdd(flag, 0); return value ? value : ask_again(flag); }
CHAIN(wait_by_calls, got = ask_again(flag);)
__device__ bool even(int* flag, int& got);
__device__ bool odd(int* flag, int& got) { return (got = load(flag)) != 0 || even(flag, got); }
__device__ bool even(int* flag, int& got) { return (got = load(flag)) != 0 || odd(flag, got); }
CHAIN(wait_by_turns, even(flag, got);)
CHAIN(wait_behind_pragma, do _Pragma("unroll") for (int k = 0; k < 2; ++k) got = atomicAdd(flag, 0); while (got == 0);)
typedef volatile int Flag;
struct Mailbox { Flag full; };
CHAIN(wait_member, Mailbox* box = (Mailbox*)flag; while (!box->full) {} got = box->full;)

// The same in shared memory, after a barrier.
extern "C" __global__ void wait_shared(int*, int* out) {
    __shared__ volatile int flag[1025];
    const int t = threadIdx.x, n = blockDim.x;
    flag[t] = 0;
    __syncthreads();
    if (t + 1 < n)
        while (flag[t + 1] == 0) {}
    const int got = t + 1 < n ? flag[t + 1] : 1;
    out[blockIdx.x * n + t] = got;
    flag[t] = got + 1;
}

// A lane waits for another one, which exchanges values with the rest of the warp first; then all of them meet.
extern "C" __global__ void wait_in_warp(int* flags, int* out) {
    const int t = threadIdx.x;
    volatile int* flag = flags + blockIdx.x;
    int got = 0;
    if (t == 0) {
        while ((got = *flag) == 0) {}
    } else {
        int sum = t;
        for (int by = 1; by < 32; by *= 2) {
            const int other = __shfl_down_sync(0xfffffffeu, sum, by);
            if (t + by < 32) sum += other;
        }
        if (t == 1) *flag = sum;
    }
    __syncwarp();
    out[blockIdx.x * 32 + t] = __shfl_sync(0xffffffffu, got, 0);
}

// Thread 0 waits for a write of the last thread before a barrier that both reach.
extern "C" __global__ void wait_before_barrier(int* flags, int* out) {
    __shared__ int s[256];
    const int t = threadIdx.x, n = blockDim.x;
    volatile int* flag = flags + blockIdx.x;
    s[t] = t;
    if (t == 0) while (*flag == 0) {}
    if (t == n - 1) *flag = 1;
    __syncthreads();
    out[blockIdx.x * n + t] = s[n - 1 - t];
}

// --- locks

extern "C" __global__ void thread_lock(int* mutex, int* sum) {
    bool done = false;
    while (!done) {
        if (atomicCAS(mutex, 0, 1) == 0) {
            __threadfence();
            *(volatile int*)sum += 1;
            __threadfence();
            atomicExch(mutex, 0);
            done = true;
        }
    }
}
// Held across a barrier by whoever has it.
extern "C" __global__ void block_lock(int* mutex, int* sum) {
    __shared__ int before;
    if (threadIdx.x == 0) {
        while (atomicExch(mutex, 1) != 0) {}
        __threadfence();
        before = *(volatile int*)sum;
    }
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) {
        *(volatile int*)sum = before + 1;
        __threadfence();
        atomicExch(mutex, 0);
    }
}
// Tickets are drawn in the order of threads and served in that order; each thread of a block draws for another.
extern "C" __global__ void tickets(int* serving, int* order) {
    const int mine = blockDim.x - 1 - threadIdx.x;
    while (atomicAdd(serving, 0) != mine) {}
    order[mine] = threadIdx.x;
    __threadfence();
    atomicAdd(serving, 1);
}
__device__ float atomicLargest(float* address, float value) {
    int* bits = (int*)address;
    int old = *bits, assumed;
    do {
        assumed = old;
        if (__int_as_float(assumed) >= value) break;
        old = atomicCAS(bits, assumed, __float_as_int(value));
    } while (assumed != old);
    return __int_as_float(old);
}
extern "C" __global__ void largest(float* out, int n) {
    atomicLargest(out, (float)((threadIdx.x * 37) % n));
}

// --- blocks that wait for each other

// Block b waits for block b + 1, with a tile of its own in shared memory, of either kind, meanwhile.
extern "C" __global__ void blocks_backwards(int* flags, int* out) {
    __shared__ int tile[64];
    extern __shared__ int room[];
    const int t = threadIdx.x, b = blockIdx.x;
    tile[t] = 100 * b + t;
    room[t] = 7 * b;
    __syncthreads();
    if (t == 0 && b + 1 < gridDim.x) while (*(volatile int*)(flags + b + 1) == 0) {}
    __syncthreads();
    out[b * 64 + t] = tile[63 - t] + room[t];
    __threadfence();
    if (t == 0) atomicExch(flags + b, 1);
}
// A single-pass scan: each block waits for the sum of all before it.
extern "C" __global__ void look_back(volatile int* sums, int* out) {
    __shared__ int before;
    const int t = threadIdx.x, b = gridDim.x - 1 - blockIdx.x;  // so that the first blocks wait for later ones
    if (t == 0) {
        int sum = 0;
        if (b > 0) while ((sum = sums[b - 1]) == 0) {}
        before = sum;
        sums[b] = sum + b + 1;
    }
    __syncthreads();
    out[b * blockDim.x + t] = before;
}
extern "C" __global__ void grid_barriers(int* count, int* data, int* out, int rounds) {
    const int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; ++r) {
        data[r * n + i] = r + i;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(count, 1);
            while (atomicAdd(count, 0) < (int)gridDim.x * (r + 1)) {}
        }
        __syncthreads();
        out[i] += *(volatile int*)&data[r * n + (i + 77) % n];
    }
}
extern "C" __global__ void last_block(int* count, int* parts, int* total) {
    __shared__ int sum;
    __shared__ bool last;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, (int)(blockIdx.x * blockDim.x + threadIdx.x));
    __syncthreads();
    if (threadIdx.x == 0) {
        *(volatile int*)(parts + blockIdx.x) = sum;
        __threadfence();
        last = atomicAdd(count, 1) == (int)gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) atomicAdd(total, *(volatile int*)(parts + i));
}
// Block b takes the values of block b - 1 one by one, and hands them on; the last block writes them down.
extern "C" __global__ void pipeline(volatile int* full, volatile int* value, int* out, int n) {
    const int b = gridDim.x - 1 - blockIdx.x;
    if (threadIdx.x != 0) return;
    for (int i = 0; i < n; ++i) {
        int item = i;
        if (b > 0) {
            while (!full[b - 1]) {}
            __threadfence();
            item = value[b - 1] + 1;
            __threadfence();
            full[b - 1] = 0;
        }
        if (b + 1 == gridDim.x) {
            out[i] = item;
        } else {
            while (full[b]) {}
            value[b] = item;
            __threadfence();
            full[b] = 1;
        }
    }
}
extern "C" __global__ void work_queue(int* next, int* out, int n) {
    __shared__ int item;
    while (true) {
        if (threadIdx.x == 0) item = atomicAdd(next, 1);
        __syncthreads();
        const int mine = item;
        __syncthreads();
        if (mine >= n) break;
        out[mine * blockDim.x + threadIdx.x] = mine + threadIdx.x;
    }
}
// All blocks of a cooperative launch, without its barrier.
extern "C" __global__ void all_at_once(int* count, int* out) {
    const int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(count, 1);
    while (atomicAdd(count, 0) < n) {}
    out[i] = i;
}

// --- nothing of the kind

extern "C" __global__ void never_waits(const volatile int* in, int* out, int n) {
    __shared__ int s[256];
    const int t = threadIdx.x;
    s[t] = 0;
    for (int i = t; i < n; i += blockDim.x) {
        if (in[i] < 0) continue;
        s[t] += in[i];
        atomicAdd(out, 1);
    }
    int i = t;
    while (i < n) {
        const int at = atomicAdd(out + 1, 1);
        if (at < n) out[2 + at] = in[i];
        i += blockDim.x;
    }
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
}
