"""Texts and files of strangers: each reader returns or refuses with its own error, in time that grows with the size.

    python -m tests.fuzz.texts --runs 100000

Two kinds of input: pieces of a language in a row, many times over, which finds superlinear time; and texts that are
right, with bytes changed, left out and doubled.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import random
import signal
import sys
import time
import types
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from cuda_shim.adapters import fat_binary, ptx_image, zstandard
from cuda_shim.errors import TableError
from cuda_shim.mapping.layouts import LAYOUTS
from cuda_shim.mapping.text_tables import TEXT_TABLES
from cuda_shim.scan import cython_code, device_code, sources
from cuda_shim.scan.support import Support
from cuda_shim.translate.constructs import concerns_the_cpu, names_files
from cuda_shim.translate.include_graph import directives_in
from cuda_shim.translate.options import to_hiprtc
from cuda_shim.translate.ptx import signatures
from cuda_shim.translate.ptx.errors import PtxError
from cuda_shim.translate.ptx.writer import translate
from cuda_shim.translate.source import to_hip, translate_header
from tests.fuzz import own_files
from tests.program_files import read_program
from tests.ptx.malformed import RICH

__all__ = ["TARGETS", "Finding", "Target", "changed", "repeated", "run"]

#: Characters of a repeated text, and the seconds of processor time that a reader may take for it.
SIZE, SECONDS = 16_000, 4.0

CUDA = read_program(__file__, "texts_cuda.cu")
CYTHON = '''from cuda.bindings cimport cydriver as driver, cyruntime
cimport cuda.bindings.cynvrtc
cdef extern from "cuda.h": pass
include "other.pxi"
source = """__global__ void k() { asm("mov.u32 %0, 1;"); }"""  # a comment
x = driver.cuInit(0) if cyruntime . cudaMalloc else r'\\'
'''
NOTEBOOK = '{"cells": [{"cell_type": "code", "source": ["%time x = 1\\n", "!ls\\n", "y = x?\\n", "a = 1  # cuda\\n"]}]}'
OPTIONS = (
    "-arch=sm_80 --std=c++17 -I/a -D N=1 -lineinfo --pre-include=x.h -maxrregcount=32 -default-device --fmad=false"
)
INLINE = '__device__ void f() { int r; asm("%s" : "=r"(r) : "r"(1)); }'
ASM = "{ .reg .b32 %r<4>; .reg .pred p; add.cc.u32 %r1, %1, 5; addc.u32 %0, %r1, 0; @p ld.global.u32 %0, [%rd1+4]; }"


class Target(NamedTuple):
    """A reader of texts that are not ours: its function, examples that are right, and the errors that it may raise."""

    read: Callable[[bytes], object]
    examples: Sequence[bytes]
    pieces: Sequence[str]
    refusals: tuple[type[Exception], ...] = ()


class Finding(NamedTuple):
    """A problem, and the input that shows it."""

    target: str
    problem: str
    text: bytes

    def __str__(self) -> str:
        return f"{self.target}: {self.problem}: {self.text[:200]!r} … {self.text[-100:]!r} ({len(self.text)} bytes)"


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _cuda(content: bytes) -> None:
    source = content.partition(b"\0")[0]
    concerns_the_cpu(source), names_files(source), directives_in(source)
    to_hip(source, b"k.cu", [], architecture=None)
    to_hip(source, b"k.cu", [(b"h.h", source)], architecture="gfx90a")
    translate_header(source, b"/h.h", {})
    signatures.functions_of(source)


def _inline(content: bytes) -> None:
    quoted = _text(content.partition(b"\0")[0]).replace("\\", "").replace('"', "").replace("\n", "\\n")
    to_hip((INLINE % quoted).encode("utf-8", "surrogateescape"), b"k.cu", [], architecture=None)


def _ptx(content: bytes) -> None:
    ptx_image.unwrap(content)
    signatures.declared_in(content)
    translate(content.decode("utf-8", "replace"))


def _options(content: bytes) -> None:
    content = content.replace(b"\0", b"")
    for cuda in LAYOUTS:
        to_hiprtc(content.split(b" "), architecture=None, cuda=cuda)
        to_hiprtc([content], architecture="gfx90a", cuda=cuda)


def _scanned(content: bytes) -> None:
    list(device_code.find(content))


_SUPPORT = Support(LAYOUTS[-1])
_BLANKS = (" ", "\t", "\n", "\r\n", "\f", "\v", "\0", "\xff", "é")
_MARKS = (
    *"()[]{}<>,;:.-+~!?@%$#&*/=_'\"\\",
    "::",
    "..",
    "/*",
    "*/",
    "//",
    "/**/",
    "/* */\n",
    "//\n",
    '\\"',
    "\\\n",
    "\\ ",
)
_NUMBERS = ("0", "9", "1.", "1e", "0x", "0f3F800000 ", "1<<", "1*", "-1 ", "1,")
_OF_C = (
    "a", "a ", "a(", "asm ", "asm(", 'asm("', 'asm("":"r"(', "asm volatile ", "#", "#include ", '#include "', "#include /*",
    "#define a ", "__has_include(", 'R"(', "typedef ", "using ", "operator+=(", "__global__ ", "__device__ f(", "a<<<", ">>>",
    "<<<;", "extern ", "template<", "f(){", ");", "__shfl_sync ",
)  # fmt: skip
_OF_PTX = (
    "a", ".", ".reg ", ".reg .b32 %r<9>;", "{.reg .b32 %a;", ".visible ", ".visible .func f(", ".entry k(", ".param .u32 a,",
    "@%p ", "@!p bra ", "L: ", "ret;", "bra L;", "add.s32 %a,%b,1;", "ld.global.u32 %a,[%b+", ".loc 1 1 1\n", ".pragma ",
    "mov.u32 %a, 1;", "call f,(", ".section x {", "{%a,", ".v4", "addc.u32 ", ".maxntid 1,",
)  # fmt: skip
_OF_PYTHON = (
    '"""',
    "'''",
    "r'",
    "import ",
    "cimport ",
    "from a ",
    "import (",
    "cuda.",
    "a . ",
    "as ",
    "#",
    "%",
    "?",
    "include '",
)

