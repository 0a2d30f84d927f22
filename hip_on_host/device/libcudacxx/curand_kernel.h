// Stands for cuRAND's header of this name where the program names no folder that has it: the generators XORWOW, Philox and
// MRG32k3a, with cuRAND's sequences, and its uniform, normal and log-normal numbers. The others are in NVIDIA's own header.
#pragma once

// The parts of a state that hold the second number of a pair of normal ones.
#define CUDA_SHIM_RANDOM_STATE(name, ...)   \
    typedef struct name {                   \
        __VA_ARGS__                         \
        int boxmuller_flag;                 \
        int boxmuller_flag_double;          \
        float boxmuller_extra;              \
        double boxmuller_extra_double;      \
    } name##_t;
CUDA_SHIM_RANDOM_STATE(curandStateXORWOW, unsigned int d, v[5];)
CUDA_SHIM_RANDOM_STATE(curandStateMRG32k3a, unsigned int s1[3]; unsigned int s2[3];)
typedef curandStateXORWOW curandState;
typedef curandStateXORWOW curandState_t;
typedef struct curandStatePhilox4_32_10 {
    uint4 ctr;
    uint4 output;
    uint2 key;
    unsigned int STATE;
    int boxmuller_flag;
    int boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
} curandStatePhilox4_32_10_t;

namespace cuda_shim_random {

template <class State> CUDA_SHIM_INLINE void forget_pairs(State* state) {
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0.0f;
    state->boxmuller_extra_double = 0.0;
}

// Polynomials over bits, below degree 160. The step of XORWOW is linear: n steps are x^n modulo the polynomial that
// describes one step, applied to the state.
struct polynomial {
    unsigned int words[5];
};
static constexpr polynomial xorwow_step = {{0x60001u, 0x8610030u, 0x62121u, 0xf3c0035u, 0xf0eu}};  // and x^160
// x^(2^67): a sequence's length.
static constexpr polynomial xorwow_sequence = {{0x26294934u, 0x77bbc248u, 0x1a87dad0u, 0x930052d4u, 0x947e6dd2u}};

static inline polynomial product(const polynomial& a, const polynomial& b) {
    polynomial result = {};
    for (int bit = 159; bit >= 0; --bit) {
        const unsigned int carry = 0u - (result.words[4] >> 31), taken = 0u - (b.words[bit / 32] >> (bit % 32) & 1);
        for (int i = 4; i >= 0; --i) {
            const unsigned int shifted = result.words[i] << 1 | (i ? result.words[i - 1] >> 31 : 0);
            result.words[i] = shifted ^ (carry & xorwow_step.words[i]) ^ (taken & a.words[i]);
        }
    }
    return result;
}
CUDA_SHIM_INLINE unsigned int next(unsigned int* v) {
    const unsigned int t = v[0] ^ (v[0] >> 2);
    for (int i = 0; i < 4; ++i) v[i] = v[i + 1];
    return v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}
// The state after `one` has been applied n times.
static inline void advance(unsigned int* v, polynomial one, unsigned long long n) {
    if (!n) return;
    polynomial all = {{1}};
    for (bool some = false; n; n >>= 1, one = product(one, one))
        if (n & 1) {
            all = some ? product(all, one) : one;
            some = true;
        }
    unsigned int sum[5] = {};
    for (int bit = 0; bit < 160; ++bit) {
        const unsigned int taken = 0u - (all.words[bit / 32] >> (bit % 32) & 1);
        for (int i = 0; i < 5; ++i) sum[i] ^= taken & v[i];
        next(v);
    }
    for (int i = 0; i < 5; ++i) v[i] = sum[i];
}

static constexpr unsigned long long modulus1 = 4294967087ull, modulus2 = 4294944443ull;
struct matrix {
    unsigned long long rows[3][3];
};
constexpr matrix product(const matrix& a, const matrix& b, unsigned long long modulus) {
    matrix result = {};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k) result.rows[i][j] = (result.rows[i][j] + a.rows[i][k] * b.rows[k][j] % modulus) % modulus;
    return result;
}
constexpr matrix squared(matrix a, int times, unsigned long long modulus) {
    for (; times > 0; --times) a = product(a, a, modulus);
    return a;
}
static constexpr matrix mrg_step1 = {{{0, 1, 0}, {0, 0, 1}, {modulus1 - 810728, 1403580, 0}}};
static constexpr matrix mrg_step2 = {{{0, 1, 0}, {0, 0, 1}, {modulus2 - 1370589, 0, 527612}}};
// A subsequence has 2^76 numbers, a sequence 2^127.
static constexpr matrix mrg_subsequence1 = squared(mrg_step1, 76, modulus1), mrg_subsequence2 = squared(mrg_step2, 76, modulus2);
static constexpr matrix mrg_sequence1 = squared(mrg_subsequence1, 51, modulus1), mrg_sequence2 = squared(mrg_subsequence2, 51, modulus2);

