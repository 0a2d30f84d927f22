"""Comments and docstrings name their subjects."""

from __future__ import annotations

from tests.language import comments

#: The share of all comments that may be unlike that: quotations, and sentences that are about a word.
MOST = 0.02


def test_comments_name_their_subjects() -> None:
    listed = list(comments())
    headless = [each for each in listed if each.is_headless]
    vague = [each for each in listed if each.is_vague]
    assert len(listed) > 5000
    for kind, found in (("begin without a subject", headless), ("have a word that stands in for a thing", vague)):
        shown = "\n".join(f"{each.path}:{each.line}: {each.text}" for each in found)
        assert len(found) < MOST * len(listed), f"{len(found)} of {len(listed)} comments {kind}:\n{shown}"
