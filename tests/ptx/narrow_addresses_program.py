"""Addresses of a thread's own memory of which a PTX module keeps the low 32 bits, as Triton's compiler has LLVM do."""

from __future__ import annotations

import ctypes

import numpy as np
from cuda.bindings import driver

# Each thread writes squares into its own memory, and reads one back by a generic address and one by a local address.
TEXT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry squares(.param .u64 o) {
  .local .align 8 .b8 depot[32];
  .reg .b32 %base, %place, %t, %v, %r<4>; .reg .b64 %wide, %generic, %o, %z; .reg .pred %p;
  mov.b32 %base, depot; mov.u32 %t, %tid.x; mov.u32 %r0, 0;
FILL:
  mad.lo.u32 %v, %r0, %r0, %t; shl.b32 %place, %r0, 2; add.u32 %place, %base, %place;
  st.local.u32 [%place], %v;
  add.u32 %r0, %r0, 1; setp.lt.u32 %p, %r0, 8; @%p bra FILL;
  bar.sync 0;
  and.b32 %r1, %t, 7; shl.b32 %r1, %r1, 2; add.u32 %place, %base, %r1;
  cvt.u64.u32 %wide, %place; cvta.local.u64 %generic, %wide; ld.u32 %r2, [%generic];
  ld.local.u32 %r3, [%base+28]; add.u32 %r2, %r2, %r3;
  ld.param.u64 %o, [o]; mul.wide.u32 %z, %t, 4; add.s64 %o, %o, %z; st.global.u32 [%o], %r2;
  ret;
}
"""


def ok(result):
    assert int(result[0]) == 0, result[0]
    return result[1:] if len(result) > 2 else result[-1]


if __name__ == "__main__":
    ok(driver.cuInit(0))
    ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(ok(driver.cuDeviceGet(0))))))
    kernel = ok(driver.cuModuleGetFunction(ok(driver.cuModuleLoadData(TEXT.encode())), b"squares"))
    result = np.zeros(64, np.uint32)
    place = ok(driver.cuMemAlloc(result.nbytes))
    ok(driver.cuLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, 0, ((int(place),), (ctypes.c_void_p,)), 0))
    ok(driver.cuMemcpyDtoH(result.ctypes.data, place, result.nbytes))
    thread = np.arange(64)
    assert np.array_equal(result, (thread % 8) ** 2 + thread + 49 + thread), result
    print("right")
