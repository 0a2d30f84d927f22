"""Record the modules that NVIDIA's wheels of cuda-bindings have: python -m tests.hook.record_wheel_modules.

The wheels are downloaded with pip, for CPython 3.11 on Linux; only their lists of files are read.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

RECORDED = Path(__file__).with_name("wheel_modules.json")
VERSIONS = ("11.8.7", "12.9.0", "12.9.10", "13.4.4", "13.5.0")
_PLATFORMS = ("manylinux2014_x86_64", "manylinux_2_17_x86_64", "manylinux_2_24_x86_64", "manylinux_2_28_x86_64")
_SUFFIX = re.compile(r"(/__init__)?(\.cpython-[^/]*\.so|\.py)$")


def modules(wheel: Path) -> list[str]:
    """The modules in a wheel under `cuda`, in the order of their names; its tests are none of them."""
    names = zipfile.ZipFile(wheel).namelist()
    files = [name for name in names if name.startswith("cuda/") and "/tests/" not in name and _SUFFIX.search(name)]
    return sorted({_SUFFIX.sub("", name).replace("/", ".") for name in files})


def record(version: str) -> list[str]:
    """The modules of a release."""
    platforms = [word for platform in _PLATFORMS for word in ("--platform", platform)]
    with tempfile.TemporaryDirectory() as folder:
        words = ("-q", "--no-deps", "--only-binary=:all:", "--python-version", "3.11", *platforms, "-d", folder)
        subprocess.run([sys.executable, "-m", "pip", "download", *words, f"cuda-bindings=={version}"], check=True)
        return modules(next(Path(folder).glob("*.whl")))


if __name__ == "__main__":
    found = {version: record(version) for version in VERSIONS}
    text = json.dumps({"script": "tests/hook/record_wheel_modules.py", "cuda-bindings": found}, indent=1)
    RECORDED.write_text(text + "\n", encoding="utf-8")
