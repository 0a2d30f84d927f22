"""Profiler control."""

from _device import context
from _show import call
from cuda.bindings import driver, runtime

context()
call(driver.cuProfilerStart)
call(driver.cuProfilerStop)
call(runtime.cudaProfilerStart)
call(runtime.cudaProfilerStop)
