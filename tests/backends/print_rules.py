"""Prints Python's answers to the questions of tests/hip_on_host/cpp/print_rules.cpp, in the same form."""

from __future__ import annotations

import codecs
import os
import subprocess
import sys

from cuda_shim import settings
from cuda_shim.backends import compilers
from cuda_shim.cache.folder import Cache, cache_of
from cuda_shim.errors import BackendNotFound


def kind(command: list[str]) -> str:
    """The kind of a compiler by its command and its answer to --version."""
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
    return compilers.kind_of(command, done.stdout + done.stderr)


def private(user: int, folders: list[str]) -> list[str]:
    """Take the identity of a user, and return whether the cache would be loaded from each folder."""
    codecs.lookup("ascii")  # the other user may not be allowed to read the interpreter's files
    if user != os.geteuid():
        os.setegid(user)
        os.seteuid(user)
    return ["yes" if trusted(folder) else "no" for folder in folders]


def trusted(folder: str) -> bool:
    try:
        return Cache(folder).trusts(folder)
    except BackendNotFound:
        return False


def main(question: str, words: list[str]) -> list[str]:
    if question == "words":
        return [word for text in words for word in compilers.split_command(text)]
    if question == "programs":
        return [compilers.which(name) for name in words]
    if question == "kind":
        return [kind(words)]
    if question == "cache":
        return [cache_of(settings.read()).root]
    assert question == "private"
    return private(int(words[0]), words[1:])


if __name__ == "__main__":
    sys.stdout.write("".join(f"{answer}\0" for answer in main(sys.argv[1], sys.argv[2:])))
