"""AMD's code objects are read without HIP, and bytes that are none are refused."""

import random

import pytest

from cuda_shim.adapters import code_object
from tests.adapters.amd_code import KERNELS, build


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    return build("gfx90a:sramecc+:xnack-", tmp_path_factory.mktemp("gfx90a"))


def test_kernels_and_target(image):
    assert code_object.read(image) == code_object.CodeObject("gfx90a:sramecc+:xnack-", KERNELS)


@pytest.mark.parametrize("target", ["gfx942", "gfx1100", "gfx1201"])
def test_each_family(target, tmp_path):
    assert code_object.read(build(target, tmp_path)) == code_object.CodeObject(target, KERNELS)


def test_hidden_arguments_are_no_parameters(tmp_path):
    source = """
    extern "C" __attribute__((global)) void k(int* out) {
        *out = __builtin_amdgcn_grid_size_x() + *(const int*)__builtin_amdgcn_implicitarg_ptr();
    }
    """
    assert code_object.read(build("gfx942", tmp_path, source)) == code_object.CodeObject("gfx942", [("k", [8])])


@pytest.mark.parametrize(
    "other", [b"", b"\x7fELF", b"\x7fELF\x02\x01" + bytes(100), b"// PTX", b"BC\xc0\xde" + bytes(64)]
)
def test_other_files_are_none(other):
    assert code_object.read(other) is None


def test_every_shorter_file_is_refused_or_read(image):
    for size in range(0, len(image), 7):
        code_object.read(image[:size])
    assert code_object.read(image[:200]) is None


def test_damaged_files_raise_nothing(image):
    """Random bytes in the header, the program headers, the note and the metadata."""
    numbers = random.Random(31)  # noqa: S311 - a seed, no secret
    outcomes = {True: 0, False: 0}
    metadata = image.index(b"AMDGPU")
    for _ in range(3000):
        damaged = bytearray(image)
        for _ in range(numbers.randrange(1, 4)):
            end = numbers.choice((64, 64 + 56 * 8, metadata + 1200))
            damaged[numbers.randrange(end)] = numbers.randrange(256)
        outcomes[code_object.read(bytes(damaged)) is None] += 1
    assert min(outcomes.values()) > 50, outcomes


def test_deeply_nested_metadata_is_refused(image):
    place = image.index(b"amdhsa.kernels") + len(b"amdhsa.kernels")
    nested = image[:place] + b"\x91" * 400 + image[place + 400 :]
    assert code_object.read(nested) is None
