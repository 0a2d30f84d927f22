"""``python -m cuda_shim run``: start Python again, as itself, with the shim active.

The program is not run inside this process: it gets a fresh interpreter, so that ``sys.argv``,
``sys.path[0]``, ``__main__``, exit codes, tracebacks, pickling, signals and the process id are those of
plain ``python``. The environment variable ``CUDA_SHIM`` makes the shim active there; it is read by the start-up file,
or, where that file is not installed, by a ``sitecustomize`` of ours that chains to the real one.
"""

from __future__ import annotations

import os
import sys

from cuda_shim import cuda_home, settings, unknown_settings
from cuda_shim.cli.interpreter import startup_file, startup_folder
from cuda_shim.errors import SettingError
from cuda_shim.startup import RUN_VARIABLE

__all__ = ["Invocation", "interpreter_flags", "parse", "program_environment", "read_option", "run"]

USAGE = """\
usage: python [python flags] -m cuda_shim run [options] (SCRIPT | -m MODULE | -c CODE | - | nothing) [args]

Run a Python program with cuda.* served on HIP.  Everything from SCRIPT, -m, -c or - on is given to python
untouched; with nothing, python's prompt starts.

  --backend NAME   auto (default), rocm or cpu
  --cuda VERSION   CUDA Python layout to serve: 11.8, 12.9 or 13.5
  --strict         raise UnsupportedAPI for what HIP cannot serve
  --log LEVEL      what is logged on stderr: warn (default; why something could not be served), debug or off
  --quiet          do not say which backend was chosen; what is being built is still reported
  --report[=FILE]  when the program ends, print what it and its children called, or write that as JSON
  --profile[=FILE] likewise, what took the time: kernels, copies and calls, by lines of the program
  --trace=FILE     write a timeline of all that, which Perfetto (ui.perfetto.dev) shows
                   (a FILE named .html becomes a page for browsers: the timeline and all tables)
  --cpu-check      find what kernels do wrong; with --error-exitcode=N the program ends with N then
  --require        fail at the first import of cuda if it cannot be served

Every other setting is an option as well: CUDA_SHIM_CPU_DEVICES is --cpu-devices N.  What is switched on or off
takes a value or none: --cpu-check is --cpu-check=1, and 1/0, on/off, yes/no, true/false are all understood.

Where the machine is not set up (no compiler, no ROCm, a cache that cannot be written) the program ends with one line
on stderr and exit status 2.
"""

# Long options that belong to python itself; others that are not ours are typing errors.
_PYTHONS = ("--check-hash-based-pycs", "--help-all", "--help-env", "--help-xoptions", "--version")

_OPTIONS = {item.name.replace("_", "-"): item for item in settings.SETTINGS if item.name != "mode"}


class Invocation:
    """The arguments of ``run``: settings for the program's environment, and the words given to python."""

    __slots__ = ("environment", "target")

    def __init__(self, environment: dict[str, str], target: list[str]) -> None:
        self.environment = environment
        self.target = target


def run(arguments: list[str]) -> int:  # noqa: RET503  execve does not return
    """Replace this process by the program. Raises SettingError when the request is wrong."""
    if arguments and arguments[0] in ("-h", "--help"):
        print(USAGE, end="")
        return 0
    invocation = parse(arguments)
    environment = program_environment(invocation.environment)
    if not sys.executable:
        raise SettingError("this Python does not know its own path, so it cannot start again")
    command = [sys.executable, *interpreter_flags(sys.orig_argv), *invocation.target]
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os.execve(command[0], command, environment)


def parse(arguments: list[str]) -> Invocation:
    """Split the words after ``run`` into our options and python's.

    Our options end at the first word that is not one of them, so nothing of the program's own command line
    is ever looked at.

    Raises:
        SettingError: an option is unknown, lacks its value, or the value is not allowed.
    """
    environment: dict[str, str] = {}
    position = 0
    while position < len(arguments):
        word = arguments[position]
        if word == "--":
            position += 1
            break
        if not word.startswith("--") or word.partition("=")[0] in _PYTHONS:
            break
        if word == "--require":
            environment[settings.setting("mode").variable] = "require"
            position += 1
            continue
        variable, value, position = read_option(arguments, position)
        environment[variable] = value
    return Invocation(environment, arguments[position:])


