"""Streams and events of the runtime API: two streams, an order between them, and the time a copy took."""

from typing import Any

import numpy as np
from cuda.bindings import runtime


def check(result: tuple[Any, ...]) -> Any:
    """The outputs of a call, or an exception that names the status it returned."""
    status, *outputs = result
    if status != runtime.cudaError_t.cudaSuccess:
        raise RuntimeError(status.name)
    return outputs[0] if len(outputs) == 1 else outputs


def main() -> None:
    host = np.arange(1 << 22, dtype=np.int32)
    back = np.zeros_like(host)
    upload, download = check(runtime.cudaStreamCreate()), check(runtime.cudaStreamCreate())
    before, uploaded = check(runtime.cudaEventCreate()), check(runtime.cudaEventCreate())
    memory = check(runtime.cudaMalloc(host.nbytes))

    to_device = runtime.cudaMemcpyKind.cudaMemcpyHostToDevice
    to_host = runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost

    check(runtime.cudaEventRecord(before, upload))
    check(runtime.cudaMemcpyAsync(memory, host, host.nbytes, to_device, upload))
    check(runtime.cudaEventRecord(uploaded, upload))

    # The second stream starts its copy when the first one's has arrived.
    check(runtime.cudaStreamWaitEvent(download, uploaded, 0))
    check(runtime.cudaMemcpyAsync(back, memory, back.nbytes, to_host, download))
    check(runtime.cudaStreamSynchronize(download))

    assert (back == host).all()
    milliseconds = check(runtime.cudaEventElapsedTime(before, uploaded))
    print(f"{host.nbytes >> 20} MiB up in {milliseconds:.2f} ms and back: ok")

    check(runtime.cudaFree(memory))
    for event in (before, uploaded):
        check(runtime.cudaEventDestroy(event))
    for stream in (upload, download):
        check(runtime.cudaStreamDestroy(stream))


if __name__ == "__main__":
    main()
