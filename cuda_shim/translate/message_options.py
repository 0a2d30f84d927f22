"""What a program's options say of the compiler's messages: which are left out, which are errors."""

from __future__ import annotations

from cuda_shim.translate.nvrtc_log import Diagnostics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.translate.options import Translation

__all__ = ["diagnostics_of"]

# The numbers of the warnings in a group that `-Werror` names.
_NUMBERS = {"reorder": 997, "deprecated-declarations": 1215, "conversion": 69}
_ALL = "all-warnings"


def diagnostics_of(translation: Translation, lenient: bool) -> Diagnostics:
    """Return what the translated options ask for. `lenient`: what only NVRTC refuses is a warning."""
    said: dict[str, set[str]] = {"errors": set(), "suppressed": set(), "shown": set(), "unnumbered": set()}
    for kind, value in translation.messages:  # the last option that names a message counts
        words = set((value or "").split(","))
        said = {name: others | words if name == kind else others - words for name, others in said.items()}
    return Diagnostics(
        suppressed=frozenset(int(number) for number in said["suppressed"]),
        errors=frozenset(_NUMBERS.get(word) or int(word) for word in said["errors"] - {_ALL}),
        all_errors=_ALL in said["errors"],
        numbers=not said["unnumbered"],
        standard=translation.standard,
        lenient=lenient,
    )
