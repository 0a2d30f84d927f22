"""The tensor maps that the recorded copies use, and wrong ones."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import replace as changed

from cuda.bindings import driver

__all__ = ["CHANGES", "FUNCTIONS", "LOADS", "MULTICAST", "REFUSED", "STORES", "Change", "Map", "replace", "wrong_cases"]

_SIZES = {
    "UINT8": 1, "UINT16": 2, "UINT32": 4, "INT32": 4, "UINT64": 8, "INT64": 8, "FLOAT16": 2, "FLOAT32": 4, "FLOAT64": 8,
    "BFLOAT16": 2, "FLOAT32_FTZ": 4, "TFLOAT32": 4, "TFLOAT32_FTZ": 4,
}  # fmt: skip
_SWIZZLED_BYTES = {"NONE": 0, "32B": 32, "64B": 64, "128B": 128}


@dataclass(frozen=True)
class Map:
    """The arguments of cuTensorMapEncodeTiled, or of cuTensorMapEncodeIm2col where it has corners.

    Attributes:
        name: its name among the results.
        kind: the elements' type.
        dims: the elements along each axis, the innermost first.
        strides: the bytes between neighbours of all axes but the first.
        box: the elements of a box, or the channels and pixels of a copy by im2col.
        steps: the strides of elements within a box.
        coordinates: the first coordinates of the boxes that a test copies, at multiples of 16 bytes, as a GPU needs them.
        corners, offsets: of im2col: the corners of the bounding box, and the offsets of its copies.
        forms: the kernels that store.
    """

    name: str
    kind: str
    dims: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    steps: tuple[int, ...] = ()
    interleave: str = "NONE"
    swizzle: str = "NONE"
    fill: str = "NONE"
    promotion: str = "NONE"
    coordinates: tuple[tuple[int, ...], ...] = ()
    corners: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    offsets: tuple[int, ...] = ()
    forms: tuple[str, ...] = ()
    rank_argument: int | None = None

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.dims)

    @property
    def size(self) -> int:
        """The bytes of a box in shared memory."""
        steps, bytes_ = self.steps or (1,) * self.rank, _SIZES[self.kind]
        if self.corners:
            return math.prod(self.box) * bytes_
        return math.prod(-(-extent // step) for extent, step in zip(self.box, steps, strict=True)) * bytes_

    @property
    def room(self) -> int:
        """The bytes of shared memory that a box spans: rows of a swizzled box have the swizzle's width at least."""
        width = self.box[0] * _SIZES[self.kind]
        rows = self.size // width
        return (rows * max(width, _SWIZZLED_BYTES[self.swizzle]) + 1023) // 1024 * 1024

    def encode(self, address: int) -> tuple[int, bytes]:
        """Return the status and the bytes of the map."""
        steps = self.steps or (1,) * self.rank
        kind = getattr(driver.CUtensorMapDataType, f"CU_TENSOR_MAP_DATA_TYPE_{self.kind}")
        rank = self.rank if self.rank_argument is None else self.rank_argument
        tail = (
            [driver.cuuint32_t(each) for each in steps],
            getattr(driver.CUtensorMapInterleave, f"CU_TENSOR_MAP_INTERLEAVE_{self.interleave}"),
            getattr(driver.CUtensorMapSwizzle, f"CU_TENSOR_MAP_SWIZZLE_{self.swizzle}"),
            getattr(driver.CUtensorMapL2promotion, f"CU_TENSOR_MAP_L2_PROMOTION_{self.promotion}"),
            getattr(
                driver.CUtensorMapFloatOOBfill,
                "CU_TENSOR_MAP_FLOAT_OOB_FILL_" + (self.fill if self.fill == "NONE" else "NAN_REQUEST_ZERO_FMA"),
            ),
        )
        dims = [driver.cuuint64_t(each) for each in self.dims]
        # cuda-bindings passes NULL for an empty list, which CUDA refuses although it has nothing to read there.
        strides = [driver.cuuint64_t(each) for each in self.strides or (16,)]
        if self.corners:
            low, high = (list(corner) for corner in self.corners)
            status, result = driver.cuTensorMapEncodeIm2col(
                kind, rank, address, dims, strides, low, high, *self.box, *tail
            )
        else:
            box = [driver.cuuint32_t(each) for each in self.box]
            status, result = driver.cuTensorMapEncodeTiled(kind, rank, address, dims, strides, box, *tail)
        if int(status):
            return int(status), b""
        return 0, ctypes.string_at(int(result.getPtr()), 128)


