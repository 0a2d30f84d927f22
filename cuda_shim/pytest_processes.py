"""Tests in processes of their own, for settings that a process reads once.

The CPU runtime reads its settings when it is loaded, and a process can load one HIP library. A test that asks for
other settings than those of the run therefore runs in a forked process. All of these are forked from one that was
forked itself before the first test ran, so that none of them has a HIP library loaded by earlier tests. They have the
options, plugins, modules and collected tests of the run; fixtures are set up again.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from cuda_shim import session, settings
from cuda_shim.errors import SettingError

__all__ = ["OFF", "Processes", "in_fork", "own_settings"]

#: Stands for a test that runs with the shim off.
OFF = {"off": "1"}

#: Arguments of the marker that need no process: those that `enable()` takes while it is on, and our own.
_IN_PLACE = ("require", "cuda", "report", "force", "propagate")


def own_settings(arguments: Mapping[str, Any], on_for_the_run: bool) -> dict[str, str]:
    """Return those settings of a marker that need a process of their own, in their canonical spelling; often none.

    Values that are not allowed are left out: the test itself is to fail of them.
    """
    base = settings.current()
    own = {}
    for name, value in arguments.items():
        if name in _IN_PLACE or value is None or (name == "strict" and not on_for_the_run):
            continue
        try:
            text = settings.resolve(name, value).value
        except SettingError:
            return {}
        if text != base.text(name) and (name != "backend" or _other_backend(text)):
            own[name] = text
    return own


def _other_backend(name: str) -> bool:
    """Return whether a backend is there and not the one that the run uses by itself."""
    from cuda_shim.backends import available

    backends = available.hip_backends()
    return name in backends and backends[0] != name


def in_fork(action: Callable[[], str]) -> tuple[int, str]:
    """Return the wait status of a forked process, and the text that `action` returned there."""
    read_end, write_end = os.pipe()
    pid = _fork()
    if pid == 0:
        os.close(read_end)
        status = 1
        try:
            text = action()
            with open(write_end, "w", encoding="utf-8") as out:
                out.write(text)
            status = 0
        finally:
            os._exit(status)
    os.close(write_end)
    with open(read_end, encoding="utf-8") as answer:
        text = answer.read()
    return os.waitpid(pid, 0)[1], text


def _fork() -> int:
    with warnings.catch_warnings():
        # A worker of xdist has a second thread, which only reads from its controller.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


class Processes:
    """The process from which those of tests are forked, and the way to it."""

    def __init__(self, items: list[pytest.Item], own: dict[str, dict[str, str]]) -> None:
        """Args: the tests of the run; the settings of those that need a process, by their node ids."""
        self.own = own
        request_end, write_end = os.pipe()
        read_end, answer_end = os.pipe()
        self._pid = _fork()
        if self._pid == 0:
            os.close(write_end)
            os.close(read_end)
            try:
                _serve({item.nodeid: item for item in items}, own, request_end, answer_end)
            finally:
                os._exit(0)
        os.close(request_end)
        os.close(answer_end)
        self._requests = open(write_end, "w", encoding="utf-8")  # noqa: SIM115  closed by end()
        self._answers = open(read_end, encoding="utf-8")  # noqa: SIM115

    def run(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        """Run a test in its process and report its outcome, as if it had run here."""
        hook = item.ihook
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        print(item.nodeid, file=self._requests, flush=True)
        status, text = json.loads(self._answers.readline() or "[1, null]")
        if not text:
            hook.pytest_runtest_logreport(report=_crashed(item, status))
        for data in json.loads(text or "[]"):
            report = item.config.hook.pytest_report_from_serializable(config=item.config, data=data)
            if isinstance(report.longrepr, list):
                report.longrepr = tuple(report.longrepr)  # a skipped test's tuple, which JSON made a list
            hook.pytest_runtest_logreport(report=report)
        # Tear down the fixtures that the test before it set up here, and that the next test does not use.
        state = item.session._setupstate
        ended = pytest.CallInfo.from_call(lambda: state.teardown_exact(nextitem), when="teardown")
        if ended.excinfo is not None:
            hook.pytest_runtest_logreport(report=pytest.TestReport.from_item_and_call(item, ended))
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)

    def end(self) -> None:
        """Let the process end."""
        self._requests.close()
        self._answers.close()
        os.waitpid(self._pid, 0)


def _serve(items: dict[str, pytest.Item], own: dict[str, dict[str, str]], request_end: int, answer_end: int) -> None:
    with open(request_end, encoding="utf-8") as requests, open(answer_end, "w", encoding="utf-8") as answers:
        for line in requests:
            item = items[line.rstrip("\n")]
            arguments = own[item.nodeid]
            outcome = in_fork(lambda item=item, arguments=arguments: _reports(item, arguments))  # type: ignore[misc]
            print(json.dumps(outcome), file=answers, flush=True)


def _reports(item: pytest.Item, arguments: dict[str, str]) -> str:
    """Run a test here, by its settings; its reports as JSON."""
    if arguments == OFF:
        session.disable()
        os.environ.pop("CUDA_SHIM", None)
    elif session.is_enabled():
        session.adjust(arguments)
    reports = runtestprotocol(item, log=False, nextitem=None)
    to_plain = item.config.hook.pytest_report_to_serializable
    return json.dumps([to_plain(config=item.config, report=report) for report in reports], default=str)


def _crashed(item: pytest.Item, status: int) -> pytest.TestReport:
    """Return the report of a test whose process ended before it could report."""
    code = os.waitstatus_to_exitcode(status)
    how = f"was ended by signal {-code}" if code < 0 else f"ended with exit status {code}"
    message = f"the test ran in a process of its own, for its settings, which {how}"
    return pytest.TestReport(item.nodeid, item.location, {}, "failed", message, "call")
