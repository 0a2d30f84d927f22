"""Pages of recorded runs in a real browser: the timeline, the tables, and names that look like HTML."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from cuda_shim.cli.main import main
from cuda_shim.usage import page
from cuda_shim.usage.counts import Call as CountedCall
from cuda_shim.usage.profile import Profile
from cuda_shim.usage.recordings import Recordings
from cuda_shim.usage.timeline import Activity, Call
from cuda_shim.usage.trace import write_trace
from cuda_shim.usage.usage_report import Report
from tests.environments import ROOT, Python
from tests.usage.browser import Browser, started

HOSTILE = "</script><b id=hostile>&amp;\u2028"
PICTURE = ROOT / "docs/pictures/page.png"
EVENTS: list[Call | Activity | str] = [
    "cpu",
    Call(["7", "1000", "3000", "1", "70", "cuLaunchKernel", "program.py:3 in main"]),
    Call(["7", "4000", "10000", "2", "70", "cudaDeviceSynchronize", "program.py:4"]),
    Call(["7", "5000", "6000", "3", "70", "cuInit", "inside of a callback"]),
    Activity(["7", "2000", "8000", "1", "0", "3", "0", "kernel", "program.py:3 in main", HOSTILE]),
    Activity(["7", "8000", "9000", "2", "1", "0", "1048576", "copy", "program.py:4", "device to host"]),
]
KERNEL, COPY, NESTED = 3, 4, 2  # places of events on the page
REPORT = Report(
    calls={"cuInit": CountedCall("mapped", 1, 1e-6), "cuCtxAttach": CountedCall("unsupported", 2, 0, {HOSTILE: 2})},
    unsupported={("cuCtxAttach", "HIP has none"): 2},
    hallucinated={"cudaError_t.cudaErrorTimeout": 3},
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started() as browser:
        yield browser


@pytest.fixture
def small(browser: Browser, tmp_path: Path) -> Iterator[Browser]:
    """The page of a few events; it has no problem when the test ends."""
    path = tmp_path / "small.html"
    page.write_page(str(path), EVENTS, Profile.of_events(EVENTS), REPORT)
    browser.open(path)
    yield browser
    assert browser.problems() == []


def lanes(browser: Browser) -> WebElement:
    return browser.one("#lanes")


def click(browser: Browser, event: int) -> Any:
    ActionChains(browser.driver).move_to_element_with_offset(lanes(browser), *browser.place_of(event)).click().perform()
    return browser.one("#detail").get_property("textContent")


def test_names_are_texts(small: Browser) -> None:
    assert small.column("Kernels", 0) == [HOSTILE]
    assert small.column("Calls and their support", 4) == ["", f"{HOSTILE} × 2"]
    assert not small.driver.find_elements("id", "hostile")


def test_tables(small: Browser) -> None:
    assert small.column("Copies and fills", 0) == ["copy device to host"]
    assert small.column("Copies and fills", 5) == ["1.0 MiB"]
    assert small.column("Calls and their support", 3) == ["mapped", "unsupported"]
    assert small.column("Not supported", 2) == ["HIP has none"]
    assert small.column("Hallucinated", 0) == ["cudaError_t.cudaErrorTimeout"]
    assert small.one("#summary").text.endswith("9.0 µs, 3 CUDA calls")


def test_tables_are_sorted_by_a_click(small: Browser) -> None:
    heading = small.driver.find_element("xpath", "//section[h2='Calls by time']//th[1]")
    heading.click()
    assert small.column("Calls by time", 0) == ["cuInit", "cuLaunchKernel", "cudaDeviceSynchronize"]
    assert heading.get_attribute("aria-sort") == "ascending"
    heading.click()
    assert small.column("Calls by time", 0) == ["cudaDeviceSynchronize", "cuLaunchKernel", "cuInit"]
    small.driver.find_element("xpath", "//section[h2='Calls by time']//th[3]").click()
    assert small.column("Calls by time", 0) == ["cudaDeviceSynchronize", "cuLaunchKernel", "cuInit"]


def test_a_click_names_the_event_and_its_call(small: Browser) -> None:
    assert click(small, KERNEL).split(" · ") == [
        HOSTILE, "6.00 µs from 1.00 µs", "device 0, stream 3", "program.py:3 in main", "by cuLaunchKernel",
    ]  # fmt: skip
    assert "1.0 MiB, 976.56 GiB/s" in click(small, COPY)
    assert click(small, NESTED).startswith("cuInit · 1.00 µs from 4.00 µs · calls of thread 70 · inside of a callback")


def test_the_wheel_zooms_where_the_pointer_is(small: Browser) -> None:
    x, y = small.place_of(COPY)
    pointer = ScrollOrigin.from_element(lanes(small), x, y)
    for _ in range(5):
        ActionChains(small.driver).scroll_from_origin(pointer, 0, -100).perform()
    begin, end = small.view()
    assert end - begin == pytest.approx(9000 / 1.2**5)
    assert begin < 7000 < 8000 < end  # the copy is still shown, where it was
    assert small.place_of(COPY)[0] == pytest.approx(x, abs=2)
    assert "events" in small.one("#visible").text


def test_keys_buttons_and_dragging_move_the_view(small: Browser) -> None:
    keys = ActionChains(small.driver)
    keys.send_keys("w").perform()
    assert small.view() == (2250, 6750)
    keys.send_keys("d").perform()
    assert small.view() == (3150, 7650)
    keys.send_keys(Keys.ARROW_LEFT, "s").perform()
    assert small.view() == (0, 9000)
    small.one("#zoom-in").click()
    small.one("#zoom-in").click()
    assert small.view() == (3375, 5625)
    ActionChains(small.driver).drag_and_drop_by_offset(lanes(small), -100, 0).perform()
    assert small.view()[0] > 3375
    small.one("#whole").click()
    assert small.view() == (0, 9000)
    small.one("#zoom-out").click()
    assert small.view() == (0, 9000)


def test_a_view_has_an_address(small: Browser, tmp_path: Path) -> None:
    small.one("#zoom-in").click()
    assert small.driver.current_url.endswith("#2250-6750")
    small.open(tmp_path / "small.html", "#1000-2000")
    assert small.view() == (1000, 2000)


def pixel(browser: Browser, event: int) -> list[int]:
    """Return the colour of an event near its lower edge, where no text is."""
    x, y = browser.place_of(event)
    script = """
        const scale = devicePixelRatio, x = canvas.clientWidth / 2 + arguments[0], y = canvas.clientHeight / 2 + arguments[1];
        return [...pen.getImageData(x * scale, (y + 6) * scale, 1, 1).data];
    """
    found: list[int] = browser.driver.execute_script(script, x, y)
    return found


def test_the_search_dims_the_others(small: Browser) -> None:
    bright = pixel(small, KERNEL), pixel(small, COPY)
    small.one("#search").send_keys("program.py:3")
    assert pixel(small, KERNEL) == bright[0]
    assert pixel(small, COPY) != bright[1]
    small.one("#search").clear()
    small.driver.find_element("xpath", "//section[h2='Copies and fills']//tbody/tr").click()
    assert small.one("#search").get_attribute("value") == "copy device to host"


def test_the_longest_of_many_events_are_shown(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "MAX_EVENTS", 5_000)
    calls = [
        Call(["7", str(at * 1000), str(at * 1000 + at), str(at), "70", f"call{at % 50}", "p.py:1"])
        for at in range(6_000)
    ]
    page.write_page(str(tmp_path / "many.html"), calls, None, None)
    browser.open(tmp_path / "many.html")
    assert "5,000 events" in browser.one("#visible").text
    assert browser.one("#left-out").text.startswith("1,000 shorter events are left out")
    assert not browser.driver.find_elements("css selector", "#tables section")
    assert browser.problems() == []


def test_a_real_run(browser: Browser, any_shim_python: Python, tmp_path: Path) -> None:
    """Every recording may be asked for as a page; a page has all that was recorded."""
    program = Path(__file__).with_name("overlapping.py")
    words = [
        f"--report={tmp_path / 'page.html'}",
        f"--profile={tmp_path / 'profile.json'}",
        f"--trace={tmp_path / 'trace.html'}",
    ]
    any_shim_python.run(
        "-W", "error", "-m", "cuda_shim", "run", "--backend", "cpu", *words, program, cwd=program.parent
    )
    profile = json.loads((tmp_path / "profile.json").read_text(encoding="utf-8"))
    for name in ("page.html", "trace.html"):
        browser.open(tmp_path / name)
        assert browser.column("Kernels", 1) == [str(profile["kernels"]["saxpy"]["count"])]
        assert browser.column("Calls by time", 0) == list(profile["calls"])
        assert sorted(browser.column("Calls and their support", 0)) == sorted(profile["calls"])
        assert browser.view()[1] == pytest.approx(profile["seconds"] * 1e9)
        assert browser.problems() == []
    if os.environ.get("CUDA_SHIM_TEST_PICTURES"):
        browser.driver.execute_script("show(view.end * .8, view.end);")
        PICTURE.write_bytes(base64.b64decode(browser.driver.get_screenshot_as_base64()))


def test_the_verb_makes_a_page_of_the_files(
    browser: Browser, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [str(tmp_path / name) for name in ("report.json", "profile.json", "trace.json", "page.html")]
    REPORT.write(names[0])
    Profile.of_events(EVENTS).write(names[1])
    write_trace(names[2], EVENTS)
    assert main(["report", f"--html={names[3]}", *names[:3]]) == 0
    assert capsys.readouterr() == ("", "")
    browser.open(tmp_path / "page.html")
    assert browser.column("Kernels", 0) == [HOSTILE]
    assert browser.column("Hallucinated", 1) == ["3"]
    assert click(browser, KERNEL).endswith("by cuLaunchKernel")
    assert browser.problems() == []


def test_the_verb_prints_each_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [str(tmp_path / name) for name in ("profile.json", "trace.json")]
    Profile.of_events(EVENTS).write(names[0])
    write_trace(names[1], EVENTS)
    for name in names:
        assert main(["report", name]) == 0
        assert "cudaDeviceSynchronize" in capsys.readouterr().out
    assert main(["report", "--json", *names[:1], *names[:1]]) == 0
    assert json.loads(capsys.readouterr().out)["calls"]["cuInit"]["count"] == 2
    for words, error in (
        (["--html=", names[0]], "needs the name of the page"), (["--json", "--html=x", names[0]], "give one of"),
    ):  # fmt: skip
        assert main(["report", *words]) == 2
        assert error in capsys.readouterr().err
    assert main(["report", names[1], names[1]]) != 0
    assert "a second trace" in capsys.readouterr().err


def test_a_trace_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_trace(str(tmp_path / "trace.json"), EVENTS)
    events = Recordings([tmp_path / "trace.json"]).events
    expected = [event for event in EVENTS if not isinstance(event, str)]
    start = min(event.begin for event in expected)
    for event, original in zip(events, expected, strict=True):
        for field in ("begin", "end"):
            assert getattr(event, field) == getattr(original, field) - start
        for field in ("process", "site", "name", "kind", "device", "stream", "bytes", "thread"):
            assert getattr(event, field, None) == getattr(original, field, None), field
