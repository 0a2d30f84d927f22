// Constructors, copies and destructors: in order, once per thread.

struct Log {
    int* at;
    int n;
    __device__ void note(int what) { n = (n * 7 + what) % 100003; *at = n; }
};
struct Counted {
    Log* log;
    int id;
    __device__ Counted(Log* l, int i) : log(l), id(i) { log->note(1 + id); }
    __device__ Counted(const Counted& o) : log(o.log), id(o.id + 1) { log->note(2 + id); }
    __device__ Counted(Counted&& o) : log(o.log), id(o.id + 2) { o.id = 0; log->note(3 + id); }
    __device__ Counted& operator=(const Counted& o) { id = o.id + 3; log->note(4 + id); return *this; }
    __device__ ~Counted() { log->note(5 + id); }
};
__device__ int by_value(Counted c) { return c.id; }
__device__ int by_reference(const Counted& c) { return c.id; }
__device__ Counted made(Log* l, int i) { return Counted(l, i); }
__device__ Counted passed(Counted c) { return c; }

struct Restore {
    int& x;
    int before;
    __device__ explicit Restore(int& v) : x(v), before(v) {}
    __device__ ~Restore() { x = before; }
};
struct Add {
    int* p;
    int v;
    __device__ ~Add() { *p += v; }
};
struct Lock {
    int* depth;
    __device__ explicit Lock(int* d) : depth(d) { ++*depth; }
    __device__ ~Lock() { --*depth; }
    Lock(const Lock&) = delete;
};

