"""A check of built pages: every link within the site leads to a file, and every anchor to an element of that page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

#: Pages are read as if they were served from this address.
_SITE = "https://site.invalid/"
_LINKS = {"a": "href", "img": "src", "link": "href", "script": "src"}


@dataclass
class _Html(HTMLParser):
    """The ids and links of one page."""

    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids.update(value for name in ("id", "name") if (value := values.get(name)))
        link = values.get(_LINKS.get(tag, ""))
        if link:
            self.links.append(link)


@dataclass(frozen=True)
class Report:
    """The number of links within a site, and a line for each that leads nowhere."""

    links: int
    problems: list[str]


def check_site(folder: Path) -> Report:
    """Follow every link of every page in `folder` that stays within the site."""
    pages = {path.relative_to(folder).as_posix(): _read(path) for path in sorted(folder.rglob("*.html"))}
    links = [(name, link) for name, page in pages.items() if name != "404.html" for link in page.links]
    inside = [(name, link) for name, link in links if _stays(name, link)]
    problems = [
        f"{name}: {link}: {problem}" for name, link in inside for problem in _problems(folder, pages, name, link)
    ]
    return Report(len(inside), problems)


def _read(path: Path) -> _Html:
    page = _Html()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def _stays(name: str, link: str) -> bool:
    return urljoin(_SITE + name, link).startswith(_SITE)


def _problems(folder: Path, pages: dict[str, _Html], name: str, link: str) -> Iterator[str]:
    parts = urlsplit(urljoin(_SITE + name, link))
    target = unquote(parts.path.lstrip("/"))
    if not target or target.endswith("/"):
        target += "index.html"
    if not (folder / target).is_file():
        yield f"the site has no file {target}"
    elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
        yield f"{target} has no anchor #{parts.fragment}"
