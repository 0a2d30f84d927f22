"""Write the tables of docs/what-works.md: the packages of tables/packages.yaml, and the modules of cuda.bindings.

Run it after a change to those; a test fails while the page differs.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

from settings_table.documents import fill  # noqa: E402 - it imports the checkout's own package

from cuda_shim.hook.not_served import NOT_SERVED, PASSED_THROUGH  # noqa: E402
from cuda_shim.mapping.layouts import C_MODULES, LAYOUTS, modules  # noqa: E402
from cuda_shim.mapping.text_tables import load_text  # noqa: E402

PAGE = ROOT / "docs" / "what-works.md"
_WORDS = {"works": "works", "itself": "not through the shim", "refuse": "no"}


def package_table() -> str:
    """Every package with the releases that were tried, and its state on host cores and on AMD GPUs."""
    table = load_text("packages")
    lines = ["| package | tried | on host cores | on AMD GPUs (judged) |", "| --- | --- | --- | --- |"]
    for name, row in table["modules"].items():
        trial = table["tried"].get(name)
        outcome, text = row["rocm"]
        amd = f"{_WORDS[outcome]}: {text}"
        lines.append(f"| `{name}` | {_installed(trial)} | {_on_host_cores(row['cpu'], trial)} | {amd} |")
    return "\n".join(lines)


def _installed(trial: dict[str, str] | None) -> str:
    if trial is None:
        return "not tried"
    return "<br>".join(word for key in ("alone", "install") for word in trial.get(key, "").split() if "==" in word)


def _on_host_cores(row: tuple[str, str], trial: dict[str, str] | None) -> str:
    outcome, text = row
    if trial is None:
        return f"{_WORDS[outcome]}: {text}"
    stop = f"; it ends with `{trial['obstacle']}`" if "obstacle" in trial else ""
    if "works" not in trial:
        return f"no: {text}{stop}"
    return f"{'partly' if stop else 'works'}: {trial['works']}; {text}{stop}"


def module_table() -> str:
    """The modules of NVIDIA's wheels, by the answer to their import."""
    served = {name for layout in LAYOUTS for name in (*modules(layout), *C_MODULES)}
    own = sorted(PASSED_THROUGH & served)
    lines = ["| modules | with NVIDIA's wheel | without |", "| --- | --- | --- |"]
    lines.append(f"| {_names(served - PASSED_THROUGH)} | served | served |")
    lines.append(f"| {_names(own)} | NVIDIA's own | served |")
    reasons: dict[tuple[str, str], list[str]] = {}
    for name, reason in NOT_SERVED.items():
        if name not in served and name.startswith("cuda.bindings."):
            answer = "NVIDIA's own" if name in PASSED_THROUGH else "not served"
            reasons.setdefault((answer, reason), []).append(name)
    for (answer, reason), names in sorted(reasons.items(), key=lambda item: (item[0][0], sorted(item[1]))):
        lines.append(f"| {_names(names)} | {answer} | not served: {reason} |")
    return "\n".join(lines)


def _names(names: set[str] | frozenset[str] | list[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


def filled(text: str) -> str:
    """The page with its tables as they should be."""
    return fill(text, {"packages": package_table(), "modules": module_table()})


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
