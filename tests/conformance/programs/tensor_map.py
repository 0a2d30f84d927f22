"""Tensor maps, which describe arrays to the copy engines of NVIDIA GPUs."""

from typing import Any

from _device import context
from _show import call, kind, show
from cuda.bindings import driver

context()
pointer = driver.cuMemAlloc(4096)[1]
narrow, wide = driver.cuuint32_t, driver.cuuint64_t
usual: dict[str, Any] = {
    "tensorDataType": driver.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
    "tensorRank": 2,
    "globalAddress": pointer,
    "globalDim": [wide(16), wide(16)],
    "globalStrides": [wide(64)],
    "boxDim": [narrow(8), narrow(8)],
    "elementStrides": [narrow(1), narrow(1)],
    "interleave": driver.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
    "swizzle": driver.CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_NONE,
    "l2Promotion": driver.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_NONE,
    "oobFill": driver.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
}


def encode(note: str, **changed: Any) -> Any:
    return call(driver.cuTensorMapEncodeTiled, note=note, **(usual | changed))


encode("two dimensions")
encode("rank 0", tensorRank=0)
encode("odd strides", globalStrides=[wide(63)])
encode("tuple", boxDim=(narrow(8), narrow(8)))
encode("data type as int", tensorDataType=7)
encode("data type None", tensorDataType=None)
encode("data type str", swizzle="x")
encode("plain ints", globalDim=[16, 16])
encode("narrow for wide", globalStrides=[narrow(64)])
encode("dimension int", globalDim=5)
encode("rank str", tensorRank="2")
encode("rank negative", tensorRank=-1)
encode("address str", globalAddress="x")
made = driver.CUtensorMap()
show("opaque", len(made.opaque))
kind("opaque entry", made.opaque[0])
call(driver.cuTensorMapReplaceAddress, made, "x", note="address str")
call(driver.cuTensorMapReplaceAddress, 5, pointer, note="map int")
