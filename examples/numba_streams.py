"""Numba on several streams: each sends its part, works on it and fetches it, while the others do the same.

python -m cuda_shim run examples/numba_streams.py
"""

import numpy as np
from numba import cuda

STREAMS = 4


@cuda.jit
def smooth(values, result):
    """The mean of each value and its two neighbours; the ends stay as they are."""
    i = cuda.grid(1)
    if 0 < i < values.size - 1:
        result[i] = (values[i - 1] + values[i] + values[i + 1]) / 3
    elif i < values.size:
        result[i] = values[i]


def main() -> None:
    parts = np.random.default_rng(0).random((STREAMS, 1 << 16))
    streams = [cuda.stream() for _ in range(STREAMS)]
    results = [cuda.pinned_array(part.size, parts.dtype) for part in parts]
    began, ended = cuda.event(), cuda.event()
    began.record()
    for part, result, stream in zip(parts, results, streams, strict=True):
        values = cuda.to_device(part, stream=stream)
        smoothed = cuda.device_array_like(values, stream=stream)
        smooth[part.size // 256, 256, stream](values, smoothed)
        smoothed.copy_to_host(result, stream=stream)
    for stream in streams:
        stream.synchronize()
    ended.record()
    ended.synchronize()
    assert cuda.event_elapsed_time(began, ended) > 0
    for part, result in zip(parts, results, strict=True):
        assert np.allclose(result[1:-1], (part[:-2] + part[1:-1] + part[2:]) / 3)
    print(f"{parts.size} values on {STREAMS} streams: ok")


if __name__ == "__main__":
    main()
