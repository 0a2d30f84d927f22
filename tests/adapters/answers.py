"""Reading the tuples that CUDA Python's calls return, and the errors that they raise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


def ok(answer: tuple[Any, ...]) -> Any:
    """The outputs of a call that succeeded: nothing, one value, or a list of them."""
    status, *outputs = answer
    assert int(status) == 0, answer
    if not outputs:
        return None
    return outputs[0] if len(outputs) == 1 else outputs


def failed(answer: tuple[Any, ...], status: str, outputs: int = 0) -> None:
    """Check that a call failed with a status, and with None for each output."""
    assert (answer[0].name, answer[1:]) == (status, (None,) * outputs)


@contextmanager
def raising(error: type[Exception], text: str) -> Iterator[None]:
    """Check that the block raises an error of this very class with this very text."""
    with pytest.raises(error) as caught:
        yield
    assert (caught.type, str(caught.value)) == (error, text)


def not_a_list(argument: str, kind: str) -> str:
    """The text of the TypeError for an argument that is no list of a kind; classes are spelled with a comma."""
    return f"Argument '{argument}' is not instance of type (expected tuple[{kind}] or list[{kind}]"


def not_a(expected: str, argument: str, got: str) -> str:
    """The text of the TypeError for an argument of another class than the expected struct."""
    return f"Argument '{argument}' has incorrect type (expected cuda.bindings.{expected}, got {got})"
