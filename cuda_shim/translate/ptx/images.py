"""Textures and surfaces through objects: tex, tld4, txq, suld, sust."""

from __future__ import annotations

from cuda_shim.translate.ptx.decoder import Mismatch
from cuda_shim.translate.ptx.emit_context import EmitContext
from cuda_shim.translate.ptx.errors import PtxError
from cuda_shim.translate.ptx.instructions import Unknown
from cuda_shim.translate.ptx.module import Address, Instruction, Operand, Sink, Vector
from cuda_shim.translate.ptx.types import TYPES
from cuda_shim.translate.ptx.values import Expression

__all__ = ["gather", "query", "surface_load", "surface_store", "texture"]

_ELEMENTS = {"f32": "float4", "s32": "int4", "u32": "uint4"}
# Functions by geometry: CUDA's name, its number of coordinates, and whether a layer comes first in PTX.
_TEXTURES = {
    "1d": ("tex1D", 1, False), "2d": ("tex2D", 2, False), "3d": ("tex3D", 3, False), "a1d": ("tex1DLayered", 1, True),
    "a2d": ("tex2DLayered", 2, True), "cube": ("texCubemap", 3, False), "acube": ("texCubemapLayered", 3, True),
}  # fmt: skip
_SURFACES = {
    "1d": ("surf1D", 1, False), "2d": ("surf2D", 2, False), "3d": ("surf3D", 3, False),
    "a1d": ("surf1DLayered", 1, True), "a2d": ("surf2DLayered", 2, True),
}  # fmt: skip
_BOUNDARY_MODES = {"trap": "cudaBoundaryModeTrap", "clamp": "cudaBoundaryModeClamp", "zero": "cudaBoundaryModeZero"}
_SURFACE_ELEMENTS = {
    ("b8", 1): "unsigned char", ("b8", 2): "uchar2", ("b8", 4): "uchar4", ("b16", 1): "unsigned short",
    ("b16", 2): "ushort2", ("b16", 4): "ushort4", ("b32", 1): "unsigned", ("b32", 2): "uint2", ("b32", 4): "uint4",
    ("b64", 1): "unsigned long long", ("b64", 2): "ulonglong2",
}  # fmt: skip


def texture(ctx: EmitContext, item: Instruction) -> None:
    """tex, at given coordinates, and with a level of detail or gradients."""
    parts = item.opcode.split(".")
    variant = parts[1] if parts[1] in ("level", "grad", "base") else ""
    rest = parts[2:] if variant else parts[1:]
    if len(rest) != 4 or rest[0] not in _TEXTURES or rest[1] != "v4" or rest[2] not in _ELEMENTS:
        raise Unknown(f"'{item.opcode}' is not translated in this form")
    function, count, layered = _TEXTURES[rest[0]]
    handle, coordinates = _object_and_coordinates(item, 1)
    values = _coordinates(ctx, coordinates, count, layered, rest[3])
    is_integer = rest[3] == "s32"
    if is_integer and rest[0] == "1d" and not variant:
        function = "tex1Dfetch"
    elif is_integer:
        # Whole coordinates name texels, and their centres are half a texel further.
        values = [*(f"{value} + 0.5f" for value in values[:count]), *values[count:]]
    if variant == "level":
        function += "Lod"
        values.append(ctx.value(_operand(item, 2), "f32"))
    elif variant == "grad":
        function += "Grad"
        values += [_gradient(ctx, _operand(item, number), count) for number in (2, 3)]
    ctx.needs_images(item.opcode, item.position)
    text = f"{function}<{_ELEMENTS[rest[2]]}>({', '.join([_texture(ctx, handle), *values])})"
    _assign_texel(ctx, item, _ELEMENTS[rest[2]], text, rest[2])


def gather(ctx: EmitContext, item: Instruction) -> None:
    """tld4: one component of the four texels around a place."""
    parts = item.opcode.split(".")
    if len(parts) != 6 or parts[2] != "2d" or parts[4] not in _ELEMENTS or parts[1] not in "rgba":
        raise Unknown(f"'{item.opcode}' is not translated in this form")
    handle, coordinates = _object_and_coordinates(item, 1)
    values = _coordinates(ctx, coordinates, 2, False, "f32")
    ctx.needs_images(item.opcode, item.position)
    arguments = ", ".join([_texture(ctx, handle), *values, str("rgba".index(parts[1]))])
    text = f"tex2Dgather<{_ELEMENTS[parts[4]]}>({arguments})"
    _assign_texel(ctx, item, _ELEMENTS[parts[4]], text, parts[4])


def query(ctx: EmitContext, item: Instruction) -> None:
    """Refuse txq and suq: texture and surface objects do not report their properties to device code here."""
    raise Unknown(
        f"'{item.opcode}': sizes of textures and surfaces are not known to kernels here; pass them as arguments"
    )


