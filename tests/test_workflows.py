"""The workflow calls scripts and files that exist and writes nothing; issue templates ask for commands that exist."""

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
        assert {".ci/run", ".ci/newcomer", "tools/build_docs.py", "tools/release_wheels.py"} <= set(named)
        assert [word for word in named if not (ROOT / word).exists()] == []


def test_the_documentation_is_built_as_its_test_builds_it() -> None:
    (path,) = WORKFLOWS
    steps = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]["docs"]["steps"]
    commands = [step["run"] for step in steps if "run" in step]
    assert '{ include-group = "docs" }' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert commands[0].endswith("pip install --group docs")
    assert commands[1:] == ["python tools/build_docs.py"]
    assert '"tools/build_docs.py"' in (ROOT / "tests/test_docs_site.py").read_text(encoding="utf-8")


def test_the_newcomers_compilers_are_all_tried() -> None:
    (path,) = WORKFLOWS
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    kinds = set(re.findall(r"case \$kind in|\"\$kind\" = (\w+)", (ROOT / ".ci/newcomer").read_text(encoding="utf-8")))
    assert kinds - {""} <= set(document["jobs"]["newcomer"]["strategy"]["matrix"]["compiler"])


def test_issue_templates_ask_for_the_output_of_doctor_and_verify() -> None:
    verbs = {path.stem for path in (ROOT / "cuda_shim/cli").glob("*.py")}
    templates = {path.stem: path for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config"}
    assert set(templates) == {"amd-report", "fault"}
    for path in templates.values():
        body = yaml.safe_load(path.read_text(encoding="utf-8"))["body"]
        asked = " ".join(str(item["attributes"]) for item in body)
        commands = re.findall(r"python -m cuda_shim (\w+[\w ./-]*)", asked)
        assert any(command.startswith("doctor --json") for command in commands), path
        assert any(command.startswith("verify --") for command in commands), path
        assert {command.split()[0] for command in commands} <= verbs