extern "C" __global__ void made_and_destroyed(int* out, int n) {
    int v = 0;
    Log log{&v, (int)threadIdx.x};
    {
        Counted a(&log, 1);
        __syncthreads();
        Counted b(&log, 2);
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void alive_across_barriers(int* out, int n) {
    int v = 0;
    Log log{&v, (int)threadIdx.x};
    Counted a(&log, 1);
    __syncthreads();
    Counted b = a;
    __syncthreads();
    Counted c = static_cast<Counted&&>(b);
    __syncthreads();
    a = c;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void destroyed_at_the_end(int* out, int n) {
    out[blockIdx.x * 64 + threadIdx.x] = 0;
    Log log{out + blockIdx.x * 64 + threadIdx.x, (int)threadIdx.x};
    Counted a(&log, 1), b(&log, 2);
    __syncthreads();
}

extern "C" __global__ void destroyed_on_leaving(int* out, int n) {
    Log log{out + blockIdx.x * 64 + threadIdx.x, (int)threadIdx.x};
    Counted a(&log, 1);
    if (threadIdx.x > 40) return;
    Counted b(&log, 2);
    __syncthreads();
    if (threadIdx.x & 1) return;
    Counted c(&log, 3);
}

extern "C" __global__ void in_a_loop(int* out, int n) {
    int v = 0;
    Log log{&v, (int)threadIdx.x};
    for (int i = 0; i < n; ++i) {
        Counted a(&log, i);
        if (i == 1) continue;
        __syncthreads();
        if (i == 3) break;
        Counted b(a);
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void in_a_loop_of_each_thread(int* out, int n) {
    int v = 0;
    Log log{&v, 1};
    for (int i = 0; i < 9; ++i) {
        Counted a(&log, i);
        if (i == (int)threadIdx.x % 7) break;
        if (i & threadIdx.x) continue;
        Counted b(&log, 2);
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void in_arguments(int* out, int n) {
    int v = 0;
    Log log{&v, (int)threadIdx.x};
    Counted a(&log, 1);
    int w = by_value(a);
    __syncthreads();
    w += by_reference(a) * 10;
    w += by_value(Counted(&log, 2)) * 100;
    w += by_value(made(&log, 3)) * 1000;
    __syncthreads();
    Counted b = passed(a);
    out[blockIdx.x * 64 + threadIdx.x] = v + w;
}

extern "C" __global__ void temporaries(int* out, int n) {
    int v = 0;
    Log log{&v, (int)threadIdx.x};
    Counted(&log, 1);
    int w = Counted(&log, 2).id + 1;
    __syncthreads();
    const Counted& kept = Counted(&log, 4);
    __syncthreads();
    (void)Counted(&log, 5), log.note(9);
    out[blockIdx.x * 64 + threadIdx.x] = v + w + kept.id;
}

extern "C" __global__ void array_of_objects(int* out, int n) {
    int v = 0;
    Log log{&v, (int)threadIdx.x};
    {
        Counted a[3] = {{&log, 1}, Counted(&log, 2), made(&log, 3)};
        __syncthreads();
        a[threadIdx.x % 3].id += 5;
        for (Counted c : a) log.note(c.id);
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void restored(int* out, int n) {
    int x = threadIdx.x, y = 0;
    {
        Restore r(x);
        x = 100;
        __syncthreads();
        y = x;
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = x + y * 100;
}

extern "C" __global__ void restored_parameter(int* out, int n) {
    int s = 0;
    {
        Restore r{n};
        n += threadIdx.x;
        for (int i = 0; i < n; ++i) s += i;
    }
    __syncthreads();
    for (int i = 0; i < n; ++i) s += 1;
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void added_on_leaving_a_scope(int* out, int n) {
    int s = 0;
    for (int i = 0; i < n; ++i) {
        Add a{&s, i};
        __syncthreads();
        Add b{&s, (int)threadIdx.x};
        s *= 2;
    }
    if (Add c{&s, 7}; threadIdx.x & 1) s += 1;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s;
}

extern "C" __global__ void uncopyable(int* out, int n) {
    int depth = 0, most = 0;
    Lock a(&depth);
    {
        Lock b(&depth);
        __syncthreads();
        most = depth;
        if (threadIdx.x & 1) { Lock c{&depth}; most = depth; }
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = most * 10 + depth;
}

struct Holder {
    Counted first, second;
    int v = threadIdx.x;
    __device__ Holder(Log* l) : first(l, 1), second(l, 2) { l->note(8); }
    __device__ ~Holder() { first.log->note(9); }
};
extern "C" __global__ void members_and_bases(int* out, int n) {
    int v = 0;
    Log log{&v, 3};
    struct More : Holder {
        Counted third{first};
        __device__ More(Log* l) : Holder(l) { l->note(7); }
    };
    {
        More m(&log);
        __syncthreads();
        log.note(m.v + m.third.id);
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void captured_by_value(int* out, int n) {
    int v = 0;
    Log log{&v, (int)threadIdx.x};
    {
        Counted a(&log, 1);
        auto f = [a] { return a.id; };
        __syncthreads();
        auto g = f;
        log.note(f() + g());
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = v;
}

extern "C" __global__ void values_of_members(int* out, int n) {
    struct Point {
        int x = threadIdx.x, y = x + 1;
        int z{y * 2};
    };
    Point p, q{}, r = p;
    Point s[2];
    __syncthreads();
    r.x += 5, s[1].z += q.x;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = p.z + r.x * 100 + s[1].z * 10000;
}

extern "C" __global__ void left_by_goto(int* out, int n) {
    int v = 0, k = 0;
    Log log{&v, (int)threadIdx.x};
    again : {
        Counted a(&log, k);
        if (++k < (int)threadIdx.x % 4) goto again;
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = v;
}

struct Self {
    Self* me;
    int v;
    __device__ explicit Self(int a) : me(this), v(a) {}
    __device__ Self(const Self& o) : me(this), v(o.v + 1) {}
    __device__ void add(int more) { me->v += more; }
};
extern "C" __global__ void knows_its_place(int* out, int n) {
    Self a(threadIdx.x), b = a;
    __syncthreads();
    a.add(n), b.add(100);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = a.v * 1000 + b.v + (a.me == &a) + (b.me == &b);
}
