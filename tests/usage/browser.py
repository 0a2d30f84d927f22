"""A browser without a window, which shows the pages that recordings are written as."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from tests.environments import missing

# Without these the browser looks for updates and for other hosts.
OFFLINE = (
    "--disable-background-networking", "--disable-component-update", "--disable-quic", "--disable-sync",
    "--no-first-run",
)  # fmt: skip
WIDTH, HEIGHT = 1200, 1000


class Browser:
    """One browser with one page at a time."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, path: Path, fragment: str = "") -> None:
        """Show a page. Its script has run when this returns."""
        self.driver.get("about:blank")  # a new fragment alone would not load the page again
        self.driver.get(path.as_uri() + fragment)

    def one(self, selector: str) -> WebElement:
        """Return the element of a CSS selector."""
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def column(self, title: str, column: int) -> list[str]:
        """Return the texts of a column of the table with that title."""
        script = """
            const section = [...document.querySelectorAll("#tables section")]
                .find((section) => section.querySelector("h2").textContent === arguments[0]);
            return [...section.querySelectorAll("tbody tr")].map((row) => row.cells[arguments[1]].textContent);
        """
        texts: list[str] = self.driver.execute_script(script, title, column)
        return texts

    def view(self) -> tuple[float, float]:
        """Return the part of the timeline that is shown, in nanoseconds."""
        begin, end = self.driver.execute_script("return [view.from, view.to];")
        return begin, end

    def place_of(self, event: int) -> tuple[int, int]:
        """Return the middle of an event on the page's canvas, in pixels from its centre, as the driver counts."""
        script = """
            const middle = events.begin[arguments[0]] + events.length[arguments[0]] / 2;
            return [Math.round(across(middle, canvas.clientWidth) - canvas.clientWidth / 2),
                Math.round(lanes[events.lane[arguments[0]]].top + events.row[arguments[0]] * ROW + ROW / 2
                           - canvas.clientHeight / 2)];
        """
        x, y = self.driver.execute_script(script, event)
        return x, y

    def problems(self) -> list[str]:
        """Return the errors in the browser's console, and the addresses that the page asked for."""
        messages = [entry["message"] for entry in self.driver.get_log("browser")]
        script = "return performance.getEntriesByType('resource').map((entry) => entry.name);"
        return [*messages, *self.driver.execute_script(script)]


@contextlib.contextmanager
def started() -> Iterator[Browser]:
    """Start Chromium; the test is skipped where there is none, and fails there in CI."""
    programs = [shutil.which("chromium"), shutil.which("chromedriver")]
    if programs[0] is None or programs[1] is None:
        missing("Debian's chromium and chromium-driver are not installed")
    options = Options()
    options.binary_location = programs[0]
    options.set_capability("goog:loggingPrefs", {"browser": "SEVERE"})
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    for argument in ("--headless=new", "--disable-gpu", f"--window-size={WIDTH},{HEIGHT}", *OFFLINE, *sandbox):
        options.add_argument(argument)
    driver = webdriver.Chrome(options, Service(programs[1]))
    try:
        yield Browser(driver)
    finally:
        driver.quit()