TARGETS = {
    "CUDA C++": Target(_cuda, [CUDA.encode()], _BLANKS + _MARKS + _NUMBERS + _OF_C),
    "CUDA C++, scanned": Target(_scanned, [CUDA.encode()], _BLANKS + _MARKS + _NUMBERS + _OF_C),
    "inline PTX": Target(_inline, [ASM.encode()], _BLANKS + _MARKS + _NUMBERS + _OF_PTX),
    "PTX": Target(_ptx, [RICH.encode()], _BLANKS + _MARKS + _NUMBERS + _OF_PTX, (PtxError,)),
    "options": Target(_options, [OPTIONS.encode()], _BLANKS + _MARKS + _NUMBERS + ("-", "-I", "-D ", "--arch=sm_", "=")),
    "Cython": Target(
        lambda content: cython_code.find(content, _SUPPORT), [CYTHON.encode()], _BLANKS + _MARKS + _OF_PYTHON + _OF_C
    ),
    "notebooks": Target(sources.notebook_code, [NOTEBOOK.encode()], _BLANKS + _MARKS + ("{", '{"a":', "[1,"), (SyntaxError,)),
    "fat binaries": Target(
        lambda content: [entry.data for entry in fat_binary.entries_of(content)], [b"\x50\xed\x55\xba\x01\x00\x10\x00" + bytes(range(256)) * 2], ("\0", "\1", "P", "U"), (ValueError,)
    ),
    "Zstandard": Target(
        lambda content: zstandard.unpacked(content, 1 << 20),
        [bytes.fromhex("28b52ffd0458110000686868686868"), bytes.fromhex("28b52ffd200561000068656c6c6f")], ("\0", "\1", "h"), (ValueError,),
    ),
    "settings": Target(own_files.read_settings, [b"1", b"gfx90a:sramecc+:xnack-", b"/a/b-%p.json"], own_files.PIECES_OF_SETTINGS),
    "tables": Target(
        own_files.read_module_table, [(own_files.TABLES / name).read_bytes() for name in own_files.MODULE_TABLES],
        own_files.PIECES_OF_YAML, (TableError,),
    ),
    **{
        f"table of {name}": Target(
            own_files.text_table(name), [(own_files.TABLES / f"{name}.yaml").read_bytes()[:20_000].rpartition(b"\n\n")[0]],
            own_files.PIECES_OF_YAML, (TableError,),
        )
        for name in TEXT_TABLES
    },
}  # fmt: skip


def repeated(target: Target, size: int = SIZE) -> Iterator[bytes]:
    """Yield texts in which one piece stands many times, in the middle of a text that is right, and alone."""
    for example, piece in itertools.product(target.examples, target.pieces):
        many = (piece * (size // len(piece) + 1)).encode("latin-1" if piece == "\xff" else "utf-8")
        half = example.rfind(b";", 0, len(example) // 2 + 1) + 1 or len(example) // 2
        yield many
        yield example[:half] + many + b"\x01"
        yield example[:half] + many + example[half:]
        yield example + many


def changed(target: Target, seed: int, count: int) -> Iterator[bytes]:
    """Yield texts that were right, with one to four changes."""
    chance = random.Random(seed)  # noqa: S311
    for _ in range(count):
        text = bytearray(chance.choice(target.examples))
        for _ in range(chance.randint(1, 4)):
            begin = chance.randrange(len(text) + 1)
            end = min(len(text), begin + chance.choice((0, 1, 1, 2, 8, 40)))
            piece = chance.choice(target.pieces).encode("utf-8") if chance.random() < 0.7 else chance.randbytes(2)
            replacement = chance.choice((b"", piece, piece * chance.choice((2, 40)), bytes(text[begin:end]) * 2))
            text[begin:end] = replacement
        yield bytes(text)


class _TookTooLongError(Exception):
    """The processor time is over."""


@contextlib.contextmanager
def _within(seconds: float) -> Iterator[None]:
    def stop(_signal: int, _frame: types.FrameType | None) -> None:
        raise _TookTooLongError(f"takes more than {seconds} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def run(name: str, text: bytes, seconds: float = SECONDS) -> Finding | None:
    """Read a text; return the problem: another error than the reader's own, or more than `seconds` of time."""
    target = TARGETS[name]
    try:
        with _within(seconds):
            target.read(text)
    except target.refusals:
        return None
    except Exception as error:  # noqa: BLE001 - any other error is a finding
        return Finding(name, f"{type(error).__name__}: {error}"[:300], text)
    return None


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.texts", description=__doc__)
    parser.add_argument("--target", choices=TARGETS, action="append", help="one reader; else all")
    parser.add_argument("--runs", type=int, default=10_000, help="changed texts for each reader")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=int, default=SIZE, help="characters of repeated texts")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="processor time for one text")
    given = parser.parse_args()
    findings = 0
    for name in given.target or TARGETS:
        begin, count = time.process_time(), 0
        for text in itertools.chain(
            repeated(TARGETS[name], given.size), changed(TARGETS[name], given.seed, given.runs)
        ):
            count += 1
            finding = run(name, text, given.seconds)
            if finding is not None:
                findings += 1
                print(finding, flush=True)
        print(f"{name}: {count} texts in {time.process_time() - begin:.0f} s", flush=True)
    return int(findings > 0)


if __name__ == "__main__":
    sys.exit(main())
