"""The body of a generated function while it is written: lines by the time at which they run, and the names they use."""

from __future__ import annotations

__all__ = ["CArgument", "Code"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.c_arguments import CType

CArgument = tuple["CType", str]
"""The C type of an argument, and the expression for it."""


class Code:
    """The lines that the parameters of one function contribute to its body.

    `numbers`, `list_checks` and `arguments` are lines that run in this order before HIP's call, as cuda-python
    converts; `after` are lines that run after it with any status, `results` lines after a call that worked, and
    `outputs` the expressions of the outputs, by name.
    """

    def __init__(self) -> None:
        self.namespace: dict[str, object] = {}
        self.numbers: list[str] = []
        self.list_checks: list[str] = []
        self.arguments: list[str] = []
        self.after: list[str] = []
        self.results: list[str] = []
        self.outputs: dict[str, str] = {}
        self.constants: list[str] = []
        self.may_refuse = False

    def name(self, name: str, value: object) -> str:
        """Return the name by which the lines use an object."""
        self.namespace[name] = value
        return name

    def refuses(self) -> None:
        """Note that a conversion may raise Refused, which makes an outcome of the call."""
        self.may_refuse = True

    def constant(self, name: str) -> None:
        """Note an enum argument: cuda-python complains of it before any other argument of a wrong type."""
        self.constants.append(name)
        self.may_refuse = True
