"""``python -m cuda_shim completion``: what a shell offers behind `cuda-shim`."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from cuda_shim import settings
from cuda_shim.cli.verbs import VERBS
from tests.interpreters import PACKAGE_ROOT, start

SHELLS = ("bash", "zsh", "fish")


def script(*words: str) -> subprocess.CompletedProcess[str]:
    return start("-m", "cuda_shim", "completion", *words, PYTHONPATH=str(PACKAGE_ROOT))


def offered(*words: str) -> list[str]:
    """What bash offers for the last of the words."""
    command = f"""{script("bash").stdout}
COMP_WORDS=({" ".join(f"'{word}'" for word in words)}) COMP_CWORD={len(words) - 1}
_cuda_shim && printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(["bash", "-c", command], capture_output=True, encoding="utf-8", check=True)
    return done.stdout.split()


def test_bash_offers_verbs_options_and_values() -> None:
    assert offered("cuda-shim", "") == list(VERBS)
    assert offered("cuda-shim", "do") == ["doctor"]
    assert offered("cuda-shim", "run", "--cpu-che") == [
        "--cpu-check", "--cpu-check-kernel", "--cpu-check-json", "--cpu-check-leaks",
    ]  # fmt: skip
    assert offered("cuda-shim", "run", "--backend", "") == ["auto", "rocm", "cpu"]
    assert offered("cuda-shim", "run", "program") == []  # bash's own files are offered then
    assert offered("cuda-shim", "scan", "--b") == []


@pytest.mark.parametrize("shell", SHELLS)
def test_every_setting_and_verb_is_there(shell: str) -> None:
    done = script(shell)
    assert done.returncode == 0, done.stderr
    for item in settings.SETTINGS:
        if item.name != "mode":
            assert item.name.replace("_", "-") in done.stdout
    assert " ".join(VERBS) in done.stdout


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_reads_it(shell: str) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    subprocess.run([shell, "-n"], input=script(shell).stdout, encoding="utf-8", check=True)


@pytest.mark.parametrize("words", [(), ("powershell",), ("bash", "zsh")])
def test_other_words_are_refused(words: tuple[str, ...]) -> None:
    done = script(*words)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: python -m cuda_shim completion (bash | zsh | fish)")


def test_help() -> None:
    assert script("--help").stdout.startswith("usage: python -m cuda_shim completion")
