"""Edge data of graphs: CUDA 12 and later give each edge ports and a type, and HIP's graphs have plain edges alone.

So data for an ordinary edge, which is all zeros, is dropped on the way to HIP and handed out on the way back, and
other data is refused: a program that relies on it would compute something else without it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cuda_shim.binding.enums.translation import Refused
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.functions.generated import generated_call
from cuda_shim.binding.lists import check_list
from cuda_shim.errors import UnsupportedAPI
from cuda_shim.mapping.rows import Parameter

__all__ = ["as_argument", "as_result", "has_edge_data", "ordinary", "without"]

Call = Callable[..., tuple[Any, ...]]


def as_argument(binding: Binding) -> Call:
    """Serve calls that take edge data: cuGraphAddDependencies, cuStreamUpdateCaptureDependencies and their like."""
    return without(binding, generated_call)


def ordinary(binding: Binding) -> Call:
    """cuStreamBeginCaptureToGraph, cudaStreamBeginCaptureToGraph: HIP has a place for edge data and takes none."""
    call, refusal = generated_call(binding), _Refusal(binding)

    def serve(*arguments: Any) -> tuple[Any, ...]:
        refused = refusal.outcome_of(arguments)
        if refused is not None:
            return refused
        return call(*(None if at == refusal.at else argument for at, argument in enumerate(arguments)))

    return serve


def as_result(binding: Binding) -> Call:
    """Serve calls that return edge data: cuGraphGetEdges, cuGraphNodeGetDependencies and their like."""
    call = generated_call(_plain(binding))
    data = _edge_data(binding)
    edge, at = binding.class_of(data.base), 1 + binding.row.outputs.index(data)

    def query(*arguments: Any) -> tuple[Any, ...]:
        plain = call(*arguments)
        edges = None if plain[1] is None else [edge() for _ in plain[1]]
        return (*plain[:at], edges, *plain[at:])

    return query


def without(binding: Binding, make: Callable[[Binding], Call]) -> Call:
    """Return the call that `make` gives for the row without its edge data, made to take that data again.

    CUDA Python hands lists that are too short on, and CUDA refuses them; of these calls, cuGraphAddNode_v2 and
    cudaGraphAddNode_v2 alone look at the lengths themselves.
    """
    call, refusal = make(_plain(binding)), _Refusal(binding)
    looks_at_lengths = binding.row.name.endswith("AddNode_v2")

    def serve(*arguments: Any) -> tuple[Any, ...]:
        refused = refusal.outcome_of(arguments)
        if refused is not None:
            return refused
        try:
            return call(*arguments[: refusal.at], *arguments[refusal.at + 1 :])
        except UnsupportedAPI:
            raise
        except RuntimeError:
            if looks_at_lengths:
                raise
            return binding.outcome.invalid()

    return serve


def has_edge_data(binding: Binding) -> bool:
    """Return whether a function has edge data among its parameters."""
    return any(parameter.base.endswith("EdgeData") for parameter in binding.row.parameters)


class _Refusal:
    """The check of the edge data that a call is given, argument number `at`."""

    def __init__(self, binding: Binding) -> None:
        data = _edge_data(binding)
        self.at = binding.row.inputs.index(data)
        self._check = check_list(data.name, data.base, binding.scope)
        self._outcome = binding.outcome

    def outcome_of(self, arguments: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Return the outcome for data that HIP cannot keep, None where there is none.

        Raises TypeError for other lists.
        """
        if not any(edge.from_port or edge.to_port or edge.type for edge in self._check(arguments[self.at], 0)):
            return None
        return self._outcome.refused(
            Refused("an edge with a port or a type has no HIP counterpart; use ordinary edges", supported=False)
        )


def _edge_data(binding: Binding) -> Parameter:
    return next(parameter for parameter in binding.row.parameters if parameter.base.endswith("EdgeData"))


def _plain(binding: Binding) -> Binding:
    """Return the same function without edge data."""
    data = _edge_data(binding)
    parameters = tuple(parameter for parameter in binding.row.parameters if parameter is not data)
    return Binding(binding.row.replaced(parameters=parameters), binding.scope)
