"""A kernel `k(int* x)` that any compiler is busy with for some seconds."""

_PARTS = range(40)

SOURCE = "".join(
    f"template<int N> struct S{i} {{ static __device__ int f(int x) {{ return x % (N + {i + 2}) + "
    f"S{i}<N - 1>::f(x * {i + 3}); }} }};\n"
    f"template<> struct S{i}<0> {{ static __device__ int f(int x) {{ return x; }} }};\n"
    for i in _PARTS
)
SOURCE += 'extern "C" __global__ void k(int* x) { x[1] = ' + " + ".join(f"S{i}<200>::f(x[0])" for i in _PARTS) + "; }"
