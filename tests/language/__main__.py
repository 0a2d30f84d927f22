"""List the texts that do not name their subject, and count them."""

from __future__ import annotations

import sys

from tests.language import Kind, texts


def main(folders: list[str]) -> None:
    """List those of files whose paths begin with one of `folders`, or of all files."""
    listed = [text for text in texts() if not folders or text.path.startswith(tuple(folders))]
    for text in listed:
        if text.is_headless or text.is_vague:
            print(f"{text.path}:{text.line}: {' '.join(text.text.split())}")
    for kind in Kind:
        of_kind = [text for text in listed if text.kind is kind]
        headless, vague = (sum(each.is_headless for each in of_kind), sum(each.is_vague for each in of_kind))
        print(f"{len(of_kind)} {kind.value}: {headless} headless, {vague} vague", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
