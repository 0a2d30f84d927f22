"""The site of the documentation: it builds without a warning, its links lead somewhere, and no package holds it."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
import yaml

from tests.environments import ROOT

sys.path.insert(0, str(ROOT / "tools"))

from docs_site.built import check_site
from docs_site.pages import PAGES, DeadLink, anchor_of, rewrite_links

#: Seconds in which the site builds, on a machine under load too.
BUILD = 300
#: A fence that a list or a paragraph holds, which MkDocs shows as a line of text.
BROKEN_FENCE = re.compile(r"<p><code>(?:sh|text|python|yaml|cpp)\n")

#: Files at the root that serve the repository alone.
UNSHIPPED = {"mkdocs.yml", "Dockerfile", ".dockerignore"}

with_mkdocs = pytest.mark.skipif(
    importlib.util.find_spec("mkdocs") is None and not os.environ.get("CI"),
    reason="MkDocs is not installed (pip install --group docs)",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, str(ROOT / "tools/build_docs.py"), "--out", str(folder)]
    environment = {name: value for name, value in os.environ.items() if name != "REPOSITORY_URL"}
    done = subprocess.run(
        command, env=environment, capture_output=True, encoding="utf-8", timeout=BUILD, check=False
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return folder


@with_mkdocs
def test_every_document_is_a_page(site: Path) -> None:
    names = {path.stem for path in (ROOT / "docs").glob("*.md")} | {Path(page).stem for page in PAGES.values()}
    assert {path.parent.name for path in site.glob("*/index.html")} == names - {"index"}
    for path in site.glob("*/index.html"):
        assert not BROKEN_FENCE.search(path.read_text(encoding="utf-8")), path


@with_mkdocs
def test_pages_link_to_each_other_and_load_nothing_from_other_servers(site: Path) -> None:
    assert check_site(site).links > 500
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r'(?:<(?:script|img)[^>]*src|<link rel="stylesheet"[^>]*href)="https?:', text), path


def test_the_index_lists_every_page_once() -> None:
    document = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    _, *groups = yaml.safe_load(document)["nav"]
    listed = [page for group in groups for pages in group.values() for page in pages]
    names = [page if isinstance(page, str) else next(iter(page.values())) for page in listed]
    assert len(names) == len(set(names))
    assert [next(iter(group)) for group in groups] == ["Run", "Test", "Port", "Contribute"]
    linked = re.findall(r"\]\(([^)#]+)\)", (ROOT / "docs/index.md").read_text(encoding="utf-8"))
    repository = {os.path.normpath(f"docs/{link}") for link in linked}
    assert {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")} - {"docs/index.md"} <= repository
    assert set(PAGES) - repository == {"CHANGELOG.md"}


@pytest.mark.parametrize(
    ("document", "written", "expected"),
    [
        ("docs/ci.md", "[a](porting.md#tests)", "[a](porting.md#tests)"),
        ("docs/ci.md", "[a](../README.md#settings)", "[a](readme.md#settings)"),
        ("README.md", "[a](docs/ci.md), [b](docs)", "[a](ci.md), [b](index.md)"),
        ("hip_on_host/README.md", "[a](../docs/settings.md)", "[a](settings.md)"),
        ("README.md", "[saxpy.py](examples/saxpy.py)", "[saxpy.py](https://e.org/o/n/blob/main/examples/saxpy.py)"),
        ("README.md", "`f](tests)` and\n```sh\n[a](gone)\n```", "`f](tests)` and\n```sh\n[a](gone)\n```"),
        ("README.md", "[`a`](tests/README.md)", "[`a`](tests.md)"),
        ("docs/ci.md", "![p](pictures/profile.svg)", "![p](pictures/profile.svg)"),
        ("docs/ci.md", "[a](https://e.org), [b](#settings)", "[a](https://e.org), [b](#settings)"),
    ],
)  # fmt: skip
def test_links_between_files_become_links_between_pages(document: str, written: str, expected: str) -> None:
    assert rewrite_links(written, document, "https://e.org/o/n/blob/main") == expected


def test_without_an_address_links_to_sources_are_text() -> None:
    assert rewrite_links("[saxpy.py](examples/saxpy.py)", "README.md", "") == "saxpy.py"


def test_a_link_to_no_file_is_an_error() -> None:
    with pytest.raises(DeadLink, match=r"README\.md: the link to gone\.md leads to no file"):
        rewrite_links("[a](gone.md)", "README.md", "")


def test_the_check_finds_dead_links_and_anchors(tmp_path: Path) -> None:
    (tmp_path / "page").mkdir()
    (tmp_path / "index.html").write_text(
        '<h1 id="a"></h1><a href="page/#b"></a><a href="page/#c"></a><img src="p.svg">'
    )
    (tmp_path / "page/index.html").write_text('<h1 id="b"></h1><a href=".."></a><a href="https://e.org/x"></a>')
    report = check_site(tmp_path)
    assert report.links == 4
    assert report.problems == [
        "index.html: page/#c: page/index.html has no anchor #c",
        "index.html: p.svg: the site has no file p.svg",
    ]


def test_anchors_are_those_of_github() -> None:
    assert anchor_of("AMD's runtime on host cores") == "amds-runtime-on-host-cores"
    assert anchor_of("`run` is python, and `-m`") == "run-is-python-and--m"


def test_neither_the_repository_nor_a_package_holds_the_site(tmp_path: Path) -> None:
    assert subprocess.run(["git", "check-ignore", "-q", "site/index.html"], cwd=ROOT, check=False).returncode == 0
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert "pyproject.toml" in names
    assert not [name for name in names if name.startswith(("site/", ".github/", ".devcontainer/")) or name in UNSHIPPED]
