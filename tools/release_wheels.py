"""Builds the wheels of a release: one for each machine, with libraries in it, and the pure one.

    python tools/release_wheels.py [--machine x86_64 …] [--out dist]

zig, from the ziglang package, compiles for every machine here, against the C library of Debian 11. A wheel with
libraries needs no compiler to be asked about devices, nor for compiled packages such as cuda.core; without one, pip
takes the pure wheel, which builds them on first use. The libraries are the HIP runtime's, that of compiled calls, and
those of CUDA's C interface for the hip-python that is installed here.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from cuda_shim import settings  # noqa: E402 - the checkout's own package
from cuda_shim.backends import compilers, host_libraries  # noqa: E402
from cuda_shim.binding.native_calls import build as calls  # noqa: E402
from cuda_shim.c_level import build as c_level  # noqa: E402
from cuda_shim.cache.folder import Cache, cache_of  # noqa: E402
from cuda_shim.mapping.layouts import LAYOUTS  # noqa: E402

MACHINES = ("x86_64", "aarch64")
OLDEST_GLIBC = "2.31"


def cache() -> Cache:
    """The user's, which holds zig's own."""
    return cache_of(settings.current())


def cross_compiler(machine: str) -> compilers.Compiler:
    """zig for a machine; raises SystemExit when ziglang is not installed."""
    program = compilers.find_ziglang()
    if not program:
        raise SystemExit("release_wheels: ziglang is not installed: pip install ziglang")
    compiler, problem = compilers.examine([program, "c++"], "the ziglang package", cache(), retry=True)
    if compiler is None:
        raise SystemExit(f"release_wheels: {program} does not work: {problem}")
    target = ("-target", f"{machine}-linux-gnu.{OLDEST_GLIBC}")
    return compiler.replaced(command=(*compiler.command, *target), identity=f"{compiler.identity} {machine}")


def platform_tag(machine: str) -> str:
    """The platform tag of a machine's wheel."""
    return f"manylinux_{OLDEST_GLIBC.replace('.', '_')}_{machine}"


def build_libraries(machine: str, folder: Path) -> None:
    """Compile both libraries into `folder`/lib, and write their platform beside them."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    host_libraries.build_entry(folder, cross_compiler(machine), cache())
    (folder / "platform").write_text(platform_tag(machine), encoding="ascii")


def build_c_level(machine: str, folder: Path) -> None:
    """Compile CUDA's C interface for each layout into a folder of `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for layout in LAYOUTS:
        c_level.build_entry(folder / c_level.shipped_name(layout), layout, cross_compiler(machine), cache())


def build_calls(machine: str, folder: Path) -> None:
    """Compile the library of calls into `folder`."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    calls.build_entry(folder, cross_compiler(machine), cache())


#: The function that makes a machine's folder in each of these folders of the wheel.
PREBUILT = {
    "hip_on_host/prebuilt": build_libraries,
    "cuda_shim/c_level/prebuilt": build_c_level,
    "cuda_shim/binding/native_calls/prebuilt": build_calls,
}


def build_wheel(machine: str | None, out: Path, built: Mapping[str, Path] = MappingProxyType({})) -> Path:
    """A wheel of this checkout: pure without a machine, else with the machine's libraries.

    `built` are folders that are there already, by their place in the wheel (`PREBUILT`).
    """
    with tempfile.TemporaryDirectory(prefix="cuda_shim-wheel-") as scratch:
        checkout = Path(scratch, "checkout")
        copy_checkout(checkout)
        if machine:
            for place, build in PREBUILT.items():
                target = checkout / place / machine
                if place in built:
                    shutil.copytree(built[place], target)
                else:
                    build(machine, target)
        made = Path(scratch, "made")
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(made)]
        subprocess.run(command, cwd=checkout, check=True, stdout=subprocess.DEVNULL)
        (wheel,) = made.glob("*.whl")
        out.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy(wheel, out))


def copy_checkout(target: Path) -> None:
    """Copy the files of the checkout that git knows, without a developer's own libraries."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    for name in listed.stdout.split("\0"):
        if name and (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target / name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machine", action="append", choices=MACHINES, help="only these; else all, and the pure wheel")
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    given = parser.parse_args()
    for machine in given.machine or [*MACHINES, None]:
        print(build_wheel(machine, given.out))


if __name__ == "__main__":
    main()
