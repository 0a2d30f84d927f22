// Objects that are made in memory that is there, for which NVRTC needs no header.

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
struct Trivial { int a, b; };

extern "C" __global__ void trivial_values(int* out, int n) {
    Trivial x{}, y = {(int)threadIdx.x}, z = y;
    __syncthreads();
    x = y, z = Trivial{n, y.a}, y = {};
    __syncthreads();
    Trivial* p = new (&x) Trivial{x.a + 1, 2};
    out[blockIdx.x * 64 + threadIdx.x] = p->a * 100 + x.b + y.a + z.b * 10000;
}

extern "C" __global__ void ended_by_hand(int* out, int n) {
    int v = 0;
    Log log{&v, (int)threadIdx.x};
    union Room {
        Counted c;
        int other;
        __device__ Room() : other(0) {}
        __device__ ~Room() {}
    } room;
    new (&room.c) Counted(&log, 3);
    __syncthreads();
    log.note(room.c.id);
    room.c.~Counted();
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = v;
}
