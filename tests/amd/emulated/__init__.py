"""Machine code for AMD GPUs, run in an instruction emulator: the results of a kernel's translation, without a GPU.

`record.py` is run by hand, with the emulator of tinygrad's repository; `recorded.json` holds the results, and
`test_recorded.py` reads it.
"""
