// Objects that hold their own address, or whose constructor hands their address to others.

#define OUT out[blockIdx.x * 64 + threadIdx.x]

struct Pointed {
    int v;
    int* p;
    __device__ explicit Pointed(int x) : v(x), p(&v) {}
    __device__ Pointed(int x, int y) : v(x * y), p(&v) {}
};
struct Implicit {
    int v;
    int* p;
    __device__ Implicit(int x) : v(x), p(&v) {}
};
struct Selfish {
    Selfish* self;
    int v = threadIdx.x;
    __device__ Selfish() { self = this; }
};
struct FirstValues {
    int v;
    int* p = &v;
};
struct Referring {
    int v;
    int& r;
    __device__ explicit Referring(int x) : v(x), r(v) {}
};
struct OfMembers {
    int before;
    Pointed inner;
    FirstValues plain;
    __device__ explicit OfMembers(int x) : before(x), inner(x + 1), plain{x + 2} {}
};
struct Derived : Pointed {
    int more;
    __device__ explicit Derived(int x) : Pointed(x), more(x * 3) {}
};
struct BySetup {
    int v;
    int* p;
    __device__ void set_up(int x) { v = x, p = &v; }
    __device__ explicit BySetup(int x) { set_up(x); }
};
struct Reported {
    int v;
    __device__ Reported(int x, Reported** where) : v(x) { *where = this; }
};
struct OutOfClass {
    int v;
    int* p;
    __device__ explicit OutOfClass(int x);
};
__device__ OutOfClass::OutOfClass(int x) : v(x) { p = &this->v; }
template <class T>
struct Generic {
    T v;
    T* p;
    __device__ explicit Generic(T x) : v(x), p(&v) {}
};
struct Ends {
    int v[4];
    int *first, *last;
    __device__ explicit Ends(int x) : v{x, x + 1, x + 2, x + 3}, first(v), last(v + 3) {}
};
struct Listed {
    int v;
    Listed* next;
    __device__ Listed(int x, Listed*& head) : v(x), next(head) { head = this; }
};
struct Wrapped {
    const int& r;
};
__device__ Pointed built(int x) { return Pointed(x + 5); }
__device__ void keep(int** where, int& v) { *where = &v; }

