"""The shape of versions."""

from _show import call, show
from cuda.bindings import driver, nvrtc, runtime

version = call(driver.cuDriverGetVersion)
show("major", version // 1000)
show("no odd digits", version % 10)
version = call(runtime.cudaRuntimeGetVersion)
show("major", version // 1000)
version = call(runtime.cudaDriverGetVersion)
show("major", version // 1000)
major, minor = call(nvrtc.nvrtcVersion)
show("major", major)
show("headers major", driver.CUDA_VERSION // 1000)
