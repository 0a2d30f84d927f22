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


# Two warps, with the registers of each lane in memory: three products of the same a, and a fourth in the first warp
# alone, of the first one's result.
PRODUCT = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
GROUPED = (
    HEAD
    + f"""
.visible .entry multiply(.param .u64 a, .param .u64 b, .param .u64 d) {{
  .reg .b32 %t, %a<4>, %b<6>; .reg .f32 %d<12>, %one; .reg .b64 %p, %q, %r, %z; .reg .pred %c;
  mov.u32 %t, %tid.x; ld.param.u64 %p, [a]; ld.param.u64 %q, [b]; ld.param.u64 %r, [d];
  mul.wide.u32 %z, %t, 16; add.s64 %p, %p, %z; ld.global.v4.u32 {{%a0, %a1, %a2, %a3}}, [%p];
  mul.wide.u32 %z, %t, 24; add.s64 %q, %q, %z; ld.global.v2.u32 {{%b0, %b1}}, [%q];
  ld.global.v2.u32 {{%b2, %b3}}, [%q+8]; ld.global.v2.u32 {{%b4, %b5}}, [%q+16];
  mul.wide.u32 %z, %t, 48; add.s64 %r, %r, %z;
  ld.global.v4.f32 {{%d0, %d1, %d2, %d3}}, [%r]; ld.global.v4.f32 {{%d4, %d5, %d6, %d7}}, [%r+16];
  {PRODUCT} {{%d0, %d1, %d2, %d3}}, {{%a0, %a1, %a2, %a3}}, {{%b0, %b1}}, {{%d0, %d1, %d2, %d3}};
  {PRODUCT} {{%d4, %d5, %d6, %d7}}, {{%a0, %a1, %a2, %a3}}, {{%b2, %b3}}, {{%d4, %d5, %d6, %d7}};
  mov.f32 %one, 0f3F800000;
  {PRODUCT} {{%d8, %d9, %d10, %d11}}, {{%a0, %a1, %a2, %a3}}, {{%b4, %b5}}, {{%one, %one, %one, %one}};
  setp.ge.u32 %c, %t, 32;
  @%c bra behind;
  {PRODUCT} {{%d0, %d1, %d2, %d3}}, {{%a0, %a1, %a2, %a3}}, {{%b2, %b3}}, {{%d0, %d1, %d2, %d3}};
behind:
  st.global.v4.f32 [%r], {{%d0, %d1, %d2, %d3}}; st.global.v4.f32 [%r+16], {{%d4, %d5, %d6, %d7}};
  st.global.v4.f32 [%r+32], {{%d8, %d9, %d10, %d11}};
  ret;
}}
"""
)
LANE = np.arange(32)


def registers(matrix, tile_order):
    """The words of each lane: a tile of 8 x 8 halves, whose rows have four neighbouring lanes, for each register."""
    tiles = [matrix[row : row + 8, column : column + 8] for row, column in tile_order]
    return np.stack([np.ascontiguousarray(tile).view(np.uint32).reshape(32) for tile in tiles], axis=1)


def sums_of(words):
    """The 16 x 8 matrix whose elements the lanes have in four registers each."""
    matrix = np.empty((16, 8), np.float32)
    for i in range(4):
        matrix[LANE // 4 + i // 2 * 8, LANE % 4 * 2 + i % 2] = words[:, i]
    return matrix


def ok(result):
    assert int(result[0]) == 0, result
    return result[1] if len(result) == 2 else result[1:]


def launched(text, threads, *arrays):
    """Run the kernel on arrays, of which the last one is read back."""
    places = [ok(driver.cuMemAlloc(array.nbytes)) for array in arrays]
    for place, array in zip(places, arrays, strict=True):
        ok(driver.cuMemcpyHtoD(place, array.ctypes.data, array.nbytes))
    arguments = [ctypes.c_void_p(int(place)) for place in places]
    pointers = (ctypes.c_void_p * len(arrays))(*(ctypes.addressof(value) for value in arguments))
    module = ok(driver.cuModuleLoadData(text.encode() + b"\0"))
    function = ok(driver.cuModuleGetFunction(module, b"multiply"))
    ok(driver.cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, 0, ctypes.addressof(pointers), 0))
    ok(driver.cuMemcpyDtoH(arrays[-1].ctypes.data, places[-1], arrays[-1].nbytes))
    return arrays[-1]


def by_shared_memory(chance):
    a, b = chance.integers(-8, 8, (16, 16)).astype(np.float16), chance.integers(-8, 8, (16, 8)).astype(np.float16)
    d = launched(TEXT, 32, a, b, np.zeros((16, 8), np.float32))
    expected = a.astype(np.float32) @ b.astype(np.float32) + np.tile([0, 1], 4).astype(np.float32)
    assert (d == expected).all(), d - expected


def in_a_group(chance):
    a = [chance.integers(-8, 8, (16, 16)).astype(np.float16) for _ in range(2)]
    b = [[chance.integers(-8, 8, (16, 8)).astype(np.float16) for _ in range(3)] for _ in range(2)]
    c = chance.integers(-99, 99, (64, 3, 4)).astype(np.float32)
    of_a = np.concatenate([registers(of, [(0, 0), (8, 0), (0, 8), (8, 8)]) for of in a])
    of_b = np.concatenate([
        np.stack([registers(of.T, [(0, 0), (0, 8)]) for of in warp], axis=1) for warp in b
    ])  # fmt: skip
    d = launched(GROUPED, 64, of_a, np.ascontiguousarray(of_b), c.copy())
    for warp, lanes in enumerate((slice(0, 32), slice(32, 64))):
        products = [a[warp].astype(np.float32) @ of.astype(np.float32) for of in b[warp]]
        first = sums_of(c[lanes, 0]) + products[0] + (products[1] if warp == 0 else 0)
        expected = [first, sums_of(c[lanes, 1]) + products[1], 1 + products[2]]
        for number, of in enumerate(expected):
            assert (sums_of(d[lanes, number]) == of).all(), (warp, number)


def main():
    ok(driver.cuInit(0))
    ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(ok(driver.cuDeviceGet(0))))))
    chance = np.random.default_rng(3)
    by_shared_memory(chance)
    in_a_group(chance)
    print("right")


if __name__ == "__main__":
    main()
