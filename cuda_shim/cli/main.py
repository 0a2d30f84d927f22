"""Choose the verb.

Parsed by hand: ``run`` is on the way of every program's start, and argparse would cost it 6 ms.
"""

from __future__ import annotations

import importlib
import os
import sys

from cuda_shim.cli.verbs import VERBS
from cuda_shim.errors import ShimError

__all__ = ["main"]

USAGE = """\
usage: python -m cuda_shim [python flags before -m] VERB [options]

  run [options] (SCRIPT | -m MODULE | -c CODE | - | nothing) [args]
            run a Python program with cuda.* served on HIP
  doctor    report what was found on this machine and what is missing
  scan      report which CUDA names programs use, and which will not work
  explain   say what becomes of one CUDA name, and how it differs
  report    print, add up, or show as a page, the files that `run --report=FILE` and the like wrote
  verify    run recorded programs and kernels here, and compare with what NVIDIA's GPU answered
  cache     show what the cache holds, or clear it
  libraries print where programs in C find libcuda.so.1 and cuda.h
  tables    check the mapping tables against installed packages
  completion print a script that has a shell complete these words
  version   print the version

  --help, --version; "VERB --help" for the options of one verb
"""


def main(arguments: list[str] | None = None) -> int:
    """Run one verb and return the exit status: 0 well, 1 something was found, 2 it could not be done."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        status = _dispatch(words)
        if sys.stdout is not None:
            sys.stdout.flush()
    except ShimError as error:
        print(f"cuda_shim: {words[0]}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, such as head, has seen enough; let the exit flush find no pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


def _dispatch(words: list[str]) -> int:
    if not words:
        print(USAGE, end="", file=sys.stderr)
        return 2
    verb, rest = words[0], words[1:]
    if verb in ("-h", "--help", "help"):
        print(USAGE, end="")
        return 0
    if verb in ("-V", "--version", "version"):
        verb = "version"
    if verb in VERBS:
        module = importlib.import_module(f"cuda_shim.cli.{verb}")
        return int(getattr(module, verb)(rest))
    return _unknown(verb)


def _unknown(verb: str) -> int:
    from cuda_shim.unknown_settings import nearest

    hint = nearest(verb, VERBS, "")
    print(f"cuda_shim: no verb {verb!r}; {hint or 'the verbs are ' + ', '.join(VERBS)}", file=sys.stderr)
    if not hint:
        print(f"cuda_shim: to run a program: python -m cuda_shim run {verb}", file=sys.stderr)
    return 2
