"""Golden files of the PTX translator: the smallest program that shows a transformation, and the whole C++ text for it.

golden/<name>.ptx begins with a comment that explains the lines of golden/<name>.cpp that matter. After a change of the emitted
text, write the .cpp files again and review their differences before they are committed:

    python -m tests.ptx.golden_files
"""

from __future__ import annotations

from pathlib import Path

from cuda_shim.translate.ptx.writer import translate

__all__ = ["FOLDER", "emitted", "names"]

FOLDER = Path(__file__).resolve().parent / "golden"


def names() -> list[str]:
    """Return the names of all programs."""
    return sorted(path.stem for path in FOLDER.glob("*.ptx"))


def emitted(name: str) -> str:
    """Return the C++ that a program is translated to."""
    return translate((FOLDER / f"{name}.ptx").read_text(encoding="utf-8")).source


def main() -> None:
    """Write the C++ of every program."""
    for name in names():
        (FOLDER / f"{name}.cpp").write_text(emitted(name), encoding="utf-8")


if __name__ == "__main__":
    main()
