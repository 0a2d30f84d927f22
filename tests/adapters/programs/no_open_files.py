"""Calls of every function in a process that can open no more files, before and after their first call."""

import contextlib
import inspect
import os
import resource

from cuda.bindings import driver, nvrtc, runtime

# These call the address that they are given, or end the context.
LEFT_OUT = ("LaunchHostFunc", "DeviceReset", "PrimaryCtxReset")
MODULES = (driver, runtime, nvrtc)


def fill():
    """Open files up to the limit."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, hard))
    files = []
    try:
        while True:
            files.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        return files


def close(files):
    for file in files:
        os.close(file)


assert driver.cuInit(0)[0] == 0
functions = []
for module in MODULES:
    for name in dir(module):
        function = getattr(module, name)
        if inspect.isfunction(function) and not any(part in name for part in LEFT_OUT):
            functions.append((function, len(inspect.signature(function).parameters)))

served, statuses = 0, set()
for _ in range(2):
    files = fill()
    for argument in (None, 0, 1):
        for function, count in functions:
            try:
                answer = function(*[argument] * count)
            except (TypeError, ValueError, OverflowError, AttributeError):
                continue
            served += 1
            if isinstance(answer, tuple):
                statuses.add(answer[0].name)
    close(files)
    for function, count in functions:
        with contextlib.suppress(TypeError, ValueError, OverflowError, AttributeError):
            function(*[None] * count)
print(served > 1000, sorted(name for name in statuses if "PERATING" in name.upper()))

program = nvrtc.nvrtcCreateProgram(b"int x = y;", b"x.cu", 0, None, None)[1]
files = fill()
first = nvrtc.nvrtcCompileProgram(program, 0, None)[0].name
close(files)
again = nvrtc.nvrtcCompileProgram(program, 0, None)[0].name
print(first, again)
