// Code that macros hide: assignments, declarations, barriers, jumps, loops, whole statements, names.

#define ACC(s, v) ((s) += (v))
#define SET(x, v) x = v
#define TWICE(what) what, what
#define BARRIER __syncthreads()
#define SYNC() BARRIER
#define EXCHANGE(s, t, v) do { s[t] = (v); __syncthreads(); (v) = s[63 - (t)]; __syncthreads(); } while (0)
#define LEAVE_IF(c) if (c) return
#define EACH(i, n) for (int i = 0; i < (n); ++i)
#define TID threadIdx.x
#define G (blockIdx.x * 64 + threadIdx.x)
#define DECLARE(type, name, value) type name = value
#define BEGIN {
#define END }
#define SHUFFLE(v, d) v += __shfl_xor_sync(~0u, v, d)
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define ALL 0xffffffffu
#define SWAP(type, a, b) { type swap_ = (a); (a) = (b); (b) = swap_; }
#define CHECKED(e) ((e) > 0 ? (e) : 0)
#define POSTFIX(x) x++
#define KERNEL(name) extern "C" __global__ void name(int* out, int n)
#define EMPTY
#define DEFER(x) x EMPTY
#define EXPAND(...) __VA_ARGS__
#define LOCAL_ARRAY(type, name, ...) type name[] = {__VA_ARGS__}
#define BREAK break
#define MAX3(a, b, c) max(a, max(b, c))

extern "C" __global__ void accumulating(int* out, int n) {
    int t = threadIdx.x, s = 0;
    for (int i = 0; i < n; ++i) ACC(s, t + i);
    out[blockIdx.x * 64 + t] = s;
}

extern "C" __global__ void setting(int* out, int n) {
    int x = 0;
    SET(x, threadIdx.x);
    __syncthreads();
    out[G] = x;
}

extern "C" __global__ void setting_a_parameter(int* out, int n) {
    SET(n, n + TID);
    SYNC();
    out[G] = n;
}

extern "C" __global__ void thread_by_a_name(int* out, int n) {
    int x = TID;
    BARRIER;
    if (TID > 30) x += TID;
    BARRIER;
    out[G] = x;
}

extern "C" __global__ void done_twice(int* out, int n) {
    int x = n;
    TWICE(x += TID);
    BARRIER;
    out[G] = x;
}

extern "C" __global__ void exchanging(int* out, int n) {
    __shared__ int s[64];
    int v = TID * 3;
    EXCHANGE(s, threadIdx.x, v);
    EACH(i, n) EXCHANGE(s, (threadIdx.x + i) % 64, v);
    out[G] = v;
}

extern "C" __global__ void leaving(int* out, int n) {
    LEAVE_IF(TID > 40);
    BARRIER;
    out[G] = 7;
    LEAVE_IF(TID & 1);
    out[G] += n;
}

extern "C" __global__ void declaring(int* out, int n) {
    DECLARE(int, a, TID);
    DECLARE(const int, b, a * 2);
    BARRIER;
    DECLARE(int, *p, &a);
    *p += 1;
    BARRIER;
    out[G] = a * 1000 + b;
}

extern "C" __global__ void braces(int* out, int n) {
    int x = 0;
    if (n > 3) BEGIN x = TID; BARRIER; x += 1; END
    EACH(i, 2) BEGIN int y = x + i; BARRIER; x += y; END
    out[G] = x;
}

extern "C" __global__ void shuffling(int* out, int n) {
    int v = TID;
    SHUFFLE(v, 16), SHUFFLE(v, 8), SHUFFLE(v, 4), SHUFFLE(v, 2), SHUFFLE(v, 1);
    out[G] = v;
}

extern "C" __global__ void shuffling_in_a_loop(int* out, int n) {
    int v = TID;
    for (int d = 16; d; d >>= 1) SHUFFLE(v, d);
    out[G] = v;
}