static inline void advance(unsigned int* s, matrix one, unsigned long long n, unsigned long long modulus) {
    for (; n; n >>= 1, one = product(one, one, modulus)) {
        if (!(n & 1)) continue;
        unsigned long long after[3];
        for (int i = 0; i < 3; ++i) {
            after[i] = 0;
            for (int k = 0; k < 3; ++k) after[i] = (after[i] + one.rows[i][k] * s[k] % modulus) % modulus;
        }
        for (int i = 0; i < 3; ++i) s[i] = (unsigned int)after[i];
    }
}
// From 1 to the first modulus.
CUDA_SHIM_INLINE double next(curandStateMRG32k3a_t* state) {
    const unsigned long long first = (1403580ull * state->s1[1] + 810728ull * (modulus1 - state->s1[0])) % modulus1;
    const unsigned long long second = (527612ull * state->s2[2] + 1370589ull * (modulus2 - state->s2[0])) % modulus2;
    for (int i = 0; i < 2; ++i) state->s1[i] = state->s1[i + 1], state->s2[i] = state->s2[i + 1];
    state->s1[2] = (unsigned int)first;
    state->s2[2] = (unsigned int)second;
    return (double)(first > second ? first - second : first + modulus1 - second);
}

static inline uint4 philox(uint4 counter, uint2 key) {
    for (int round = 0; round < 10; ++round) {
        const unsigned long long first = 0xD2511F53ull * counter.x, second = 0xCD9E8D57ull * counter.z;
        counter = make_uint4((unsigned int)(second >> 32) ^ counter.y ^ key.x, (unsigned int)second,
                             (unsigned int)(first >> 32) ^ counter.w ^ key.y, (unsigned int)first);
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return counter;
}
CUDA_SHIM_INLINE void count_on(uint4& counter, unsigned long long n) {
    const unsigned long long low = counter.x | (unsigned long long)counter.y << 32, sum = low + n;
    counter.x = (unsigned int)sum;
    counter.y = (unsigned int)(sum >> 32);
    if (sum < low && ++counter.z == 0) ++counter.w;
}

// Numbers above zero, from 32 and from 53 bits.
CUDA_SHIM_INLINE float uniform(unsigned int x) { return (float)x * 0x1p-32f + 0x1p-33f; }
CUDA_SHIM_INLINE double uniform(unsigned int x, unsigned int y) {
    return (double)((unsigned long long)x ^ ((unsigned long long)y << 21)) * 0x1p-53 + 0x1p-54;
}
CUDA_SHIM_INLINE float2 normal(float u, float angle) {
    float2 result;
    const float length = sqrtf(-2.0f * logf(u));
    __sincosf(angle, &result.x, &result.y);
    return make_float2(result.x * length, result.y * length);
}
CUDA_SHIM_INLINE double2 normal(double u, double angle) {
    double2 result;
    const double length = sqrt(-2.0 * log(u));
    sincospi(angle, &result.x, &result.y);
    return make_double2(result.x * length, result.y * length);
}
CUDA_SHIM_INLINE float2 normal(unsigned int x, unsigned int y) {
    constexpr float scale = 0x1p-32f * 6.2831855f;
    return normal(uniform(x), (float)y * scale + scale / 2);
}
CUDA_SHIM_INLINE double2 normal(const uint4& bits) {
    const double turn = (double)((unsigned long long)bits.z ^ ((unsigned long long)bits.w << 21)) * 0x1p-52 + 0x1p-53;
    return normal(uniform(bits.x, bits.y), turn);
}

}  // namespace cuda_shim_random

CUDA_SHIM_INLINE unsigned int curand(curandStateXORWOW_t* state) {
    const unsigned int next = cuda_shim_random::next(state->v);
    return next + (state->d += 362437u);
}
CUDA_SHIM_INLINE unsigned int curand(curandStateMRG32k3a_t* state) {
    return (unsigned int)(cuda_shim_random::next(state) * 1.000000048662);
}
CUDA_SHIM_INLINE unsigned int curand(curandStatePhilox4_32_10_t* state) {
    const unsigned int at = state->STATE & 3;
    const unsigned int result = at == 0 ? state->output.x : at == 1 ? state->output.y : at == 2 ? state->output.z : state->output.w;
    if (++state->STATE == 4) {
        cuda_shim_random::count_on(state->ctr, 1);
        state->output = cuda_shim_random::philox(state->ctr, state->key);
        state->STATE = 0;
    }
    return result;
}
CUDA_SHIM_INLINE uint4 curand4(curandStatePhilox4_32_10_t* state) {
    uint4 result;
    result.x = curand(state);
    result.y = curand(state);
    result.z = curand(state);
    result.w = curand(state);
    return result;
}