extern "C" __global__ void points_to_its_member(int* out, int n) {
    Pointed s(threadIdx.x);
    __syncthreads();
    OUT = *s.p;
}
extern "C" __global__ void seen_through_its_pointer(int* out, int n) {
    Pointed s(threadIdx.x, 3);
    __syncthreads();
    *s.p += n;
    __syncthreads();
    s.v *= 2;
    OUT = *s.p + s.v * 1000 + (s.p == &s.v);
}
extern "C" __global__ void copy_initialised(int* out, int n) {
    Implicit s = (int)threadIdx.x;
    __syncthreads();
    OUT = *s.p + (s.p == &s.v) * 1000;
}
extern "C" __global__ void copy_of_a_temporary(int* out, int n) {
    Pointed s = Pointed(threadIdx.x + n);
    auto a = Pointed(threadIdx.x);
    __syncthreads();
    OUT = *s.p + *a.p * 1000;
}
extern "C" __global__ void in_braces(int* out, int n) {
    Pointed s{(int)threadIdx.x};
    Implicit i = {(int)threadIdx.x + 1};
    __syncthreads();
    OUT = *s.p + *i.p * 1000;
}
extern "C" __global__ void made_by_a_function(int* out, int n) {
    const Pointed s = built(threadIdx.x);
    __syncthreads();
    OUT = s.v;
}
extern "C" __global__ void a_constant(int* out, int n) {
    const Pointed s(threadIdx.x);
    __syncthreads();
    OUT = *s.p + (s.p == &s.v) * 1000;
}
extern "C" __global__ void self_is_this(int* out, int n) {
    Selfish s;
    __syncthreads();
    s.self->v += n;
    __syncthreads();
    OUT = s.v + (s.self == &s) * 1000;
}
extern "C" __global__ void self_in_braces(int* out, int n) {
    Selfish s{}, t = {}, u = Selfish();
    __syncthreads();
    t.self->v += n, u.self->v += 2 * n;
    __syncthreads();
    OUT = s.self->v + t.v * 100 + u.v * 10000;
}
extern "C" __global__ void aggregate(int* out, int n) {
    FirstValues s{(int)threadIdx.x};
    FirstValues t = {(int)threadIdx.x + n};
    __syncthreads();
    OUT = *s.p + *t.p * 1000;
}
extern "C" __global__ void aggregate_names_itself(int* out, int n) {
    struct Node { int v; Node* next; };
    Node a = {(int)threadIdx.x, &a}, b{n, &a};
    __syncthreads();
    b.next->v += 3;
    __syncthreads();
    OUT = a.next->v + b.next->next->v * 1000;
}
extern "C" __global__ void array_names_itself(int* out, int n) {
    int* a[2] = {(int*)&a[1], (int*)&a[0]};
    __syncthreads();
    OUT = (a[0] == (int*)&a[1]) + (a[1] == (int*)&a[0]) * 10;
}
extern "C" __global__ void reference_to_its_member(int* out, int n) {
    Referring s(threadIdx.x);
    __syncthreads();
    s.r += n;
    __syncthreads();
    OUT = s.v + s.r * 1000;
}
extern "C" __global__ void members_of_members(int* out, int n) {
    OfMembers s(threadIdx.x);
    __syncthreads();
    OUT = s.before + *s.inner.p * 100 + *s.plain.p * 10000;
}
extern "C" __global__ void of_a_base(int* out, int n) {
    Derived s(threadIdx.x);
    __syncthreads();
    OUT = *s.p + s.more * 1000;
}
extern "C" __global__ void set_up_by_a_method(int* out, int n) {
    BySetup s(threadIdx.x);
    __syncthreads();
    OUT = *s.p;
}
extern "C" __global__ void set_up_later(int* out, int n) {
    BySetup s(0);
    s.set_up(threadIdx.x);
    __syncthreads();
    OUT = *s.p;
}
extern "C" __global__ void known_to_others_alone(int* out, int n) {
    Reported* where;
    Reported s(threadIdx.x, &where);
    __syncthreads();
    where->v += n;
    __syncthreads();
    OUT = where->v;
}
extern "C" __global__ void in_shared_memory_known(int* out, int n) {
    __shared__ Reported* where[64];
    Reported s(threadIdx.x, &where[threadIdx.x]);
    __syncthreads();
    OUT = where[threadIdx.x]->v;
}
extern "C" __global__ void read_back_while_others_sum(int* out, int n) {
    __shared__ int* where[64];
    int sum = threadIdx.x, other = 0;
    where[threadIdx.x] = &sum;
    __syncthreads();
    for (int i = 0; i < n; ++i) {
        sum += i;
        other += *where[threadIdx.x];
    }
    __syncthreads();
    OUT = sum + other * 1000;
}
extern "C" __global__ void defined_outside(int* out, int n) {
    OutOfClass s(threadIdx.x);
    __syncthreads();
    OUT = *s.p;
}
extern "C" __global__ void of_a_template(int* out, int n) {
    Generic<int> s(threadIdx.x);
    Generic<Generic<short>> t(Generic<short>((short)n));
    __syncthreads();
    OUT = *s.p + (t.p == &t.v) * 1000 + t.p->v * 10000;
}
extern "C" __global__ void of_another_name(int* out, int n) {
    using Alias = Pointed;
    typedef Alias Pair[2];
    Alias s(threadIdx.x);
    Pair a = {Alias(1), Alias((int)threadIdx.x)};
    __syncthreads();
    OUT = *s.p + *a[0].p * 100 + *a[1].p * 1000;
}
extern "C" __global__ void arrays_of_them(int* out, int n) {
    Implicit a[3] = {(int)threadIdx.x, 2, {n}};
    Selfish s[2];
    FirstValues f[2]{{1}, {(int)threadIdx.x}};
    __syncthreads();
    OUT = *a[0].p + *a[1].p * 100 + *a[2].p * 1000 + (s[1].self == s + 1) * 10000 + *f[1].p * 100000;
}
extern "C" __global__ void ends_of_its_array(int* out, int n) {
    Ends e(threadIdx.x);
    int sum = 0;
    __syncthreads();
    for (const int* p = e.first; p <= e.last; ++p) sum += *p;
    OUT = sum;
}
extern "C" __global__ void linked(int* out, int n) {
    Listed* head = nullptr;
    Listed a(threadIdx.x, head), b(n, head), c(7, head);
    __syncthreads();
    int sum = 0;
    for (Listed* at = head; at; at = at->next) sum = sum * 10 + at->v;
    OUT = sum;
}
extern "C" __global__ void in_a_scope(int* out, int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        Pointed s(threadIdx.x + i);
        __syncthreads();
        *s.p += 1;
        __syncthreads();
        sum += s.v;
    }
    OUT = sum;
}
extern "C" __global__ void captured_by_reference(int* out, int n) {
    int v = threadIdx.x;
    auto f = [&] { return v + 1; };
    __syncthreads();
    v += n;
    __syncthreads();
    OUT = f();
}
extern "C" __global__ void captured_and_kept(int* out, int n) {
    int v = threadIdx.x;
    int* p;
    auto f = [&v, &p] { p = &v; };
    f();
    __syncthreads();
    *p += n;
    __syncthreads();
    OUT = v;
}
extern "C" __global__ void captured_this(int* out, int n) {
    struct Counter {
        int v;
        __device__ auto counting() { return [this] { return ++v; }; }
    };
    Counter c{(int)threadIdx.x};
    auto f = c.counting();
    __syncthreads();
    f();
    __syncthreads();
    OUT = c.v + f() * 1000;
}
extern "C" __global__ void lambda_in_an_object(int* out, int n) {
    int v = threadIdx.x;
    auto make = [&](auto f) { struct Box { decltype(f) g; }; return Box{f}; };
    auto box = make([&v] { return v * 2; });
    __syncthreads();
    v += n;
    __syncthreads();
    OUT = box.g();
}
extern "C" __global__ void temporary_that_lasts(int* out, int n) {
    Wrapped w{(int)threadIdx.x + n};
    __syncthreads();
    OUT = w.r;
}
extern "C" __global__ void temporary_in_an_array(int* out, int n) {
    Wrapped w[2] = {{(int)threadIdx.x + n}, {n}};
    __syncthreads();
    OUT = w[0].r + w[1].r * 1000;
}
extern "C" __global__ void placed_in_bytes(int* out, int n) {
    alignas(Pointed) char bytes[sizeof(Pointed)];
    Pointed* s = reinterpret_cast<Pointed*>(bytes);
    s->v = threadIdx.x, s->p = &s->v;
    __syncthreads();
    OUT = *s->p;
}
extern "C" __global__ void kept_by_a_function(int* out, int n) {
    int* p;
    int v = threadIdx.x;
    keep(&p, v);
    __syncthreads();
    *p += n;
    __syncthreads();
    OUT = v;
}
extern "C" __global__ void made_under_a_condition(int* out, int n) {
    int sum = threadIdx.x;
    if (n > 2) {
        Pointed s(sum);
        __syncthreads();
        sum += *s.p;
    }
    __syncthreads();
    OUT = sum;
}
extern "C" __global__ void of_one_that_has_no_name(int* out, int n) {
    struct {
        int v;
        int* p = &v;
    } s{(int)threadIdx.x};
    __syncthreads();
    OUT = *s.p;
}
extern "C" __global__ void in_a_union(int* out, int n) {
    union Either {
        FirstValues f;
        int w;
        __device__ Either(int x) : f{x} {}
    };
    Either e(threadIdx.x);
    __syncthreads();
    OUT = *e.f.p;
}
extern "C" __global__ void address_taken_by_an_operator(int* out, int n) {
    struct Strange {
        int v;
        __device__ explicit Strange(int x) : v(x) {}
        __device__ int* operator&() { return nullptr; }
    };
    Strange s(threadIdx.x), t[2] = {Strange(1), Strange(threadIdx.x)};
    __syncthreads();
    OUT = s.v + t[1].v * 100 + (&s == nullptr) * 10000;
}
template <class T>
__device__ void numbers_of_any_type(int* out, int n) {
    T a = n * 1.5, b = threadIdx.x + 0.25;
    const T c = n;
    __syncthreads();
    OUT = (int)(a * 100 + b * 4 + c);
}
extern "C" __global__ void in_a_template_of_numbers(int* out, int n) {
    numbers_of_any_type<float>(out, n);
    numbers_of_any_type<int>(out, n);
}
