"""The build hooks: the tables compiled into the wheel, stamped C++ sources, startup files, and links of the README."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

STARTUP_FILES = ("cuda_shim.pth", "cuda_shim.start")

#: The variable with the address of the repository, such as https://github.com/owner/name; without it none is claimed.
ADDRESS = "REPOSITORY_URL"
_LINK = re.compile(r"\]\((?!https?://|#)([^)]+)\)")
_VERSION = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)


class CustomMetadataHook(MetadataHookInterface):
    """Links of the project and of its README, which package indexes show without the files beside it."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set `readme` and `urls`, from the address of the repository where it is known."""
        root = Path(self.root)
        text = (root / "README.md").read_text(encoding="utf-8")
        address = os.environ.get(ADDRESS, "").rstrip("/")
        if address:
            (version,) = _VERSION.findall((root / "cuda_shim/__init__.py").read_text(encoding="utf-8"))
            files = f"{address}/blob/v{version}"
            text = _LINK.sub(rf"]({files}/\1)", text)
            metadata["urls"] = {
                "Source": address,
                "Documentation": f"{files}/docs",
                "Changelog": f"{files}/CHANGELOG.md",
                "Issues": f"{address}/issues",
            }
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


class CustomBuildHook(BuildHookInterface[Any]):
    """The wheel's contents beside the package's own files."""

    _folder: tempfile.TemporaryDirectory[str]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the generated files; an editable install reads the tables themselves."""
        if self.target_name != "wheel":
            return
        root = Path(self.root)
        editable = version == "editable"
        included = build_data["force_include_editable" if editable else "force_include"]
        for name in STARTUP_FILES:
            included[str(root / "startup_files" / name)] = name
        if editable:
            return
        self._folder = tempfile.TemporaryDirectory()
        made = Path(self._folder.name)
        for path in compile_tables(root, made / "_tables"):
            included[str(path)] = f"cuda_shim/_tables/{path.name}"
        for path in write_stubs(root, made):
            included[str(path)] = path.relative_to(made).as_posix()
        sources = load_alone(root / "hip_on_host/sources.py")
        stamp = made / sources.STAMP
        identity = sources.content_identity(str(root / "hip_on_host/src"))
        stamp.write_text(identity + "\n", encoding="utf-8")
        included[str(stamp)] = f"hip_on_host/src/{sources.STAMP}"
        self.include_prebuilt(root / "hip_on_host/prebuilt", build_data)

    def include_prebuilt(self, folder: Path, build_data: dict[str, Any]) -> None:
        """Add libraries that were built beforehand; the wheel is then for the runtime's platform alone."""
        platforms = set()
        for library in sorted(folder.glob("*/lib/*.so")):
            machine = library.parts[-3]
            build_data["force_include"][str(library)] = f"hip_on_host/prebuilt/{machine}/lib/{library.name}"
            named = folder / machine / "platform"
            platforms.add(named.read_text(encoding="ascii").strip() if named.exists() else f"linux_{machine}")
        root = Path(self.root)
        c_level = [f"c_level/prebuilt/*/*/{files}" for files in ("lib*", "by_short_name/lib*", "include/*.h")]
        for pattern in (*c_level, "binding/native_calls/prebuilt/*/calls.so"):
            for library in sorted(root.glob(f"cuda_shim/{pattern}")):
                build_data["force_include"][str(library)] = library.relative_to(root).as_posix()
        if platforms:
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{'.'.join(sorted(platforms))}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the generated files."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()


@contextlib.contextmanager
def own_package(root: Path) -> Iterator[None]:
    """Let the package be imported from the sources that are being built."""
    sys.path.insert(0, str(root))
    try:
        yield
    finally:
        sys.path.remove(str(root))


def compile_tables(root: Path, target: Path) -> list[Path]:
    """Compile the YAML tables with the package's own compiler."""
    with own_package(root):
        from cuda_shim.mapping import compiler

        return list(compiler.compile_tables(root / "tables", target))


def write_stubs(root: Path, target: Path) -> list[Path]:
    """Write the type stubs of the served modules into folders of `target`."""
    with own_package(root):
        from cuda_shim.mapping import pygpu_stubs, stubs

        return [*stubs.write_stubs(target / "cuda-stubs"), *pygpu_stubs.write_pygpu_stubs(target / "PyGPU-stubs")]


def load_alone(path: Path) -> Any:
    """Load a module of the package without the package around it."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