CUDA_SHIM_INLINE void skipahead(unsigned long long n, curandStateXORWOW_t* state) {
    cuda_shim_random::advance(state->v, {{2}}, n);
    state->d += 362437u * (unsigned int)n;
}
CUDA_SHIM_INLINE void skipahead_sequence(unsigned long long n, curandStateXORWOW_t* state) {
    cuda_shim_random::advance(state->v, cuda_shim_random::xorwow_sequence, n);
}
CUDA_SHIM_INLINE void skipahead(unsigned long long n, curandStateMRG32k3a_t* state) {
    cuda_shim_random::advance(state->s1, cuda_shim_random::mrg_step1, n, cuda_shim_random::modulus1);
    cuda_shim_random::advance(state->s2, cuda_shim_random::mrg_step2, n, cuda_shim_random::modulus2);
}
CUDA_SHIM_INLINE void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t* state) {
    cuda_shim_random::advance(state->s1, cuda_shim_random::mrg_subsequence1, n, cuda_shim_random::modulus1);
    cuda_shim_random::advance(state->s2, cuda_shim_random::mrg_subsequence2, n, cuda_shim_random::modulus2);
}
CUDA_SHIM_INLINE void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t* state) {
    cuda_shim_random::advance(state->s1, cuda_shim_random::mrg_sequence1, n, cuda_shim_random::modulus1);
    cuda_shim_random::advance(state->s2, cuda_shim_random::mrg_sequence2, n, cuda_shim_random::modulus2);
}
CUDA_SHIM_INLINE void skipahead(unsigned long long n, curandStatePhilox4_32_10_t* state) {
    const unsigned long long at = state->STATE + (n & 3);
    cuda_shim_random::count_on(state->ctr, n / 4 + at / 4);
    state->STATE = (unsigned int)(at & 3);
    state->output = cuda_shim_random::philox(state->ctr, state->key);
}
CUDA_SHIM_INLINE void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t* state) {
    const unsigned long long sum = (state->ctr.z | (unsigned long long)state->ctr.w << 32) + n;
    state->ctr.z = (unsigned int)sum;
    state->ctr.w = (unsigned int)(sum >> 32);
    state->output = cuda_shim_random::philox(state->ctr, state->key);
}

CUDA_SHIM_INLINE void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                                  curandStateXORWOW_t* state) {
    const unsigned int low = 1099087573u * ((unsigned int)seed ^ 0xaad26b49u);
    const unsigned int high = 2591861531u * ((unsigned int)(seed >> 32) ^ 0xf7dcefddu);
    state->d = 6615241u + high + low;
    state->v[0] = 123456789u + low;
    state->v[1] = 362436069u ^ low;
    state->v[2] = 521288629u + high;
    state->v[3] = 88675123u ^ high;
    state->v[4] = 5783321u + low;
    skipahead_sequence(sequence, state);
    skipahead(offset, state);
    cuda_shim_random::forget_pairs(state);
}
CUDA_SHIM_INLINE void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                                  curandStateMRG32k3a_t* state) {
    const unsigned long long low = (unsigned int)seed ^ 0x55555555u, high = (unsigned int)(seed >> 32) ^ 0xaaaaaaaau;
    for (int i = 0; i < 3; ++i) {
        const bool odd = i == 1;
        state->s1[i] = seed ? (unsigned int)((odd ? high : low) * 12345 % cuda_shim_random::modulus1) : 12345;
        state->s2[i] = seed ? (unsigned int)((odd ? low : high) * 12345 % cuda_shim_random::modulus2) : 12345;
    }
    skipahead_subsequence(sequence, state);
    skipahead(offset, state);
    cuda_shim_random::forget_pairs(state);
}
CUDA_SHIM_INLINE void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                                  curandStatePhilox4_32_10_t* state) {
    state->ctr = make_uint4(0, 0, 0, 0);
    state->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
    state->STATE = 0;
    cuda_shim_random::forget_pairs(state);
    skipahead_sequence(sequence, state);
    skipahead(offset, state);
}

