"""From what programs write for NVRTC to what hiprtc takes: text in, text out, no device.

Decisions, and where they are carried out:

- A warp is 32 lanes, whatever the hardware's wave is: CUDA sources have 32 in their masks, shuffles and shared
  arrays. On a wave of 64 its halves are two warps (`headers/cuda_shim/warp.h`). Lanes that a mask names must reach
  the call together; lanes of a warp that have diverged do not wait for each other.
- Names are replaced by the preprocessor, not in the text (`prologue`), and longer replacements begin their line
  anew with `#line` (`edits`): every message shows the user's own line, with its column.
- What has no counterpart is an error of the compiler where it is compiled, and nothing where it is not: in a branch
  of the preprocessor that is left out, PTX for NVIDIA's newest GPUs does no harm (`source`, `ptx`).
- `__CUDA_ARCH__` is what the program asks for, 600 at least, 800 where it asks for nothing (`options`): sources choose
  by it between the device's own functions, which are all there, and replacements that would clash with them.
- Headers of the CUDA toolkit are never read: ours stand for them on an AMD GPU, the CPU runtime's own there
  (`headers`). HIP's cooperative groups are not used: they lack reductions, scans and votes of tiles, and do not
  compile in every hiprtc.
"""
