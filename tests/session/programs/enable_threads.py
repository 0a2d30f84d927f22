import sys
import threading

import cuda_shim
from cuda_shim.session import Handle

barrier = threading.Barrier(16)
handles: list[Handle] = []


def work():
    barrier.wait()
    handles.append(cuda_shim.enable(cuda="12"))


threads = [threading.Thread(target=work) for _ in range(16)]
for t in threads:
    t.start()
for t in threads:
    t.join()
from cuda_shim.hook.finder import Finder

assert sum(isinstance(f, Finder) for f in sys.meta_path) == 1
for h in handles[:-1]:
    h.disable()
assert cuda_shim.is_enabled()
handles[-1].disable()
assert not cuda_shim.is_enabled()
