"""Attributes of functions."""

from _device import context, function
from _show import call
from cuda.bindings import driver

SOURCE = """
extern "C" __global__ void __launch_bounds__(128) small(int *to, char c, double d) {
  __shared__ int s[16]; s[threadIdx.x % 16] = 1; __syncthreads(); to[threadIdx.x] = s[0] + c + (int)d;
}
"""
context()
small = function(SOURCE, b"small")
attribute = driver.CUfunction_attribute
for name in ("MAX_THREADS_PER_BLOCK", "SHARED_SIZE_BYTES", "CONST_SIZE_BYTES", "LOCAL_SIZE_BYTES", "NUM_REGS", "PTX_VERSION",
             "BINARY_VERSION", "CACHE_MODE_CA", "MAX_DYNAMIC_SHARED_SIZE_BYTES", "PREFERRED_SHARED_MEMORY_CARVEOUT"):  # fmt: skip
    call(driver.cuFuncGetAttribute, getattr(attribute, f"CU_FUNC_ATTRIBUTE_{name}"), small, note=name)
for name in ("MAX_THREADS_PER_BLOCK", "SHARED_SIZE_BYTES", "CONST_SIZE_BYTES", "PREFERRED_SHARED_MEMORY_CARVEOUT"):
    call(
        driver.cuFuncGetAttribute,
        getattr(attribute, f"CU_FUNC_ATTRIBUTE_{name}"),
        small,
        note=f"{name} value",
        values=True,
    )
call(driver.cuFuncSetAttribute, small, attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 4096)
call(
    driver.cuFuncGetAttribute,
    attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
    small,
    note="after",
    values=True,
)
call(
    driver.cuFuncSetAttribute, small, attribute.CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50, note="carve-out"
)
call(driver.cuFuncSetAttribute, small, attribute.CU_FUNC_ATTRIBUTE_NUM_REGS, 5, note="read only")
call(driver.cuFuncGetAttribute, 1000, small, note="no such")
call(driver.cuFuncGetAttribute, attribute.CU_FUNC_ATTRIBUTE_NUM_REGS, None, note="null")
call(driver.cuFuncSetAttribute, None, attribute.CU_FUNC_ATTRIBUTE_NUM_REGS, 5, note="null")
call(driver.cuFuncSetCacheConfig, small, driver.CUfunc_cache.CU_FUNC_CACHE_PREFER_SHARED)
call(driver.cuFuncGetName, small, values=True)
for index in range(4):
    call(driver.cuFuncGetParamInfo, small, index, note=str(index), values=True)
call(driver.cuFuncIsLoaded, small)
call(driver.cuFuncLoad, small)
call(driver.cuFuncGetModule, small)
call(driver.cuFuncGetModule, None, note="null")
