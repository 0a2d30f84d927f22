"""Prints the outcome of calls on the default stream while another thread's work on its own default stream waits.

    python default_streams_program.py STREAM SECONDS

The work is in the stream of that number, and ends by itself after that time.
"""

import ctypes
import json
import sys
import threading
from typing import Any

from cuda.bindings import driver, runtime

NOT_READY = 600
gate, closed = threading.Event(), threading.Event()


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def wait_for_gate(_):
    closed.set()
    gate.wait(float(sys.argv[2]))


def hold(stream):
    """Put work on a thread's default stream that ends when the gate opens."""
    assert runtime.cudaLaunchHostFunc(stream, ctypes.cast(wait_for_gate, ctypes.c_void_p).value, 0) == (0,)


def main(stream: int) -> None:
    assert driver.cuInit(0) == (0,)
    assert runtime.cudaSetDevice(0) == (0,)
    place = runtime.cudaMalloc(64)[1]
    other = threading.Thread(target=hold, args=(stream,))
    other.start()
    other.join()
    assert closed.wait(60)
    answers: dict[str, Any] = {
        "runtime": int(runtime.cudaStreamQuery(0)[0]),
        "driver": int(driver.cuStreamQuery(driver.CUstream(0))[0]),
        "none": int(driver.cuStreamQuery(None)[0]),
        "own": int(runtime.cudaStreamQuery(2)[0]),
    }
    if not any(answers[name] for name in ("runtime", "driver")):
        # These would wait for the gate on the legacy stream.
        numbers, back = (ctypes.c_int * 4)(1, 2, 3, 4), (ctypes.c_int * 4)()
        assert driver.cuMemcpyHtoD(place, numbers, 16) == (0,)
        assert runtime.cudaMemcpy(back, place, 16, runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost) == (0,)
        answers["copied"] = list(back)
        assert driver.cuMemsetD32(place, 7, 4) == (0,)
        assert runtime.cudaMemset2D(place, 4, 0, 2, 1) == (0,)
        assert driver.cuMemcpyDtoH(back, place, 16) == (0,)
        answers["filled"] = list(back)
        answers["still held"] = closed.is_set() and not gate.is_set()
    gate.set()
    assert runtime.cudaDeviceSynchronize() == (0,)
    print(json.dumps(answers))


main(int(sys.argv[1]))
