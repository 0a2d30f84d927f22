"""Fat binaries that NVIDIA's own tool packs, in every way that it has."""

from __future__ import annotations

import contextlib
import subprocess

import pytest

from cuda_shim.adapters.fat_binary import entries_of
from cuda_shim.adapters.zstandard import unpacked
from tests.ptx.assembler import ptxas
from tests.ptx.forms import judged_forms
from tests.ptx.random_flow import module
from tests.ptx.texts import SAXPY


@pytest.fixture(scope="module")
def packer(shared_folder):
    return ptxas(shared_folder).with_name("fatbinary")


@pytest.mark.parametrize("mode", ["default", "size", "speed", "balance", "none"])
def test_the_text_comes_out(packer, mode, tmp_path):
    for text in (SAXPY, module(range(3), judged_forms())):
        file, packed = tmp_path / "text.ptx", tmp_path / "packed.fatbin"
        file.write_text(text, encoding="utf-8")
        words = [
            packer,
            "--64",
            f"--create={packed}",
            f"--compress-mode={mode}",
            f"--image3=kind=ptx,sm=80,file={file}",
        ]
        subprocess.run(list(map(str, words)), check=True)
        (entry,) = entries_of(packed.read_bytes())
        assert (entry.kind, entry.architecture) == ("ptx", 80)
        # The tool leaves comments out, and blanks where one does.
        bare = [line for line in text.splitlines() if not line.startswith("//")]
        assert entry.data.rstrip(b"\0").decode().split() == " ".join(bare).split()
        damaged = bytearray(packed.read_bytes())
        for place in range(90, len(damaged), len(damaged) // 40):
            damaged[place] ^= 16
            with contextlib.suppress(ValueError):  # a text that is another, or an error: nothing else
                assert all(isinstance(entry.data, bytes) for entry in entries_of(bytes(damaged)))


def frame(contents: bytes) -> bytes:
    """One raw block, in a frame with a window of 1 KiB and no checksum."""
    return b"\x28\xb5\x2f\xfd\0\0" + (len(contents) << 3 | 1).to_bytes(3, "little") + contents


def test_frames_follow_each_other():
    skipped = b"\x5a\x2a\x4d\x18\3\0\0\0abc"
    assert unpacked(frame(b"one") + skipped + frame(b"two") + bytes(8), 6) == b"onetwo"
    with pytest.raises(ValueError, match="too large"):
        unpacked(frame(b"one") + frame(b"two"), 5)
    with pytest.raises(ValueError, match="damaged"):
        unpacked(frame(b"one")[:6] + b"\x07\0\0", 100)


def test_what_is_no_frame():
    with pytest.raises(ValueError, match="not a Zstandard frame"):
        unpacked(b"PTX", 100)
    with pytest.raises(ValueError, match="ends early"):
        unpacked(b"\x28\xb5\x2f\xfd", 100)
