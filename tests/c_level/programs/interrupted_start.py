import ctypes
import signal
import sys

library = ctypes.CDLL("libcuda.so.1")
assert "cuda_shim" not in sys.modules
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.02)
status = None
try:
    status = library.cuInit(0)
    for _ in range(1000):
        pass
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted", status)
print(library.cuInit(0))