def read_option(arguments: list[str], position: int) -> tuple[str, str, int]:
    """Read the option of a setting at a position: its variable, its value, and the position behind it.

    Raises SettingError: the option is unknown, lacks its value, or the value is not allowed.
    """
    word = arguments[position]
    name, equals, value = word[2:].partition("=")
    item = _OPTIONS.get(name)
    if item is None:
        raise _unknown_option(word)
    if not equals and item.kind in ("boolean", "file", "report"):
        # A word for yes or no behind it is its value: no script is called 1.
        following = arguments[position + 1] if position + 1 < len(arguments) else ""
        has_value = settings.boolean(following) is not None or (item.kind == "report" and following == "record")
        position += has_value
        value = following if has_value else "1"
    elif not equals:
        position += 1
        if position == len(arguments):
            raise SettingError(f"--{name} needs a value: {item.allowed}")
        value = arguments[position]
    return item.variable, _checked(item, value), position + 1


def _checked(item: settings.Setting, value: str) -> str:
    """Return a value as the program's environment is to have it."""
    value = item.check(value, f"--{item.name.replace('_', '-')}")
    if (item.kind not in ("file", "report") and item.name != "trace") or value in settings.NO_FILE:
        return value
    path = os.path.abspath(value)  # the program may change its folder before it ends
    folder = os.path.dirname(path)
    if os.path.isdir(path):
        problem = f"{path} is a folder: name a file in it"
    elif not os.path.isdir(folder):
        problem = f"the folder {folder} does not exist: create it first"
    else:
        return path
    raise SettingError(f"--{item.name.replace('_', '-')}={value}: {problem}")


def interpreter_flags(original: list[str]) -> list[str]:
    """Return the flags that python itself was given, from ``sys.orig_argv``.

    They end at ``-m cuda_shim`` (also inside a cluster such as ``-uBm``) or at the console script.
    ``subprocess._args_from_interpreter_flags`` would lose ``-u`` and unknown ``-X`` options.
    """
    flags: list[str] = []
    position = 1
    while position < len(original):
        word = original[position]
        if not word.startswith("-") or word == "-":
            break
        if word.startswith("--"):
            count = 1 if "=" in word or word != "--check-hash-based-pycs" else 2
            flags += original[position : position + count]
            position += count
            continue
        flag, takes_next, ended = _cluster(word)
        if flag != "-":
            flags.append(flag)
        if ended:
            break
        if takes_next:
            flags += original[position + 1 : position + 2]
            position += 1
        position += 1
    return flags


def _cluster(word: str) -> tuple[str, bool, bool]:
    """Read one word of single-letter flags: the part to keep, does its value follow, does it end the flags."""
    for index, letter in enumerate(word[1:], 1):
        if letter in "WX":
            return word, index == len(word) - 1, False
        if letter in "mc":
            return word[:index], False, True
    return word, False, False


def program_environment(chosen: dict[str, str]) -> dict[str, str]:
    """Return the program's environment, with the shim on and able to begin.

    Raises:
        SettingError: a variable has a value that is not allowed, or the interpreter's flags keep every way
            of activation out.
    """
    environment = {**os.environ, **cuda_home.missing_variables(os.environ), **chosen}
    mode = settings.setting("mode").variable
    environment[mode] = "require" if environment.get(mode, "").strip().lower() == "require" else "1"
    flags = [item.name for item in settings.SETTINGS if item.variable in chosen and item.name != "mode"]
    if flags:
        environment[settings.FLAGS_VARIABLE] = " ".join([*environment.get(settings.FLAGS_VARIABLE, "").split(), *flags])
    environment[RUN_VARIABLE] = "1"
    settings.read(environ=environment)  # refuses values that are not allowed
    if any(settings.setting(name).variable in chosen for name in ("report", "profile", "trace")):
        environment.pop("_CUDA_SHIM_REPORT", None)  # a report of its own, not a part of one around it
    if sys.flags.no_site:
        raise SettingError("python -S skips the start-up files that make the shim active; run without -S")
    if startup_file() is None:
        if sys.flags.ignore_environment:
            flag = "-I" if sys.flags.isolated else "-E"
            raise SettingError(
                f"python {flag} ignores PYTHONPATH and cuda_shim.pth is not installed, so the shim cannot "
                f"become active; install cuda-shim into {sys.prefix} or run without {flag}"
            )
        before = environment.get("PYTHONPATH")
        folder = startup_folder()
        environment["PYTHONPATH"] = folder + os.pathsep + before if before else folder
    return environment


def _unknown_option(word: str) -> SettingError:
    ours = [*(f"--{name}" for name in _OPTIONS), "--require"]
    hint = unknown_settings.nearest(word.partition("=")[0], ours, f"the options are {', '.join(ours)}")
    return SettingError(f"unknown option {word}; {hint}")
