"""One instruction after the other as C++ statements."""

from __future__ import annotations

from collections.abc import Callable

from cuda_shim.translate.ptx import barriers, calls, fragments, images, matrices, memory, warpgroups
from cuda_shim.translate.ptx.decoder import copies, decode
from cuda_shim.translate.ptx.def_use import writes_of
from cuda_shim.translate.ptx.emit_context import EmitContext
from cuda_shim.translate.ptx.errors import PtxError, UnsupportedPtx
from cuda_shim.translate.ptx.form_operands import check_operands, fill
from cuda_shim.translate.ptx.instructions import Form, Invalid, Unknown
from cuda_shim.translate.ptx.module import (
    Call,
    Instruction,
    Register,
)
from cuda_shim.translate.ptx.orders import fence_after, fence_before
from cuda_shim.translate.ptx.types import TYPES
from cuda_shim.translate.ptx.value_instructions import give_value
from cuda_shim.translate.ptx.values import Expression

__all__ = ["emit"]

# Instructions that are rows of the table, although others of their name are not.
_OF_THE_TABLE = ("cp.async.bulk", "cp.async.mbarrier", "cp.reduce")


def emit(ctx: EmitContext, item: Instruction) -> None:
    """Write an instruction. Raises PtxError with its place."""
    ctx.position = item.position
    try:
        if item.guard is not None:
            _guarded(ctx, item, item.guard)
        else:
            _instruction(ctx, item)
    except PtxError as error:
        if error.line:
            raise
        with_position = ctx.unsupported_at if isinstance(error, UnsupportedPtx) else ctx.error_at
        raise with_position(error.reason, item.position) from None
    except Invalid as invalid:
        raise ctx.error_at(str(invalid), item.position) from None
    except Unknown as unknown:
        raise ctx.unsupported_at(str(unknown), item.position) from None


def _guarded(ctx: EmitContext, item: Instruction, guard: Register) -> None:
    condition = ctx.value(guard, "pred")
    names = frozenset(ctx.names)
    ctx.names = set()
    for name in writes_of(item):
        ctx.materialize_readers(name)
    for name in writes_of(item):
        ctx.materialize(name)
    with ctx.scope(f"if ({'!' if item.guard_negated else ''}{condition})", names):
        _instruction(ctx, item, guarded=True)


def _instruction(ctx: EmitContext, item: Instruction, *, guarded: bool = False) -> None:
    name = item.opcode.partition(".")[0]
    if isinstance(item, Call):
        calls.call(ctx, item)
        return
    special = _SPECIAL_HANDLERS.get(name)
    if special is not None and not item.opcode.startswith(_OF_THE_TABLE):
        special(ctx, item)
        return
    form = decode(item.opcode, len(item.operands))
    _record_hosts(ctx, item, form)
    handler = _MEMORY_HANDLERS.get(form.memory)
    if handler is not None:
        handler(ctx, item, form)
    elif form.do:
        check_operands(item, form)
        for statement in (fence_before(form), fill(ctx, item, form, form.do), fence_after(form)):
            if statement:
                ctx.add(f"{statement};")
    else:
        give_value(ctx, item, form, may_defer=not guarded)


def _record_hosts(ctx: EmitContext, item: Instruction, form: Form) -> None:
    """Record the reason why AMD GPUs cannot run an instruction, if there is one."""
    reason = form.hosts or ("thread block clusters have no counterpart in HIP" if "cluster" in form.space else "")
    if reason:
        ctx.only_on_hosts(f"'{item.opcode}': {reason}", item.position)


_MEMORY_HANDLERS: dict[str, Callable[[EmitContext, Instruction, Form], None]] = {
    "load": memory.load,
    "store": memory.store,
    "touch": memory.touch,
    "cvta": memory.convert_address,
}


def _async_copy(ctx: EmitContext, item: Instruction) -> None:
    """cp.async: the copy is done at once, so that waiting for it is a no-op."""
    if not copies(item.opcode, len(item.operands)):
        return
    target = memory.address_of(ctx, item.operands[0], "shared")
    source = memory.address_of(ctx, item.operands[1], "global")
    size = ctx.value(item.operands[2], "u32")
    valid_size = ctx.value(item.operands[3], "u32") if len(item.operands) == 4 else size
    ctx.add(f"cuda_shim_ptx::copy({target}, {source}, {size}, {valid_size});")


def _cache_policy(ctx: EmitContext, item: Instruction) -> None:
    """createpolicy: its operands advise the cache alone."""
    form = decode(item.opcode, len(item.operands))
    ctx.assign(item.operands[0], Expression(form.value, TYPES["u64"]))


def _barrier(ctx: EmitContext, item: Instruction) -> None:
    """bar.red takes the barrier's number as well."""
    if barriers.named_barrier(ctx, item):
        return
    form = decode(item.opcode, len(item.operands))
    _record_hosts(ctx, item, form)
    if not form.do:
        give_value(ctx, item, form, may_defer=False)
    elif form.only is None:
        ctx.add(f"{fill(ctx, item, form, form.do)};")
    else:
        check_operands(item, form)
        ctx.add("__syncthreads();")


_SPECIAL_HANDLERS: dict[str, Callable[[EmitContext, Instruction], None]] = {
    "bar": _barrier,
    "barrier": _barrier,
    "cp": _async_copy,
    "createpolicy": _cache_policy,
    "mma": matrices.multiply,
    "ldmatrix": matrices.load_matrices,
    "stmatrix": matrices.store_matrices,
    "wgmma": warpgroups.with_warpgroup,
    "wmma": fragments.with_fragments,
    "tex": images.texture,
    "tld4": images.gather,
    "txq": images.query,
    "suq": images.query,
    "suld": images.surface_load,
    "sust": images.surface_store,
}