CUDA_SHIM_INLINE float curand_uniform(curandStateXORWOW_t* state) { return cuda_shim_random::uniform(curand(state)); }
CUDA_SHIM_INLINE float curand_uniform(curandStatePhilox4_32_10_t* state) { return cuda_shim_random::uniform(curand(state)); }
CUDA_SHIM_INLINE double curand_uniform_double(curandStateMRG32k3a_t* state) {
    return cuda_shim_random::next(state) * 2.3283065498378288e-10;
}
CUDA_SHIM_INLINE float curand_uniform(curandStateMRG32k3a_t* state) { return (float)curand_uniform_double(state); }
CUDA_SHIM_INLINE double curand_uniform_double(curandStateXORWOW_t* state) {
    const unsigned int x = curand(state), y = curand(state);
    return cuda_shim_random::uniform(x, y);
}
CUDA_SHIM_INLINE double curand_uniform_double(curandStatePhilox4_32_10_t* state) { return curand(state) * 0x1p-32 + 0x1p-32; }
CUDA_SHIM_INLINE float4 curand_uniform4(curandStatePhilox4_32_10_t* state) {
    const uint4 bits = curand4(state);
    return make_float4(cuda_shim_random::uniform(bits.x), cuda_shim_random::uniform(bits.y), cuda_shim_random::uniform(bits.z),
                       cuda_shim_random::uniform(bits.w));
}
CUDA_SHIM_INLINE double2 curand_uniform2_double(curandStatePhilox4_32_10_t* state) {
    const uint4 bits = curand4(state);
    return make_double2(cuda_shim_random::uniform(bits.x, bits.y), cuda_shim_random::uniform(bits.z, bits.w));
}

template <class State> CUDA_SHIM_INLINE float2 curand_normal2(State* state) {
    const unsigned int x = curand(state), y = curand(state);
    return cuda_shim_random::normal(x, y);
}
CUDA_SHIM_INLINE float2 curand_normal2(curandStateMRG32k3a_t* state) {
    const float u = curand_uniform(state), angle = curand_uniform(state) * 6.2831855f;
    return cuda_shim_random::normal(u, angle);
}
template <class State> CUDA_SHIM_INLINE double2 curand_normal2_double(State* state) {
    uint4 bits;
    bits.x = curand(state);
    bits.y = curand(state);
    bits.z = curand(state);
    bits.w = curand(state);
    return cuda_shim_random::normal(bits);
}
CUDA_SHIM_INLINE double2 curand_normal2_double(curandStateMRG32k3a_t* state) {
    const double u = curand_uniform_double(state), angle = curand_uniform_double(state) * 2.0;
    return cuda_shim_random::normal(u, angle);
}
CUDA_SHIM_INLINE float4 curand_normal4(curandStatePhilox4_32_10_t* state) {
    const float2 first = curand_normal2(state), second = curand_normal2(state);
    return make_float4(first.x, first.y, second.x, second.y);
}
template <class State> CUDA_SHIM_INLINE float2 curand_log_normal2(State* state, float mean, float deviation) {
    const float2 pair = curand_normal2(state);
    return make_float2(expf(mean + deviation * pair.x), expf(mean + deviation * pair.y));
}
template <class State> CUDA_SHIM_INLINE double2 curand_log_normal2_double(State* state, double mean, double deviation) {
    const double2 pair = curand_normal2_double(state);
    return make_double2(exp(mean + deviation * pair.x), exp(mean + deviation * pair.y));
}
CUDA_SHIM_INLINE float4 curand_log_normal4(curandStatePhilox4_32_10_t* state, float mean, float deviation) {
    const float2 first = curand_log_normal2(state, mean, deviation), second = curand_log_normal2(state, mean, deviation);
    return make_float4(first.x, first.y, second.x, second.y);
}

// One of a pair; the second call of the same kind gives the other. `of` distinguishes normal from log-normal ones.
#define CUDA_SHIM_RANDOM_SINGLE(name, of, Number, Pair, extra, flag, make, ...)                            \
    template <class State> CUDA_SHIM_INLINE Number name(State* state __VA_ARGS__) {                        \
        if (state->flag == of) {                                                                           \
            state->flag = 0;                                                                               \
            return state->extra;                                                                           \
        }                                                                                                  \
        const Pair pair = make;                                                                            \
        state->extra = pair.y;                                                                             \
        state->flag = of;                                                                                  \
        return pair.x;                                                                                     \
    }
CUDA_SHIM_RANDOM_SINGLE(curand_normal, 1, float, float2, boxmuller_extra, boxmuller_flag, curand_normal2(state))
CUDA_SHIM_RANDOM_SINGLE(curand_normal_double, 1, double, double2, boxmuller_extra_double, boxmuller_flag_double,
                        curand_normal2_double(state))
CUDA_SHIM_RANDOM_SINGLE(curand_log_normal, 2, float, float2, boxmuller_extra, boxmuller_flag,
                        curand_log_normal2(state, mean, deviation), , float mean, float deviation)
CUDA_SHIM_RANDOM_SINGLE(curand_log_normal_double, 2, double, double2, boxmuller_extra_double, boxmuller_flag_double,
                        curand_log_normal2_double(state, mean, deviation), , double mean, double deviation)

template <class State, class Mean>
__attribute__((error("curand_poisson is in NVIDIA's own header: pip install nvidia-curand, and name its folder with -I")))
unsigned int curand_poisson(State* state, Mean lambda);