def surface_load(ctx: EmitContext, item: Instruction) -> None:
    """suld.b: bytes along the first coordinate, as CUDA's functions count too."""
    function, coordinates, element, count, kind = _surface(ctx, item, 1)
    text = f"{function}read<{element}>({coordinates})"
    if count == 1:
        target = item.operands[0]
        first = target.items[0] if isinstance(target, Vector) else target
        ctx.assign(first, Expression(text, TYPES[kind]))
    else:
        _assign_texel(ctx, item, element, text, kind)


def surface_store(ctx: EmitContext, item: Instruction) -> None:
    """sust.b."""
    function, coordinates, element, count, kind = _surface(ctx, item, 0)
    source = _operand(item, 1)
    items = source.items if isinstance(source, Vector) else (source,)
    if len(items) != count:
        raise PtxError(f"{len(items)} registers for a vector of {count}")
    values = [ctx.value(operand, kind) for operand in items]
    value = values[0] if count == 1 else f"{element}{{{', '.join(values)}}}"
    ctx.add(f"{function}write<{element}>({value}, {coordinates});")


def _surface(ctx: EmitContext, item: Instruction, index: int) -> tuple[str, str, str, int, str]:
    parts = [part for part in item.opcode.split(".") if part not in ("ca", "cg", "cs", "cv", "wb", "wt")]
    vector = next((int(part[1:]) for part in parts if part in ("v2", "v4")), 1)
    kind = next((part for part in parts[2:] if part in ("b8", "b16", "b32", "b64")), "")
    element = _SURFACE_ELEMENTS.get((kind, vector))
    if (
        len(parts) < 5
        or parts[1] != "b"
        or parts[2] not in _SURFACES
        or element is None
        or parts[-1] not in _BOUNDARY_MODES
    ):
        raise Unknown(f"'{item.opcode}' is not translated in this form")
    function, count, layered = _SURFACES[parts[2]]
    handle, coordinates = _object_and_coordinates(item, index)
    values = _coordinates(ctx, coordinates, count, layered, "s32")
    ctx.needs_images(item.opcode, item.position)
    if parts[-1] == "clamp":
        ctx.only_on_hosts(f"'{item.opcode}': AMD's hardware reads zeros outside a surface", item.position)
    arguments = ", ".join([f"(cudaSurfaceObject_t){ctx.value(handle, 'u64')}", *values, _BOUNDARY_MODES[parts[-1]]])
    return function, arguments, element, vector, kind


def _texture(ctx: EmitContext, handle: Operand) -> str:
    return f"(cudaTextureObject_t){ctx.value(handle, 'u64')}"


def _operand(item: Instruction, number: int) -> Operand:
    if number >= len(item.operands):
        raise Mismatch(item.opcode)
    return item.operands[number]


def _object_and_coordinates(item: Instruction, number: int) -> tuple[Operand, tuple[Operand, ...]]:
    """Return the object and the coordinates of `[object, {x, y}]`."""
    address = _operand(item, number)
    if not isinstance(address, Address) or len(address.coordinates) != 1 or address.offset:
        raise PtxError("an object with coordinates is wanted here")
    coordinates = address.coordinates[0]
    return address.base, coordinates.items if isinstance(coordinates, Vector) else (coordinates,)


def _coordinates(ctx: EmitContext, operands: tuple[Operand, ...], count: int, layered: bool, kind: str) -> list[str]:
    """Return coordinates in the order of CUDA's functions, where a layer comes last."""
    expected_count = count + layered
    if len(operands) < expected_count:
        raise PtxError(f"{len(operands)} coordinates where {expected_count} are needed")
    layer = [ctx.value(operands[0], "s32")] if layered else []
    values = [ctx.value(operand, kind) for operand in operands[layered:expected_count]]
    return [*values, *layer]


def _gradient(ctx: EmitContext, operand: Operand, count: int) -> str:
    items = operand.items if isinstance(operand, Vector) else (operand,)
    values = [ctx.value(item, "f32") for item in items[:count]]
    if count == 1:
        return values[0]
    return f"make_float{4 if count == 3 else 2}({', '.join(values + ['0.0f'] * (count == 3))})"


def _assign_texel(ctx: EmitContext, item: Instruction, element: str, text: str, kind: str) -> None:
    """Write the members of a vector of two or four to the registers that they go to."""
    target = _operand(item, 0)
    items = target.items if isinstance(target, Vector) else (target,)
    with ctx.scope():
        ctx.add(f"const {element} cuda_shim_texel = {text};")
        for member, register in zip("xyzw", items, strict=False):
            if not isinstance(register, Sink):
                ctx.assign(register, Expression(f"cuda_shim_texel.{member}", TYPES[kind]))
