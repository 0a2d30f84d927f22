import ctypes
import resource
import sys
import threading
import time

path, prefix, numbers = sys.argv[1], sys.argv[2], [int(word) for word in sys.argv[3:]]
SOURCE = """
extern "C" __global__ void saxpy%d(float a, const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""


def processor():
    kinds = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, kinds))


start, used = time.perf_counter(), processor()
library = ctypes.CDLL(path)
failed: list[int] = []


def compile_one(number):
    program = ctypes.c_void_p()
    source = (SOURCE % number).encode()
    getattr(library, prefix + "CreateProgram")(ctypes.byref(program), source, b"saxpy.cu", 0, None, None)
    if getattr(library, prefix + "CompileProgram")(program, 0, None):
        failed.append(number)


threads = [threading.Thread(target=compile_one, args=(number,)) for number in numbers]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not failed, failed
print((time.perf_counter() - start) * 1e3, (processor() - used) * 1e3)
