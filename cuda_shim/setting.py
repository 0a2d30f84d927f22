"""What one setting is: its name, its variable, and which values it takes.

Read at start-up, so it imports nothing but what is as light.
"""

from __future__ import annotations

from cuda_shim.errors import SettingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["BOOLEAN", "FALSE", "TRUE", "Setting", "boolean", "is_target"]

#: The words of every boolean, in any case; the C++ runtime reads the same ones (common/settings.cpp).
TRUE = ("1", "on", "yes", "y", "true")
FALSE = ("0", "off", "no", "n", "false")
BOOLEAN = "1/on/yes/true or 0/off/no/false"
_ALLOWED = {
    "boolean": BOOLEAN,
    "count": "a positive integer",
    "file": f"{BOOLEAN}, or the path of a file",
    "target": "a target of AMD's compiler, such as gfx942 or gfx90a:sramecc+:xnack-",
    "seconds": "seconds, such as 10 or 0.5",
    "status": "a number from 0 to 255",
}


class Setting:
    """One setting.

    Attributes:
        name: the keyword of ``enable()`` and, with dashes, the flag of ``run``.
        variable: the environment variable.
        default: text used when neither an argument nor the variable gives one; ``""`` stands for "unset".
        allowed: the allowed values in words, for messages and for the README's table.
        description: one line.
        choices: the allowed values when they are a closed list.
        aliases: other spellings that are accepted, with the choice that each stands for.
        kind: ``"choice"``, ``"boolean"``, ``"count"`` (a positive integer), ``"seconds"``, ``"status"`` (of a process),
            ``"target"`` (an AMD GPU's architecture), ``"text"``, ``"file"``: a boolean or the path of a file, or
            ``"report"``: one of those, or the word record.
        needs: the boolean setting without which it would have no effect.
    """

    __slots__ = ("aliases", "allowed", "choices", "default", "description", "kind", "name", "needs", "variable")

    def __init__(
        self, name: str, variable: str, kind: str, default: str, description: str,
        choices: tuple[str, ...] = (), allowed: str = "", aliases: Mapping[str, str] | None = None, needs: str = "",
    ) -> None:  # fmt: skip
        self.name = name
        self.variable = variable
        self.kind = kind
        self.default = default
        self.description = description
        self.choices = choices
        self.aliases = aliases or {}
        self.needs = needs
        self.allowed = allowed or _ALLOWED.get(kind) or ", ".join(choices)

    def check(self, value: object, source: str) -> str:
        """Return ``value`` in its one canonical spelling, or raise SettingError naming ``source``."""
        text_value = str(value).strip()
        lowered = text_value.lower()
        switched = boolean(lowered)
        if self.kind in ("boolean", "file", "report") and switched is not None:
            return "1" if switched else "0"
        if self.kind == "report" and lowered == "record":
            return lowered
        if self.kind == "boolean":
            pass
        elif self.kind == "choice":
            chosen = self.aliases.get(lowered, lowered)
            if chosen in self.choices:
                return chosen
        elif self.kind == "count":
            if (number := _whole(text_value)) is not None and number > 0:
                return str(number)
        elif self.kind == "status":
            if (number := _whole(text_value)) is not None and number < 256:
                return str(number)
        elif self.kind == "seconds":
            if _is_seconds(text_value):
                return text_value
        elif self.kind == "target":
            if is_target(text_value):
                return text_value
        elif text_value:
            return text_value
        raise SettingError(f"{source}={value!s} is not allowed; use {self.allowed}")


def _whole(text: str) -> int | None:
    """Return a whole number of at most nine digits; Python itself refuses to read some thousands of them."""
    digits = text.lstrip("0") or text[-1:]
    return int(digits) if text.isascii() and text.isdigit() and len(digits) < 10 else None


def _is_seconds(text: str) -> bool:
    whole, _, part = text.partition(".")
    digits = whole + part
    return digits.isascii() and digits.isdigit() and float(text) > 0


def is_target(text: str) -> bool:
    """Return whether a text has the form of an AMD GPU's target: gfx942, gfx90a:sramecc+:xnack-, gfx11-generic."""
    processor, *features = text.split(":")
    number = processor[3:].replace("-", "")
    return (
        processor.startswith("gfx")
        and number.isascii()
        and number.isalnum()
        and number[0].isdigit()
        and all(feature[:-1] in ("sramecc", "xnack") and feature[-1] in "+-" for feature in features)
    )


def boolean(word: str) -> bool | None:
    """Return what a word says as a boolean, in any case, or None when it is no such word."""
    lowered = word.lower()
    return True if lowered in TRUE else False if lowered in FALSE else None
