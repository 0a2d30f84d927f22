"""Kernels that read the number of their multiprocessor, in inline PTX and in a PTX module.

    python -m cuda_shim run --backend cpu tests/ptx/multiprocessors_program.py

Prints for each whether all threads of a block have one number below `%nsmid`, which is the device's number of them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from cuda.bindings import driver

sys.path.append(str(Path(__file__).resolve().parents[2]))
from tests.kernels.core_worker import begin, check, compiled

SOURCE = """extern "C" __global__ void where(unsigned* out) {
    unsigned at, all;
    asm("mov.u32 %0, %%smid;" : "=r"(at));
    asm("mov.u32 %0, %%nsmid;" : "=r"(all));
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[2 * i] = at;
    out[2 * i + 1] = all;
}"""
MODULE = """.version 8.0
.target sm_80
.address_size 64
.visible .entry where(.param .u64 out) {
  .reg .b32 %r<6>; .reg .b64 %out, %at;
  ld.param.u64 %out, [out];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;
  mov.u32 %r4, %smid; mov.u32 %r5, %nsmid;
  mad.wide.u32 %at, %r1, 8, %out; st.u32 [%at], %r4; st.u32 [%at+4], %r5;
  ret;
}
"""
BLOCKS, THREADS = 50, 64


def is_right(code: bytes) -> bool:
    """Run a module's kernel and judge the numbers."""
    kernel = check(driver.cuModuleGetFunction(check(driver.cuModuleLoadData(code)), b"where"))
    numbers = np.zeros((BLOCKS, THREADS, 2), np.uint32)
    memory = check(driver.cuMemAlloc(numbers.nbytes))
    check((*driver.cuLaunchKernel(kernel, BLOCKS, 1, 1, THREADS, 1, 1, 0, 0, ((memory,), (None,)), 0), None))
    check((*driver.cuMemcpyDtoH(numbers.ctypes.data, memory, numbers.nbytes), None))
    attribute = driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
    count = check(driver.cuDeviceGetAttribute(attribute, 0))
    at, everywhere = numbers[..., 0], numbers[..., 1]
    return bool((at == at[:, :1]).all() and (at < count).all() and (everywhere == count).all())


begin()
print(is_right(compiled(SOURCE, ["--gpu-architecture=sm_80"], "where.cu")), is_right(MODULE.encode()))