extern "C" __global__ void joined_names(int* out, int n) {
    int JOIN(v, 1) = TID, v2 = 0;
    JOIN(v, 2) = v1 + 1;
    JOIN(__sync, threads)();
    JOIN(v, 1) += v2;
    BARRIER;
    out[G] = v1 * 100 + v2;
}

extern "C" __global__ void swapping(int* out, int n) {
    int a = TID, b = n;
    SWAP(int, a, b)
    BARRIER;
    if (TID & 1) SWAP(int, a, b)
    BARRIER;
    out[G] = a * 1000 + b;
}

extern "C" __global__ void evaluated_twice(int* out, int n) {
    int x = TID;
    int y = CHECKED(--x);
    BARRIER;
    out[G] = x * 100 + y;
}

extern "C" __global__ void postfix(int* out, int n) {
    int x = TID, s = 0;
    EACH(i, n) s += POSTFIX(x);
    BARRIER;
    out[G] = s * 100 + x;
}

KERNEL(whole_kernel_head) {
    int x = 0;
    SET((x), TID);
    BARRIER;
    out[G] = x + n;
}

extern "C" __global__ void deferred(int* out, int n) {
    int x = 0;
    EXPAND(DEFER(SET)(x, TID));
    EXPAND(DEFER(SYNC)());
    out[G] = x;
}

extern "C" __global__ void lists(int* out, int n) {
    LOCAL_ARRAY(int, a, 1, (int)TID, 3);
    BARRIER;
    LOCAL_ARRAY(int, b, a[1], n);
    BARRIER;
    out[G] = a[1] * 100 + b[0] + b[1];
}

extern "C" __global__ void jumping(int* out, int n) {
    int s = 0;
    EACH(i, 20) {
        if (i == (int)TID % 11) BREAK;
        s += i;
    }
    BARRIER;
    for (;;) {
        BARRIER;
        if (--n < 0) BREAK;
        s++;
    }
    out[G] = s;
}

#define n (n_ + (int)threadIdx.x)
extern "C" __global__ void parameter_is_a_macro(int* out, int n_) {
    int s = 0;
    for (int i = 0; i < n; ++i) s += i;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s + n;
}
#undef n

#define i_loop(body) for (int i = 0; i < 4; ++i) { body; }
extern "C" __global__ void code_as_an_argument(int* out, int n) {
    int s = 0;
    i_loop(s += i * TID; __syncthreads(); s ^= i)
    out[G] = s;
}

#define STATE(name) int name##_a = 0, name##_b = 0
#define STEP(name) (name##_a = name##_b + TID, name##_b = name##_a)
extern "C" __global__ void hidden_state(int* out, int n) {
    STATE(x);
    STEP(x), STEP(x);
    BARRIER;
    STEP(x);
    BARRIER;
    out[G] = x_a * 100 + x_b;
}

#define IF_FIRST if (threadIdx.x == 0)
#define ELSE else
extern "C" __global__ void conditions(int* out, int n) {
    __shared__ int s;
    int x;
    IF_FIRST s = n; ELSE x = 1;
    BARRIER;
    IF_FIRST x = s; ELSE x += s;
    BARRIER;
    out[G] = x;
}

#define LIST(X) X(a, 1) X(b, 2) X(c, 3)
extern "C" __global__ void lists_of_declarations(int* out, int n) {
#define VARIABLE(name, by) int name = threadIdx.x * by;
    LIST(VARIABLE)
#undef VARIABLE
    BARRIER;
#define ADD(name, by) name += by;
    LIST(ADD)
#undef ADD
    BARRIER;
    out[G] = a + b * 10 + c * 100;
}

extern "C" __global__ void conditional_compilation(int* out, int n) {
    int x = 1;
#if defined(ACC) && \
    !defined(NOTHING)
    ACC(x, TID);
    BARRIER;
#else
    x = 4;
#endif
    out[G] = MAX3(x, n, 9);
}

extern "C" __global__ void continued_lines(int* out, int n) {
    int x = 0;
    x \
        = \
        threadIdx.x;  // a comment that goes on \
    x = 5;
    __sync\
threads();
    out[G] = x /* = 3; */ + n;
}
