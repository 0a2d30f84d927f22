"""Runs the corpus as machine code of AMD GPUs in an instruction emulator and writes `recorded.json` beside this file.

By hand, from the checkout's root, on a machine without a GPU:

    pip install msgpack
    git clone https://github.com/tinygrad/tinygrad EMULATOR
    python -m tests.amd.emulated.record EMULATOR --header hiprtc_runtime.h --libraries FOLDER

`--header` is the built-in header of AMD's hiprtc (`rocm/amd_comgr/hiprtc_runtime.h` of the wheel rocm-llvm-python), the
folder of `--libraries` holds `ocml.bc` and `ockl.bc` (`triton/backends/amd/lib` of the wheel triton). Each case is
compared with its own numpy reference and with the results that an NVIDIA GPU recorded. `--only PATTERNS` runs some
cases again and keeps the others' records.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.amd.emulated import worker
from tests.amd.emulated.toolchain import TARGETS, Toolchain
from tests.kernels.corpus import cases

RECORDED = Path(__file__).resolve().parent / "recorded.json"
# The cases that must be recorded for all targets, by patterns of their names: those that waves, blocks and widths matter to.
SAMPLE = {
    "source": (
        "warp.*", "groups.[a-v]*", "reduction.*", "scan.*", "atomic.[befisw]*", "integer.*", "integer128.*", "rounding.*",
        "narrow_forms.*", "narrow.[bh]*", "control.*",
    ),
    "ptx": ("warp.*", "reduction.*", "scan.*", "integer.*", "control.[a-p]*"),
}  # fmt: skip
_BATCH, _SECONDS = 8, 300


def run(
    arguments: argparse.Namespace, architecture: str, kind: str, names: Sequence[str]
) -> Iterator[dict[str, dict[str, str]]]:
    """Yield the outcomes of cases on one GPU; a case in which the process ends, or does not, is an outcome as well."""
    waiting = list(names)
    places = [str(path) for path in (arguments.emulator, arguments.header, arguments.libraries)]
    command = [sys.executable, "-m", "tests.amd.emulated.worker", architecture, *places, kind]
    while waiting:
        some = waiting[:_BATCH]
        child = subprocess.Popen([*command, *some], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        try:
            output, errors = child.communicate(timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            output, errors = child.communicate()
            errors = f"more than {_SECONDS} s\n{errors}"
        lines = [json.loads(line) for line in output.splitlines() if line.startswith('{"case"')]
        if not lines:
            raise RuntimeError(errors)
        found = {line.pop("case"): line for line in lines if "result" in line}
        for line in lines:
            name = line.get("case", "")
            if name and name not in found:
                reason = errors.strip().splitlines()[0] if errors.strip() else f"exit status {child.returncode}"
                found[name] = {"result": "crashed", "detail": reason}
        for name in [name for name in some if name in found]:
            print(f"{architecture} {kind} {name}: {found[name]['result']} {found[name]['detail'][:160]!r}", flush=True)
        waiting = [name for name in waiting if name not in found]
        yield found


def shortened(outcome: dict[str, str]) -> dict[str, str]:
    """An outcome as it is recorded: a right one needs no words, the rest a line or two."""
    lines = [line.strip() for line in outcome.get("detail", "").splitlines() if line.strip()]
    first = next((line for line in lines if "error:" in line), "") or " ".join(
        lines[:3] if outcome["result"] == "wrong" else lines[-1:]
    )
    short = {key: value for key, value in outcome.items() if key != "detail"}
    return {**short, "detail": first[:300]} if first else short


def versions(arguments: argparse.Namespace) -> dict[str, Any]:
    commit = arguments.commit
    if commit is None:
        words = ["git", "-C", str(arguments.emulator), "rev-parse", "HEAD"]
        commit = subprocess.run(words, capture_output=True, encoding="utf-8", check=True).stdout.strip()
    return {"emulator": f"tinygrad {commit}", **Toolchain(arguments.header, arguments.libraries).versions()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("emulator", type=Path, help="a checkout of tinygrad's repository")
    parser.add_argument("--header", type=Path, required=True)
    parser.add_argument("--libraries", type=Path, required=True)
    parser.add_argument("--commit", help="the emulator's commit, where its folder is no git checkout")
    parser.add_argument("--only", nargs="+", help="patterns of the cases that are run; those of the sample without it")
    parser.add_argument("--target", choices=list(TARGETS), action="append", help="all without it")
    parser.add_argument("--kind", choices=("source", "ptx"), action="append", help="both without it")
    parser.add_argument("--output", type=Path, default=RECORDED)
    arguments = parser.parse_args()
    record: dict[str, Any] = (
        json.loads(arguments.output.read_text(encoding="utf-8")) if arguments.output.exists() else {}
    )
    record["versions"] = versions(arguments)
    for kind in arguments.kind or ("source", "ptx"):
        known = cases() if kind == "source" else worker.ptx_kernels()
        names = [name for pattern in arguments.only or SAMPLE[kind] for name in fnmatch.filter(sorted(known), pattern)]
        for architecture in arguments.target or TARGETS:
            outcomes = record.setdefault(kind, {}).setdefault(architecture, {})
            for some in run(arguments, architecture, kind, names):
                outcomes.update({name: shortened(outcome) for name, outcome in some.items()})
                record[kind][architecture] = {name: outcomes[name] for name in sorted(outcomes) if name in known}
                arguments.output.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
