"""One setting: its name, its variable, and the values that it takes.

The rows are in ``setting_rows.py``, which tools/generate_settings.py writes. The C++ runtime reads the same kinds by
the same rules (common/setting_reader.cpp); a test compares both. Read at start-up, so it imports only modules that are
as light.
"""

from __future__ import annotations

from cuda_shim.errors import SettingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["BLANKS", "BOOLEAN", "FALSE", "KINDS", "TRUE", "Setting", "boolean", "is_target"]

#: The words of every boolean, in any case; the generated C++ header has them too.
TRUE = ("1", "on", "yes", "y", "true")
FALSE = ("0", "off", "no", "n", "false")
BOOLEAN = "1/on/yes/true or 0/off/no/false"
#: White space that may stand around a value.
BLANKS = " \t\n\r\f\v"
KINDS = ("boolean", "choice", "integer", "number", "file", "report", "target", "thread", "text")
_ALLOWED = {
    "boolean": BOOLEAN,
    "file": f"{BOOLEAN}, or the path of a file",
    "report": f"{BOOLEAN}, record, or the path of a file",
    "target": "a target of AMD's compiler, such as gfx942 or gfx90a:sramecc+:xnack-",
    "thread": "[kernel:]block:thread, such as 3:17 or saxpy:0,1:8,2",
}
_MAX_INDEX = "4294967295"


class Setting:
    """One setting.

    Attributes:
        name: the keyword of ``enable()`` and, with dashes, the flag of ``run``.
        variable: the environment variable.
        kind: one of `KINDS`.
        reader: the side that acts on it: ``"shim"``, ``"runtime"`` (the C++ runtime on host cores) or ``"both"``.
        description: one line.
        default: text used when neither an argument nor the variable gives one; ``""`` stands for "unset".
        choices: the allowed values when they are a closed list.
        aliases: other spellings that are accepted, with the choice that each stands for.
        limits: the lowest and the highest number, for the kinds ``"integer"`` and ``"number"``.
        unit: the unit of a ``"number"``.
        needs: the setting without which it would have no effect.
        allowed: the allowed values in words, for messages and for the README's table.
    """

    __slots__ = (
        "aliases", "allowed", "choices", "default", "description", "kind", "limits", "name", "needs", "reader", "unit",
        "variable",
    )  # fmt: skip

    def __init__(
        self, name: str, variable: str, kind: str, reader: str, description: str, default: str = "", *,
        choices: tuple[str, ...] = (), aliases: Mapping[str, str] | None = None,
        limits: tuple[str, str] = ("", ""), unit: str = "", needs: str = "", allowed: str = "",
    ) -> None:  # fmt: skip
        self.name = name
        self.variable = variable
        self.kind = kind
        self.reader = reader
        self.description = description
        self.default = default
        self.choices = choices
        self.aliases = dict(aliases or {})
        self.limits = limits
        self.unit = unit
        self.needs = needs
        self.allowed = allowed or _ALLOWED.get(kind) or self._allowed_numbers() or self._allowed_choices()
        if "1" in choices and "0" in choices:
            self.aliases.update(dict.fromkeys(TRUE, "1") | dict.fromkeys(FALSE, "0"))

    def _allowed_numbers(self) -> str:
        lowest, highest = self.limits
        if not lowest:
            return ""
        numbers = f"from {lowest} to {highest}"
        return f"{self.unit} {numbers}, such as 10 or 0.5" if self.unit else f"an integer {numbers}"

    def _allowed_choices(self) -> str:
        if "1" in self.choices and "0" in self.choices:
            return ", or ".join([BOOLEAN, *(choice for choice in self.choices if choice not in ("1", "0"))])
        also = f" (or {', '.join(self.aliases)})" if self.aliases else ""
        return ", ".join(self.choices) + also

    def check(self, value: object, source: str) -> str:
        """Return ``value`` in its one canonical spelling, or raise SettingError naming ``source``."""
        canonical = self._canonical(str(value).strip(BLANKS))
        if canonical:
            return canonical
        raise SettingError(f"{source}={value!s} is not allowed; use {self.allowed}")

    def _canonical(self, text: str) -> str:
        """Return a text's canonical spelling, "" where it is not allowed."""
        lowered = text.lower() if text.isascii() else text
        if self.kind in ("boolean", "file", "report"):
            is_on = boolean(text)
            if is_on is not None:
                return "1" if is_on else "0"
            if self.kind == "boolean":
                return ""
            return lowered if self.kind == "report" and lowered == "record" else text
        if self.kind == "choice":
            choice = self.aliases.get(lowered, lowered)
            return choice if choice in self.choices else ""
        if self.kind == "integer":
            number = _integer(text)
            return number if number in self.choices or _is_between(number, *self.limits) else ""
        if self.kind == "number":
            return text if _is_decimal(text) and _is_between(text, *self.limits) else ""
        if self.kind == "target":
            return text if is_target(text) else ""
        if self.kind == "thread":
            return text if _is_thread(text) else ""
        return text


def _integer(text: str) -> str:
    """Return a whole number without leading zeros, "" where the text is none."""
    return (text.lstrip("0") or "0") if text.isascii() and text.isdigit() else ""


def _is_decimal(text: str) -> bool:
    whole, _, part = text.partition(".")
    digits = whole + part
    return digits.isascii() and digits.isdigit()


def _is_between(number: str, lowest: str, highest: str) -> bool:
    return bool(number and lowest) and float(lowest) <= float(number) <= float(highest)


def _is_thread(text: str) -> bool:
    block, colon, thread = text.rpartition(":")
    return bool(colon) and all(map(_is_index, (block.rpartition(":")[2], thread)))


def _is_index(text: str) -> bool:
    """Return whether a text is up to three numbers of 32 bits with commas between them."""
    numbers = text.split(",")
    return len(numbers) <= 3 and all(_is_between(_integer(number), "0", _MAX_INDEX) for number in numbers)


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
    """Return the boolean that a word stands for, in any case, or None when it is no such word."""
    lowered = word.lower()
    return True if lowered in TRUE else False if lowered in FALSE else None
