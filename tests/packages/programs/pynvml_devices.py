"""The number of devices, by NVML."""

import pynvml

pynvml.nvmlInit()
print("works:", pynvml.nvmlDeviceGetCount())
