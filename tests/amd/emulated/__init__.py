"""Machine code for AMD GPUs, run in an instruction emulator: what the translation of a kernel computes, without a GPU.

`record.py` is run by hand, with the emulator of tinygrad's repository; `recorded.json` holds what came out, and
`test_recorded.py` reads it.
"""
