"""Print the green contexts and contexts of streams, as JSON.

    python tests/adapters/green_contexts/record.py > tests/adapters/green_contexts/recorded.json

with cuda-bindings and an NVIDIA GPU.
"""

from __future__ import annotations

import json
from typing import Any

from cuda.bindings import driver, runtime

ANSWERS: dict[str, list[Any]] = {}
NAMES: dict[int, str] = {0: "null"}


def value(answer: tuple[Any, ...]) -> Any:
    """The output of a call that must succeed."""
    assert int(answer[0]) == 0, answer
    return answer[1] if len(answer) > 1 else None


def named(name: str, handle: Any) -> Any:
    """Give a handle a name in the answers."""
    NAMES[int(handle)] = name
    return handle


def note(name: str, answer: tuple[Any, ...]) -> None:
    """Note the status of a call, and its outputs by their names."""
    outputs = [None if one is None else NAMES.get(int(one), "other") for one in answer[1:]]
    ANSWERS[name] = [answer[0].name, *outputs]


def streams_of(green: Any) -> dict[str, Any]:
    """Streams of each kind."""
    kinds = driver.CUstream_flags
    return {
        "legacy": 1,
        "per-thread": 2,
        "default": 0,
        "plain": value(driver.cuStreamCreate(0)),
        "green": value(driver.cuGreenCtxStreamCreate(green, kinds.CU_STREAM_NON_BLOCKING, 0)),
        "green, of the runtime": value(
            runtime.cudaExecutionCtxStreamCreate(int(green), runtime.cudaStreamNonBlocking, 0)
        ),
    }


def main() -> None:
    """Ask for the green contexts and contexts of streams, before and after the green context ends."""
    value(driver.cuInit(0))
    kind = driver.CUdevResourceType.CU_DEV_RESOURCE_TYPE_SM
    context = named("primary", value(driver.cuDevicePrimaryCtxRetain(0)))
    value(driver.cuCtxSetCurrent(context))
    whole = value(driver.cuDeviceGetDevResource(0, kind))
    status, parts, _, rest = driver.cuDevSmResourceSplitByCount(1, whole, 0, 1)
    assert not int(status)
    description = value(driver.cuDevResourceGenerateDesc(parts, 1))
    green = named("first green", value(driver.cuGreenCtxCreate(description, 0, 1)))
    other = named(
        "second green", value(driver.cuGreenCtxCreate(value(driver.cuDevResourceGenerateDesc([rest], 1)), 0, 1))
    )
    streams = streams_of(green)
    streams["other green"] = value(driver.cuGreenCtxStreamCreate(other, 1, 0))
    for name, stream in streams.items():
        note(f"cuStreamGetGreenCtx, {name}", driver.cuStreamGetGreenCtx(stream))
        note(f"cuStreamGetCtx_v2, {name}", driver.cuStreamGetCtx_v2(stream))
    note("cuStreamGetCtx, plain", driver.cuStreamGetCtx(streams["plain"]))
    note("cuStreamGetCtx, green", driver.cuStreamGetCtx(streams["green"]))
    value(driver.cuStreamDestroy(streams.pop("green, of the runtime")))
    again = value(driver.cuStreamCreate(0))
    note("cuStreamGetGreenCtx, plain, made after a green one ended", driver.cuStreamGetGreenCtx(again))
    value(driver.cuCtxSetCurrent(0))
    note("cuStreamGetGreenCtx, green, without a context", driver.cuStreamGetGreenCtx(streams["green"]))
    value(driver.cuCtxSetCurrent(context))
    value(driver.cuGreenCtxDestroy(green))
    note("cuStreamGetGreenCtx, of an ended context", driver.cuStreamGetGreenCtx(streams["green"]))
    note("cuStreamGetGreenCtx, other green, afterwards", driver.cuStreamGetGreenCtx(streams["other green"]))
    print(json.dumps(ANSWERS, indent=1))


if __name__ == "__main__":
    main()
