// Assignments that do not look like `name = value`.

extern "C" __global__ void in_parentheses(int* out, int n) {
    int t = threadIdx.x, x = 0;
    (x) = t;
    __syncthreads();
    out[blockIdx.x * 64 + t] = x;
}

extern "C" __global__ void in_many_parentheses(int* out, int n) {
    int x = 0, y = n;
    ((x)) = threadIdx.x;
    (((y))) += threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x * 100 + y;
}

extern "C" __global__ void in_parentheses_in_a_loop(int* out, int n) {
    int s = 0;
    for (int i = 0; i < n; ++i) (s) += threadIdx.x + i;
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void step_in_parentheses(int* out, int n) {
    int s = n;
    for (int i = 0; i < (int)threadIdx.x; ++i) ++(s);
    __syncthreads();
    (s)++, (s)--, --(s);
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void parameter_in_parentheses(int* out, int n) {
    (n) = threadIdx.x * 2;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = n;
}

extern "C" __global__ void counter_in_parentheses(int* out, int n) {
    int s = 0;
    for (int i = 0; i < 9; ++i) {
        s += i;
        if (threadIdx.x & 1) (i) += 1;
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void through_a_conditional(int* out, int n) {
    int t = threadIdx.x, a = 1, b = 2;
    (t & 1 ? a : b) = t;
    __syncthreads();
    out[blockIdx.x * 64 + t] = a * 1000 + b;
}

extern "C" __global__ void uniform_conditional(int* out, int n) {
    int a = 1, b = 2, t = threadIdx.x;
    (n > 3 ? a : b) += t;
    __syncthreads();
    (n < 3 ? a : b) -= t;
    __syncthreads();
    out[blockIdx.x * 64 + t] = a * 1000 + b;
}

extern "C" __global__ void conditional_in_a_loop(int* out, int n) {
    int even = 0, odd = 0;
    for (int i = 0; i < n; ++i) (i & 1 ? odd : even) += threadIdx.x + i;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = even * 100 + odd;
}

extern "C" __global__ void without_parentheses_behind_a_conditional(int* out, int n) {
    int a = 0, b = 0, t = threadIdx.x;
    t & 2 ? a = t : b = 2 * t;
    __syncthreads();
    out[blockIdx.x * 64 + t] = a * 100 + b;
}

extern "C" __global__ void chained(int* out, int n) {
    int a, b, c;
    a = b = c = threadIdx.x;
    __syncthreads();
    a += b -= c *= 2;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = a * 10000 + b * 100 + c;
}

extern "C" __global__ void result_of_an_assignment(int* out, int n) {
    int a = 1, t = threadIdx.x;
    (a = t) += n;
    __syncthreads();
    (a *= 2) -= 1;
    ++(++a);
    __syncthreads();
    out[blockIdx.x * 64 + t] = a;
}

extern "C" __global__ void behind_a_comma(int* out, int n) {
    int a = 1, b = 2;
    (a++, b) = threadIdx.x;
    __syncthreads();
    (b++, a) += threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = a * 100 + b;
}

extern "C" __global__ void by_address_of(int* out, int n) {
    int x = 0;
    *&x = threadIdx.x;
    __syncthreads();
    *(&x) += 3;
    (&x)[0] *= 2;
    0 [&x] += 1;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

extern "C" __global__ void by_a_cast(int* out, int n) {
    unsigned x = 0;
    (int&)x = threadIdx.x - 7;
    __syncthreads();
    reinterpret_cast<int&>(x) *= 2;
    *(int*)&x += 1;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = (int)x;
}

extern "C" __global__ void by_a_const_cast(int* out, int n) {
    int x = 4;
    const int& r = x;
    const_cast<int&>(r) = threadIdx.x;
    __syncthreads();
    static_cast<int&>(x) += 5;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

extern "C" __global__ void bytes_of_a_float(int* out, int n) {
    float f = 0;
    *(unsigned*)&f = 0x3f800000u + ((unsigned)threadIdx.x << 17);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = (int)(f * 1000);
}

extern "C" __global__ void by_a_reference(int* out, int n) {
    int x = 1;
    int& r = x;
    int& q = r;
    q = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

extern "C" __global__ void by_a_reference_in_parentheses(int* out, int n) {
    int x = 1, y = 2;
    int(&r)(x);
    int &s{y}, z = 3;
    (r) = threadIdx.x;
    (s) += threadIdx.x;
    z += n;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x * 1000 + y * 10 + z;
}

extern "C" __global__ void by_a_chosen_reference(int* out, int n) {
    int a = 1, b = 2;
    auto& r = threadIdx.x % 3 ? a : b;
    r = threadIdx.x * 2;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = a * 1000 + b;
}

__device__ void put(int& where, int what) { where = what; }
__device__ int& larger(int& a, int& b) { return a > b ? a : b; }
__device__ int* at(int* p, int i) { return p + i; }

extern "C" __global__ void by_a_function(int* out, int n) {
    int x = 0;
    put(x, threadIdx.x);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x;
}

extern "C" __global__ void by_a_parameter_of_a_function(int* out, int n) {
    put(n, n + threadIdx.x);
    __syncthreads();
    int s = 0;
    for (int i = 0; i < n; ++i) s += i;
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void what_a_function_returns(int* out, int n) {
    int a = 3, b = threadIdx.x % 7;
    larger(a, b) = 50 + threadIdx.x;
    __syncthreads();
    *at(&a, 0) += 1;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = a * 1000 + b;
}

extern "C" __global__ void swapped(int* out, int n) {
    int a = threadIdx.x, b = n, c = 1;
    (void)(c = a), a = b, b = c;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = a * 1000 + b * 10 + c % 10;
}

extern "C" __global__ void in_a_condition(int* out, int n) {
    int x = 0, y = 0;
    if ((x = threadIdx.x) > 20) y = 1;
    while ((y = y * 2 + 1) < n) {
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x * 100 + y;
}

extern "C" __global__ void in_an_index(int* out, int n) {
    int a[4] = {1, 2, 3, 4}, i = 0;
    a[i = threadIdx.x & 3] = 9;
    __syncthreads();
    a[i++ & 3] += 1, a[i & 3] += 100;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = a[0] + a[1] * 3 + a[2] * 5 + a[3] * 7 + i * 10000;
}

extern "C" __global__ void in_an_argument(int* out, int n) {
    int x = 0, y = 0;
    put(y, x = threadIdx.x);
    __syncthreads();
    put(x, y += 3);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x * 100 + y;
}

extern "C" __global__ void in_a_logical_operator(int* out, int n) {
    int x = 1, y = 2;
    (threadIdx.x & 1) && (x = threadIdx.x);
    (threadIdx.x & 2) || (y = threadIdx.x);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x * 100 + y;
}

extern "C" __global__ void in_an_initialiser(int* out, int n) {
    int x = 0;
    int y = (x = threadIdx.x) + 1, z{x += 2};
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x + y * 100 + z * 10000;
}

extern "C" __global__ void by_an_atomic(int* out, int n) {
    int x = 0;
    __shared__ int total;
    int* where = &total;
    *where = 0;
    __syncthreads();
    x = atomicAdd(where, 1) >= 0 ? threadIdx.x : 0;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x + total * 1000;
}

extern "C" __global__ void by_a_library_function(int* out, int n) {
    float whole = 0, sine = 0, cosine = 0;
    int exponent = 0;
    float part = modff(threadIdx.x * 0.25f, &whole);
    float mantissa = frexpf(threadIdx.x + 1.0f, &exponent);
    sincosf(0.0f * threadIdx.x, &sine, &cosine);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = (int)(part * 4) + (int)whole * 10 + exponent * 1000 + (int)(mantissa * 64) * 10000 + (int)cosine + (int)sine;
}

extern "C" __global__ void members_in_parentheses(int* out, int n) {
    int2 p = make_int2(1, 2);
    (p).x = threadIdx.x;
    (p.y) = 3;
    (&p)->y += threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = p.x * 100 + p.y;
}

extern "C" __global__ void by_a_member_pointer(int* out, int n) {
    int2 p = make_int2(1, 2);
    int int2::*which = threadIdx.x & 1 ? &int2::x : &int2::y;
    p.*which = threadIdx.x;
    __syncthreads();
    (&p)->*which += 1;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = p.x * 100 + p.y;
}
