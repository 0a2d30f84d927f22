"""A kernel with cache policies, advice about memory, and the instructions of dependent launches."""

from __future__ import annotations

import ctypes

import numpy as np
from cuda.bindings import driver

# Each thread reads four words, adds them to its own word, and copies sixteen bytes through shared memory.
TEXT = """.version 8.0
.target sm_90
.address_size 64
.visible .entry policies(.param .u64 out, .param .u64 in) {
  .shared .align 16 .b8 tile[1024];
  .reg .b32 %t, %s, %r<8>; .reg .b64 %o, %i, %z, %p<4>; .reg .f32 %share;
  ld.param.u64 %o, [out]; ld.param.u64 %i, [in]; mov.u32 %t, %tid.x;
  griddepcontrol.wait;
  mul.wide.u32 %z, %t, 16; add.s64 %i, %i, %z; add.s64 %o, %o, %z;
  mov.f32 %share, 0f3F000000;
  createpolicy.fractional.L2::evict_last.b64 %p0, 0f3F800000;
  createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %p1, %share;
  createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %p2, [%i], 1024, 2048;
  createpolicy.cvt.L2.b64 %p3, %p2;
  prefetch.global.L2::evict_last [%i]; applypriority.global.L2::evict_normal [%i], 128;
  ld.global.L1::evict_first.L2::cache_hint.v4.u32 {%r0, %r1, %r2, %r3}, [%i], %p0;
  add.u32 %r0, %r0, %r1; add.u32 %r0, %r0, %r2; add.u32 %r0, %r0, %r3;
  st.global.L2::cache_hint.u32 [%o], %r0, %p1;
  atom.global.add.L2::cache_hint.u32 %r4, [%o], 5, %p2;
  red.global.add.L2::cache_hint.u32 [%o], %r4, %p3;
  mov.u32 %s, tile; shl.b32 %r5, %t, 4; add.u32 %s, %s, %r5;
  cp.async.cg.shared.global.L2::cache_hint [%s], [%i], 16, %p0;
  cp.async.commit_group; cp.async.wait_group 0;
  ld.shared.u32 %r6, [%s+12]; st.global.u32 [%o+4], %r6;
  griddepcontrol.launch_dependents;
  ret;
}
.visible .entry dropped(.param .u64 in) {
  .reg .b64 %i; ld.param.u64 %i, [in]; discard.global.L2 [%i], 128; ret;
}
"""
THREADS = 64


def ok(result):
    assert int(result[0]) == 0, result[0]
    return result[1:] if len(result) > 2 else result[-1]


if __name__ == "__main__":
    ok(driver.cuInit(0))
    ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(ok(driver.cuDeviceGet(0))))))
    module = ok(driver.cuModuleLoadData(TEXT.encode()))
    source, result = np.arange(4 * THREADS, dtype=np.uint32).reshape(-1, 4), np.zeros((THREADS, 4), np.uint32)
    out, memory = ok(driver.cuMemAlloc(result.nbytes)), ok(driver.cuMemAlloc(source.nbytes))
    ok(driver.cuMemcpyHtoD(memory, source.ctypes.data, source.nbytes))
    kernel = ok(driver.cuModuleGetFunction(module, b"policies"))
    arguments = ((int(out), int(memory)), (ctypes.c_void_p, ctypes.c_void_p))
    ok(driver.cuLaunchKernel(kernel, 1, 1, 1, THREADS, 1, 1, 0, 0, arguments, 0))
    ok(driver.cuMemcpyDtoH(result.ctypes.data, out, result.nbytes))
    assert np.array_equal(result[:, 0], 2 * source.sum(1) + 5), result
    assert np.array_equal(result[:, 1], source[:, 3]), result
    kernel = ok(driver.cuModuleGetFunction(module, b"dropped"))
    ok(driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, ((int(memory),), (ctypes.c_void_p,)), 0))
    ok(driver.cuCtxSynchronize())
    print("right")
