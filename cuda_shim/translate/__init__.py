"""Translation of sources for NVRTC into sources for hiprtc: text in, text out, no device.

Decisions, and the modules that carry them out:

- A warp is 32 lanes on waves of any size: CUDA sources have 32 in their masks, shuffles and shared arrays. On a wave of
  64 its halves are two warps (`headers/cuda_shim/warp.h`). Lanes that a mask names must reach the call together; lanes
  of a warp that have diverged do not wait for each other.
- Names are replaced by the preprocessor, not in the text (`prologue`), and a longer replacement restarts its line
  with `#line` (`edits`): every message shows the user's own line, with its column.
- A construct without a counterpart is a compiler error only if it is compiled: in a branch that the preprocessor
  leaves out, PTX for NVIDIA's newest GPUs does no harm (`source`, `ptx`).
- `__CUDA_ARCH__` is the architecture that the program asks for, at least 600, and 800 by default (`options`): sources
  choose by it between the device's own functions, all of which exist, and replacements that would clash with them.
- Headers of the CUDA toolkit are never read: an AMD GPU uses ours instead, the CPU runtime its own (`headers`). HIP's
  cooperative groups are not used: they lack reductions, scans and votes of tiles, and do not compile in every hiprtc.
"""
