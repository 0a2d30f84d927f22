"""The workflow calls scripts and files that exist, and may write nothing."""

from __future__ import annotations

import re

import yaml

from tests.environments import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def test_workflows_call_what_is_there() -> None:
    assert WORKFLOWS
    for path in WORKFLOWS:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert document["permissions"] == {"contents": "read"}
        commands = [step["run"] for job in document["jobs"].values() for step in job["steps"] if "run" in step]
        named = [word for command in commands for word in re.findall(r"(?:\.ci|tools|tests)/[\w./-]*\w", command)]
        assert {".ci/run", ".ci/newcomer", "tools/release_wheels.py"} <= set(named)
        assert [word for word in named if not (ROOT / word).exists()] == []


def test_the_newcomers_compilers_are_all_tried() -> None:
    (path,) = WORKFLOWS
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    kinds = set(re.findall(r"case \$kind in|\"\$kind\" = (\w+)", (ROOT / ".ci/newcomer").read_text(encoding="utf-8")))
    assert kinds - {""} <= set(document["jobs"]["newcomer"]["strategy"]["matrix"]["compiler"])
