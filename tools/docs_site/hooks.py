"""MkDocs' hooks: documents from outside of docs/ become pages, and links between files become links between pages.

With REPOSITORY_URL in the environment, as for the package's metadata, links to sources lead to the repository.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from docs_site.pages import PAGES, ROOT, anchor_of, rewrite_links

#: The branch whose sources the site links to.
_BRANCH = "main"
_DOCUMENTS = {page: document for document, page in PAGES.items()}


def repository() -> str:
    """The address of the repository, empty where it is not known."""
    return os.environ.get("REPOSITORY_URL", "").rstrip("/")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Name the repository, and have headings get the anchors that they have on GitHub."""
    config.repo_url = repository() or None
    config.mdx_configs.setdefault("toc", {})["slugify"] = anchor_of
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the documents from outside of docs/."""
    for document, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / document).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Rewrite the links of a page."""
    document = _DOCUMENTS.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    address = repository()
    return rewrite_links(markdown, document, f"{address}/blob/{_BRANCH}" if address else "")