def replace(case: Map, address: int, other: int) -> int:
    """Return the status of cuTensorMapReplaceAddress."""
    dims = [driver.cuuint64_t(each) for each in case.dims]
    strides = [driver.cuuint64_t(each) for each in case.strides]
    box, steps = ([driver.cuuint32_t(each) for each in numbers] for numbers in (case.box, (1,) * case.rank))
    kind = getattr(driver.CUtensorMapDataType, f"CU_TENSOR_MAP_DATA_TYPE_{case.kind}")
    zero = (
        driver.CUtensorMapInterleave(0), driver.CUtensorMapSwizzle(0), driver.CUtensorMapL2promotion(0),
        driver.CUtensorMapFloatOOBfill(0),
    )  # fmt: skip
    status, result = driver.cuTensorMapEncodeTiled(kind, case.rank, address, dims, strides, box, steps, *zero)
    assert int(status) == 0
    return int(driver.cuTensorMapReplaceAddress(result, other)[0])


def _loads() -> Iterator[Map]:
    yield Map("1d bytes", "UINT8", (100,), (), (64,), coordinates=((0,), (48,), (-16,), (208,)))
    yield Map("1d floats", "FLOAT32", (50,), (), (32,), fill="NAN", coordinates=((0,), (40,), (-8,)))
    for kind in _SIZES:
        name = f"2d {kind}"
        half = 16 // _SIZES[kind]
        dims, box, outside = (2 * half, 9), (2 * half, 6), ((half, 5), (-half, -2))
        yield Map(name, kind, dims, (64,), box, coordinates=((0, 0), *outside))
        if "FLOAT" in kind:
            yield Map(f"{name} NaN", kind, dims, (64,), box, fill="NAN", coordinates=outside)
    for swizzle, width in (("32B", 16), ("64B", 32), ("128B", 64)):
        yield Map(
            f"2d {swizzle}", "FLOAT16", (100, 40), (208,), (width, 24), swizzle=swizzle, promotion="L2_128B",
            coordinates=((0, 0), (8, -3), (80, 30)),
        )  # fmt: skip
        yield Map(
            f"2d narrow {swizzle}",
            "FLOAT16",
            (100, 40),
            (208,),
            (width // 2, 24),
            swizzle=swizzle,
            coordinates=((8, 2),),
        )
    yield Map("2d steps", "UINT32", (60, 40), (256,), (16, 12), steps=(1, 3), coordinates=((0, 0), (52, 31), (-4, -2)))
    yield Map("3d", "UINT32", (20, 7, 5), (96, 800), (8, 4, 3), coordinates=((0, 0, 0), (16, 5, 3), (-4, -1, -1)))
    yield Map(
        "3d 64B",
        "BFLOAT16",
        (64, 9, 4),
        (128, 1280),
        (32, 4, 3),
        swizzle="64B",
        fill="NAN",
        coordinates=((0, 0, 0), (40, 7, 2)),
    )
    yield Map("4d", "UINT16", (24, 5, 4, 3), (48, 256, 1040), (8, 3, 2, 2), coordinates=((0, 0, 0, 0), (16, 3, -1, 2)))
    yield Map(
        "4d 128B",
        "FLOAT32",
        (32, 6, 4, 3),
        (128, 768, 3072),
        (32, 3, 2, 2),
        swizzle="128B",
        coordinates=((0, 1, 2, 0), (8, 5, 3, 2)),
    )
    yield Map(
        "5d",
        "INT32",
        (8, 4, 3, 3, 2),
        (32, 128, 384, 1152),
        (4, 2, 2, 2, 2),
        coordinates=((0, 0, 0, 0, 0), (4, 3, 2, -1, 1)),
    )
    yield Map(
        "5d 32B",
        "UINT8",
        (32, 4, 3, 3, 2),
        (32, 128, 384, 1152),
        (32, 2, 2, 3, 1),
        swizzle="32B",
        steps=(1, 2, 1, 2, 1),
        coordinates=((0, 1, 0, 0, 1), (16, 3, 1, 1, 1)),
    )
    yield Map(
        "im2col 3d",
        "FLOAT32",
        (8, 20, 3),
        (32, 640),
        (4, 12),
        corners=((-1,), (-2,)),
        offsets=(1,),
        coordinates=((0, -1, 0), (4, 10, 1)),
    )
    yield Map(
        "im2col 4d",
        "FLOAT16",
        (16, 9, 7, 3),
        (32, 320, 2560),
        (16, 40),
        corners=((-1, -1), (-1, -1)),
        offsets=(2, 1),
        swizzle="32B",
        coordinates=((0, -1, -1, 0), (0, 3, 4, 1)),
    )
    yield Map(
        "im2col steps",
        "FLOAT16",
        (8, 12, 10, 2),
        (16, 192, 1920),
        (8, 24),
        steps=(1, 2, 2, 1),
        corners=((0, 0), (-2, -2)),
        offsets=(0, 1),
        coordinates=((0, 0, 0, 0), (0, 4, 2, 1)),
    )
    yield Map(
        "im2col 5d",
        "UINT8",
        (32, 6, 5, 4, 2),
        (32, 192, 960, 3840),
        (16, 50),
        corners=((-1, 0, -1), (0, -1, -1)),
        offsets=(0, 1, 1),
        fill="NONE",
        coordinates=((0, -1, 0, -1, 0), (16, 2, 1, 0, 1)),
    )


LOADS = tuple(_loads())
_SMALL, _AT = ((40, 20), (160,), (16, 8)), ((4, 3), (32, 15), (36, 18))
_ALL_FORMS = ("store_2d", "add_2d", "min_2d", "max_2d", "inc_2d", "dec_2d", "and_2d", "or_2d", "xor_2d")
STORES = (
    Map("1d", "UINT32", (300,), (), (64,), coordinates=((12,), (280,)), forms=("store_1d", "add_1d")),
    Map("2d", "UINT32", *_SMALL, coordinates=_AT, forms=_ALL_FORMS),
    Map("2d signed", "INT32", *_SMALL, coordinates=_AT, forms=("add_2d", "min_2d", "max_2d", "and_2d")),
    Map("2d steps", "UINT32", *_SMALL, steps=(1, 3), coordinates=_AT, forms=("store_2d", "add_2d")),
    Map("2d 64B", "UINT16", (100, 20), (208,), (32, 8), swizzle="64B", coordinates=((8, 3), (88, 18)), forms=("store_2d",)),
    Map("2d 128B", "UINT64", (24, 20), (208,), (16, 8), swizzle="128B", coordinates=((2, 3),), forms=("store_2d", "add_2d", "min_2d", "or_2d")),
    Map("2d S64", "INT64", (20, 20), (160,), (8, 8), coordinates=((2, 3),), forms=("min_2d", "max_2d")),
    Map("2d F16", "FLOAT16", (80, 20), (160,), (32, 8), coordinates=((8, 3),), forms=("add_2d", "min_2d", "max_2d")),
    Map("2d BF16", "BFLOAT16", (80, 20), (160,), (32, 8), coordinates=((8, 3),), forms=("add_2d", "min_2d", "max_2d")),
    Map("2d F32", "FLOAT32", *_SMALL, coordinates=((4, 3),), forms=("store_2d", "add_2d")),
    Map("2d F32 FTZ", "FLOAT32_FTZ", *_SMALL, coordinates=((4, 3),), forms=("store_2d", "add_2d")),
    Map("2d TF32", "TFLOAT32", *_SMALL, coordinates=((4, 3),), forms=("store_2d",)),
    Map("2d F64", "FLOAT64", (20, 20), (160,), (8, 8), coordinates=((2, 3),), forms=("store_2d",)),
    Map("S32", "INT32", *_SMALL, coordinates=((4, 3),), forms=("or_2d", "xor_2d")),
    Map("U64", "UINT64", (20, 20), (160,), (8, 8), coordinates=((2, 3),), forms=("and_2d",)),
    Map("F64", "FLOAT64", (20, 20), (160,), (8, 8), coordinates=((2, 3),), forms=("add_2d",)),
    Map("TF32", "TFLOAT32", *_SMALL, coordinates=((4, 3),), forms=("add_2d",)),
    Map("3d", "UINT8", (48, 7, 5), (64, 512), (16, 4, 3), coordinates=((0, 0, 0), (32, 5, 3)), forms=("store_3d",)),
    Map("4d", "INT32", (8, 5, 4, 3), (32, 192, 800), (4, 3, 2, 2), coordinates=((0, 0, 0, 0), (4, 3, 3, 2)), forms=("store_4d",)),
    Map(
        "5d", "UINT32", (8, 4, 3, 3, 2), (32, 128, 384, 1152), (4, 2, 2, 2, 2), steps=(1, 1, 2, 1, 1),
        coordinates=((0, 0, 0, 0, 0), (4, 3, 1, 2, 1)), forms=("store_5d", "add_5d"),
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Change:
    """A field of a map that a kernel replaces.

    Attributes:
        kernel: its name in `replaced.cu`.
        value: the new one, of an address the bytes behind the given one.
        bytes: the size of the box that is copied then.
        at: its first coordinates.
        given: the map before.
    """

    kernel: str
    value: int
    bytes: int
    at: tuple[int, ...]
    given: Map


def _changes() -> Iterator[Change]:
    plain, deep = Map("2d", "UINT32", *_SMALL), Map("3d", "UINT32", (20, 7, 5), (96, 800), (8, 4, 3))
    yield Change("address", 1024, 512, (4, 3), plain)
    yield Change("rank", 1, 128, (4, 1), deep)
    yield Change("box_0", 8, 256, (4, 3), plain)
    yield Change("box_1", 5, 320, (4, 3), plain)
    yield Change("dim_0", 12, 512, (4, 3), plain)
    yield Change("dim_1", 5, 512, (4, 3), plain)
    yield Change("stride", 192, 512, (4, 3), plain)
    yield Change("stride_1", 896, 384, (4, 1, 1), deep)
    yield Change("step", 2, 256, (4, 3), plain)
    floating = changed(plain, fill="NAN", kind="FLOAT32")
    sizes = {"u8": 1, "f16": 2, "f32": 4, "f32_ftz": 4, "f64": 8, "bf16": 2, "tf32": 4, "tf32_ftz": 4}
    for kind, size in sizes.items():
        given = plain if kind == "u8" else floating
        yield Change(f"type_{kind}", 0, 128 * size, (16 // size, 3), given)
        if kind != "u8":
            yield Change(f"type_{kind}", 0, 128 * size, (-16 // size, -1), given)
    yield Change("swizzle_64", 0, 512, (4, 3), plain)
    yield Change("swizzle_128", 0, 512, (4, 3), plain)
    yield Change("fill", 0, 512, (-4, -2), changed(plain, kind="FLOAT32"))


CHANGES = tuple(_changes())
# Stores that a GPU refuses as illegal instructions.
_BEFORE = Map("before the first", "UINT32", *_SMALL, coordinates=((-4, 0),), forms=("store_2d", "add_2d"))
REFUSED = (
    _BEFORE,
    changed(_BEFORE, name="before the first row", coordinates=((0, -1),), forms=("store_2d",)),
    changed(_BEFORE, name="S32", kind="INT32", coordinates=((4, 3),), forms=("inc_2d", "dec_2d")),
    changed(_BEFORE, name="F32", kind="FLOAT32", coordinates=((4, 3),), forms=("min_2d", "xor_2d")),
    changed(_BEFORE, name="FTZ", kind="FLOAT32_FTZ", coordinates=((4, 3),), forms=("max_2d",)),
    Map("S64", "INT64", (20, 20), (160,), (8, 8), coordinates=((2, 3),), forms=("add_2d", "and_2d", "xor_2d")),
    Map("U64", "UINT64", (20, 20), (160,), (8, 8), coordinates=((2, 3),), forms=("inc_2d",)),
    Map("F64", "FLOAT64", (20, 20), (160,), (8, 8), coordinates=((2, 3),), forms=("min_2d",)),
    Map("U8", "UINT8", (160, 20), (160,), (64, 8), coordinates=((16, 3),), forms=("add_2d", "xor_2d")),
    Map("U16", "UINT16", (80, 20), (160,), (32, 8), coordinates=((8, 3),), forms=("add_2d", "and_2d")),
    Map("F16", "FLOAT16", (80, 20), (160,), (32, 8), coordinates=((8, 3),), forms=("and_2d",)),
)
FUNCTIONS = Map("functions", "INT32", (40, 20), (160,), (8, 8))
MULTICAST = Map("multicast", "UINT32", (64, 32), (256,), (16, 16))

_RIGHT = Map("right", "FLOAT16", (64, 32, 8), (128, 4096), (32, 8, 2))


def wrong_cases() -> Iterator[tuple[str, Map, int]]:
    """Yield names, maps and the offset of the address; some are right."""
    for offset in (0, 1, 8, 16, 48):
        yield f"address {offset}", _RIGHT, offset
    for rank in (1, 2, 3, 4, 5):
        dims, strides, box = (8,) * rank, tuple(16 * 8**i for i in range(max(rank - 1, 0))), (8,) * rank
        yield f"rank {rank}", Map("rank", "FLOAT16", dims, strides, box), 0
    for extent in (0, 1, 1 << 32, (1 << 32) + 1):
        yield f"dim {extent}", changed(_RIGHT, dims=(64, extent, 8)), 0
    for stride in (0, 8, 16, 64, 120, 136, 1 << 39, 1 << 40, (1 << 40) + 16):
        yield f"stride {stride}", changed(_RIGHT, strides=(stride, 4096)), 0
    yield "falling strides", changed(_RIGHT, strides=(4096, 128)), 0
    for extent in (0, 1, 4, 8, 12, 64, 256, 257, 512):
        yield f"inner box {extent}", changed(_RIGHT, box=(extent, 8, 2)), 0
        yield f"outer box {extent}", changed(_RIGHT, box=(32, extent, 2)), 0
    for step in (0, 1, 2, 8, 9):
        yield f"step {step}", changed(_RIGHT, steps=(1, step, 1)), 0
        yield f"inner step {step}", changed(_RIGHT, steps=(step, 1, 1)), 0
    for swizzle in ("NONE", "32B", "64B", "128B"):
        for extent in (8, 16, 32, 64, 72, 128):
            yield f"{swizzle} inner {extent}", changed(_RIGHT, swizzle=swizzle, box=(extent, 8, 2)), 0
    for interleave in ("16B", "32B"):
        for swizzle in ("NONE", "32B", "64B", "128B"):
            for offset in (0, 16):
                yield (
                    f"interleave {interleave} {swizzle} {offset}",
                    changed(_RIGHT, interleave=interleave, swizzle=swizzle, box=(16, 8, 2)),
                    offset,
                )
        yield f"interleave {interleave} 2d", Map("", "FLOAT16", (64, 32), (128,), (16, 8), interleave=interleave), 0
        for stride in (144, 160):
            yield (
                f"interleave {interleave} stride {stride}",
                changed(_RIGHT, interleave=interleave, swizzle="32B", strides=(stride, 8192), box=(16, 8, 2)),
                0,
            )
        for extent in (8, 16, 32, 256):
            yield (
                f"interleave {interleave} box {extent}",
                changed(_RIGHT, interleave=interleave, swizzle="32B", box=(extent, 8, 2)),
                0,
            )
    for kind in _SIZES:
        yield f"NaN {kind}", Map("", kind, (16, 16), (256,), (16, 8), fill="NAN"), 0
    column = Map("", "FLOAT16", (64, 16, 16, 4), (128, 2048, 32768), (32, 64), corners=((-1, -1), (-1, -1)))
    yield "im2col", column, 0
    for channels in (0, 4, 8, 256, 257):
        yield f"im2col channels {channels}", changed(column, box=(channels, 64)), 0
    for pixels in (0, 1, 256, 1024, 1025):
        yield f"im2col pixels {pixels}", changed(column, box=(32, pixels)), 0
    for corner in (-129, -128, 127, 128):
        yield f"im2col low {corner}", changed(column, corners=((corner, 0), (0, 0))), 0
        yield f"im2col high {corner}", changed(column, corners=((0, 0), (corner, 0))), 0
    for swizzle in ("32B", "64B", "128B"):
        yield f"im2col {swizzle}", changed(column, swizzle=swizzle), 0
    yield "im2col 2d", Map("", "FLOAT16", (64, 16), (128,), (32, 64), corners=((0, 0), (0, 0))), 0
    for corner in (-32768, -32769, 32767, 32768):
        yield (
            f"im2col 3d low {corner}",
            Map("", "FLOAT16", (64, 16, 4), (128, 2048), (32, 64), corners=((corner,), (0,))),
            0,
        )
    for corner in (-16, -17, 15, 16):
        yield (
            f"im2col 5d low {corner}",
            Map(
                "",
                "FLOAT16",
                (64, 16, 4, 4, 4),
                (128, 2048, 8192, 32768),
                (32, 64),
                corners=((corner, 0, 0), (0, 0, 0)),
            ),
            0,
        )
    yield "interleave 16B box 4", changed(_RIGHT, interleave="16B", box=(4, 8, 2)), 0
