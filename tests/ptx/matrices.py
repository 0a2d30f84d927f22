"""mma.sync and ldmatrix in a PTX module: numpy's products, in the layout that PTX documents."""

from __future__ import annotations

import ctypes

import numpy as np
from cuda.bindings import driver

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
# A of 16 x 16 and B of 16 x 8 halves lie in shared memory by rows; ldmatrix gives each lane its registers.
TEXT = (
    HEAD
    + """
.visible .entry multiply(.param .u64 a, .param .u64 b, .param .u64 d) {
  .shared .align 16 .b8 ta[512]; .shared .align 16 .b8 tb[256];
  .reg .b32 %t, %x, %y, %a<4>, %b<2>, %i; .reg .f32 %d<4>; .reg .b64 %p, %q, %z; .reg .pred %c;
  mov.u32 %t, %tid.x; ld.param.u64 %p, [a]; ld.param.u64 %q, [b];
  mov.u32 %x, ta; mov.u32 %y, tb;
  mul.wide.u32 %z, %t, 16; add.s64 %p, %p, %z; mad.lo.u32 %i, %t, 16, %x;
  ld.global.v4.u32 {%a0, %a1, %a2, %a3}, [%p]; st.shared.v4.u32 [%i], {%a0, %a1, %a2, %a3};
  mul.wide.u32 %z, %t, 8; add.s64 %q, %q, %z; mad.lo.u32 %i, %t, 8, %y;
  ld.global.v2.u32 {%b0, %b1}, [%q]; st.shared.v2.u32 [%i], {%b0, %b1};
  bar.sync 0;
  and.b32 %i, %t, 15; mad.lo.u32 %x, %i, 32, %x; shr.u32 %i, %t, 4; mad.lo.u32 %x, %i, 16, %x;
  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%a0, %a1, %a2, %a3}, [%x];
  and.b32 %i, %t, 15; mad.lo.u32 %y, %i, 16, %y;
  ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%b0, %b1}, [%y];
  mov.f32 %d0, 0f00000000; mov.f32 %d1, 0f3F800000; mov.f32 %d2, 0f00000000; mov.f32 %d3, 0f3F800000;
  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}, {%b0, %b1}, {%d0, %d1, %d2, %d3};
  ld.param.u64 %p, [d]; shr.u32 %i, %t, 2; and.b32 %x, %t, 3; shl.b32 %x, %x, 3; mad.lo.u32 %i, %i, 32, %x;
  cvt.u64.u32 %z, %i; add.s64 %p, %p, %z;
  st.global.v2.f32 [%p], {%d0, %d1}; st.global.v2.f32 [%p+256], {%d2, %d3};
  ret;
}
"""
)


def ok(result):
    assert int(result[0]) == 0, result
    return result[1] if len(result) == 2 else result[1:]


def main():
    ok(driver.cuInit(0))
    ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(ok(driver.cuDeviceGet(0))))))
    chance = np.random.default_rng(3)
    a, b = chance.integers(-8, 8, (16, 16)).astype(np.float16), chance.integers(-8, 8, (16, 8)).astype(np.float16)
    d = np.zeros((16, 8), np.float32)
    places = [ok(driver.cuMemAlloc(results.nbytes)) for results in (a, b, d)]
    for place, results in zip(places, (a, b), strict=False):
        ok(driver.cuMemcpyHtoD(place, results.ctypes.data, results.nbytes))
    arguments = [ctypes.c_void_p(int(place)) for place in places]
    pointers = (ctypes.c_void_p * 3)(*(ctypes.addressof(value) for value in arguments))
    module = ok(driver.cuModuleLoadData(TEXT.encode() + b"\0"))
    function = ok(driver.cuModuleGetFunction(module, b"multiply"))
    ok(driver.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, 0, ctypes.addressof(pointers), 0))
    ok(driver.cuMemcpyDtoH(d.ctypes.data, places[2], d.nbytes))
    expected = a.astype(np.float32) @ b.astype(np.float32) + np.tile([0, 1], 4).astype(np.float32)
    assert (d == expected).all(), d - expected
    print("right")


if __name__ == "__main__":
    main()
