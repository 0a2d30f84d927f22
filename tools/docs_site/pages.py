"""The pages of the site, and the rewriting of links between files of the repository to links between pages."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

#: Documents outside of docs/, by their path in the repository: the name that each has among the site's pages.
PAGES = {
    "README.md": "readme.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "RELEASING.md": "releasing.md",
    "SECURITY.md": "security-policy.md",
    "hip_on_host/README.md": "hip-on-host.md",
    "tests/README.md": "tests.md",
}
_DOCS = "docs/"
_INDEX = "index.md"

#: Code, in which brackets and parentheses are no links, or a link to a file of the repository.
_CODE_OR_LINK = re.compile(
    r"^(?P<fence> *```).*?^(?P=fence)$|(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)"
    r"|(?P<image>!?)\[(?P<text>(?:`[^`]*`|[^\]`])*)\]\((?![a-z]+:|#)(?P<path>[^)#\s]+)(?P<anchor>#[^)]*)?\)",
    re.MULTILINE | re.DOTALL,
)


class DeadLink(Exception):
    """A link of a document to a file that the repository does not have."""

    def __init__(self, document: str, target: str) -> None:
        super().__init__(f"{document}: the link to {target} leads to no file of the repository")


def page_of(path: str) -> str | None:
    """The page of the site that shows a file or folder of the repository, None where there is none."""
    if path in PAGES:
        return PAGES[path]
    if path + "/" == _DOCS:
        return _INDEX
    return path.removeprefix(_DOCS) if path.startswith(_DOCS) else None


def rewrite_links(text: str, document: str, address: str) -> str:
    """Return a document's Markdown with links that work in the site.

    Args:
        text: the Markdown.
        document: its path in the repository, which its links are relative to.
        address: the address of the repository's files, such as https://github.com/owner/name/blob/main. Links to files
            that are no pages lead there; with an empty address they become plain text.

    Raises:
        DeadLink: for a link to a file that is not there.
    """
    page = page_of(document)
    if page is None:
        raise ValueError(f"{document} is no page of the site")
    folder = posixpath.dirname(page)

    def rewrite(match: re.Match[str]) -> str:
        if match["path"] is None:
            return match[0]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(document), match["path"]))
        if not (ROOT / target).exists():
            raise DeadLink(document, match["path"])
        anchor = match["anchor"] or ""
        shown = page_of(target)
        if shown is not None:
            return f"{match['image']}[{match['text']}]({posixpath.relpath(shown, folder or '.')}{anchor})"
        return f"[{match['text']}]({address}/{target}{anchor})" if address else match["text"]

    return _CODE_OR_LINK.sub(rewrite, text)


def anchor_of(heading: str, separator: str = "-") -> str:
    """Return the anchor that GitHub gives a heading, so that links to headings work there and in the site."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", separator)
