"""Texts name their subjects: comments, descriptions of attributes, messages to users, sentences of documents, tables."""

from __future__ import annotations

from functools import cache

import pytest

from tests.language import Kind, Text, texts
from tests.language.cpp_source import cpp_texts
from tests.language.documents import document_texts
from tests.language.python_source import python_texts
from tests.language.tables import table_texts

#: The share of the texts of a kind that may break a rule: quotations, and sentences that are about a word.
LIMIT = 0.02
#: The least number of texts of each kind, which shows that the readers still find them.
LEAST = {
    Kind.COMMENT: 5000,
    Kind.ATTRIBUTE: 400,
    Kind.MESSAGE: 500,
    Kind.SENTENCE: 1500,
    Kind.DESCRIPTION: 2000,
}


@cache
def listed() -> list[Text]:
    return list(texts())


@pytest.mark.parametrize("kind", Kind, ids=lambda kind: kind.name.lower())
def test_texts_name_their_subjects(kind: Kind) -> None:
    of_kind = [text for text in listed() if text.kind is kind]
    assert len(of_kind) > LEAST[kind]
    headless = [text for text in of_kind if text.is_headless]
    vague = [text for text in of_kind if text.is_vague]
    for rule, broken in (("begin without a subject", headless), ("have a word that stands in for a thing", vague)):
        shown = "\n".join(f"{text.path}:{text.line}: {text.text}" for text in broken)
        assert len(broken) < LIMIT * len(of_kind), f"{len(broken)} of {len(of_kind)} {kind.value} {rule}:\n{shown}"


PYTHON = '''"""A module."""

LIMIT = 3
"""The limit."""


def check(count: int) -> None:
    """Check a count.

    Args:
        count: the number of
            things.

    Raises:
        ValueError: for a wrong one.
    """
    # Why it
    # is so.
    if count > LIMIT:
        raise ValueError(f"{count} is above the limit" if count else "no count is given")
    logger().warning("the count is %d", count)
    print("printed by a program")
    parser.add_argument("--count", help="the number of things")
'''


def test_texts_of_python() -> None:
    assert [(text.kind, text.line, text.text) for text in python_texts("package/check.py", PYTHON)] == [
        (Kind.COMMENT, 17, "Why it is so."),
        (Kind.COMMENT, 1, "A module."),
        (Kind.ATTRIBUTE, 4, "The limit."),
        (Kind.COMMENT, 7, PYTHON.partition('    """')[2].partition('\n    """')[0].replace("\n    ", "\n")),
        (Kind.ATTRIBUTE, 7, "the number of things."),
        (Kind.MESSAGE, 20, "… is above the limit"),
        (Kind.MESSAGE, 20, "no count is given"),
        (Kind.MESSAGE, 21, "the count is %d"),
        (Kind.MESSAGE, 23, "the number of things"),
    ]
    assert Kind.MESSAGE not in {text.kind for text in python_texts("tests/check.py", PYTHON)}


CPP = """// A file.
void check(int count) {
    log(LogLevel::Error, "the count is %d, "
        "above the limit (see check())", count);  // in one line
    if (count) throw NotSplit("a count that is too large");
    tell(names, "short text");
}
"""


def test_texts_of_cpp() -> None:
    assert [(text.kind, text.line, text.text) for text in cpp_texts("src/check.cpp", CPP)] == [
        (Kind.COMMENT, 1, "A file."),
        (Kind.COMMENT, 4, "in one line"),
        (Kind.MESSAGE, 3, "the count is %d, above the limit (see check())"),
        (Kind.MESSAGE, 5, "a count that is too large"),
    ]


DOCUMENT = """# A page

One sentence. Another
one about `what it
says`: so.

```sh
what is run
```

- An item.
- Another item.

<!-- settings -->
| what | it is |

| a cell | another; cell |
"""


def test_sentences_of_documents() -> None:
    assert [(text.line, text.text) for text in document_texts("page.md", DOCUMENT)] == [
        (1, "A page"),
        (3, "One sentence."),
        (3, "Another one about X:"),
        (3, "so."),
        (11, "An item."),
        (12, "Another item."),
        (17, "a cell"),
        (17, "another;"),
        (17, "cell"),
    ]


TABLE = """# A table.
# Its rows.
cuMemsetD8:
  text: Fills a number of bytes
    with a value.
  function: {dstDevice: CUdeviceptr, N: inout size_t = 0}
  unsupported: too short here
codes:
  enum: none
  members:
    CODE: {value: 1, text: "a text of a member"}
libraries:
  cublas: on AMD GPUs hipblas has its counterparts
"""


def test_texts_of_tables() -> None:
    members = [(1, "A table. Its rows."), (4, "Fills a number of bytes with a value."), (11, "a text of a member")]
    assert [(text.line, text.text) for text in table_texts("tables/driver/copy.yaml", TABLE)] == members
    whole = [(text.line, text.text) for text in table_texts("tables/packages.yaml", TABLE)]
    assert whole == [*members, (13, "on AMD GPUs hipblas has its counterparts")]
    (of_parameter,) = table_texts(
        "tables/parameters.yaml", "count:\n  any: Number of entries.\n  as int: Number of all entries.\n"
    )
    assert (of_parameter.line, of_parameter.kind) == (3, Kind.DESCRIPTION)


@pytest.mark.parametrize(
    ("text", "headless", "vague"),
    [
        ("What a row says", True, True),
        ("the row of a name", False, False),
        ("Whether it is so", True, False),
        ("a name that nobody knows", False, True),
        ("Whatsoever", False, False),
    ],
)
def test_rules(text: str, headless: bool, vague: bool) -> None:
    found = Text(Kind.COMMENT, "a.py", 1, text)
    assert (found.is_headless, found.is_vague) == (headless, vague)
