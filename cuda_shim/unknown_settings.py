"""Names that look like a setting and are none: most likely misspelt, so messages offer the nearest one."""

from __future__ import annotations

from cuda_shim import settings
from cuda_shim.log import logger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["WARNED_VARIABLE", "nearest", "unknown_variables", "warn"]

#: The variables that this process or one above it has warned of, divided by spaces.
WARNED_VARIABLE = "_CUDA_SHIM_WARNED"


def nearest(name: str, names: Iterable[str], otherwise: str, prefix: str = "") -> str:
    """Return "did you mean …?" for a misspelt name, or `otherwise` where no name is near.

    A prefix that all names have does not count as likeness.
    """
    from difflib import get_close_matches

    close = get_close_matches(name.removeprefix(prefix), [each.removeprefix(prefix) for each in names], 1)
    return f"did you mean {prefix}{close[0]}?" if close else otherwise


def unknown_variables(environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the variables that look like ours and are not settings, each with the error and advice."""
    variables = [item.variable for item in settings.SETTINGS]
    for variable in sorted(environ):
        if variable.startswith("CUDA_SHIM") and variable not in variables:
            hint = nearest(variable, variables, "`python -m cuda_shim doctor` lists the settings", "CUDA_SHIM_")
            yield variable, f"is set and is no setting of cuda_shim; {hint}"


def warn(environ: Mapping[str, str]) -> dict[str, str]:
    """Log a warning for each unknown variable; return the variables that keep children from repeating it."""
    warned = environ.get(WARNED_VARIABLE, "").split()
    unknown = dict(unknown_variables(environ))
    for variable, problem in unknown.items():
        if variable not in warned:
            logger().warning("%s %s", variable, problem)
    return {WARNED_VARIABLE: " ".join(unknown)} if unknown else {}
