# SPDX-License-Identifier: BSD-3-Clause
"""Debian's Chromium, headless, for the tests of HTML reports."""
import contextlib
import io
import shutil

import pytest

WIDTH, HEIGHT = 1280, 1000


@contextlib.contextmanager
def chromium():
    """A driver; skips where Chromium, its driver or Selenium is absent."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not in .venv: "
                                    "scripts/setup --for test")
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or driver is None:
        pytest.skip("chromium and chromium-driver are not installed: scripts/setup --for test")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     f"--window-size={WIDTH},{HEIGHT}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    made = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        made.set_script_timeout(60)
        yield made
    finally:
        made.quit()


class ReportPage:
    """A report in the browser, and what the tests ask of it."""

    def __init__(self, driver):
        self.driver = driver

    def open(self, path):
        self.driver.get_log("browser")  # forget what earlier pages said
        self.driver.get(path.resolve().as_uri())
        self.wait("document.getElementById('timeline-app')?.dataset.ready === '1'")
        return self

    def wait(self, condition):
        from selenium.webdriver.support.ui import WebDriverWait
        WebDriverWait(self.driver, 30, 0.05).until(lambda d: self.js(f"return {condition}"),
                                                   f"never: {condition}")

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def state(self):
        """What the timeline shows, after what it has still to draw."""
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done));")
        return self.js("return window.tlmssdTimeline.state()")

    def find(self, selector):
        return self.driver.find_element("css selector", selector)

    def boxes(self):
        return self.driver.find_elements("css selector", ".tl-box")

    def keys(self, text, place=0):
        self.boxes()[place].send_keys(text)
        return self.state()

    def click(self, selector):
        self.js("arguments[0].scrollIntoView({block: 'center'})", self.find(selector))
        self.find(selector).click()
        return self.state()

    def follow(self, number):
        self.find("#tl-number").clear()
        self.find("#tl-number").send_keys(str(number))
        self.click("#tl-form button:not([id])")
        self.wait(f"window.tlmssdTimeline.number === {number}")
        return self.state()

    def point_at(self, place, track, time):
        """Offset of a track and a time (ps) from the middle of the view's box, for the mouse."""
        return self.js("""
            const page = window.tlmssdTimeline;
            const view = page.views[arguments[0]];
            const row = view.rows.find((one) => one.track?.name === arguments[1]);
            view.box.scrollTop = Math.max(0, row.y - view.height / 2);
            view.box.scrollIntoView({block: 'center'});
            const x = view.x(arguments[2], page.range);
            const y = row.y + row.height / 2 - view.box.scrollTop;
            const box = view.box.getBoundingClientRect();
            return [Math.round(x + 1 - box.width / 2), Math.round(y + 1 - box.height / 2)];
            """, place, track, time)

    def mouse(self, place, track, time):
        from selenium.webdriver.common.action_chains import ActionChains
        x, y = self.point_at(place, track, time)
        return ActionChains(self.driver).move_to_element_with_offset(self.boxes()[place], x, y)

    def errors(self):
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] in ("SEVERE", "WARNING")]

    def picture(self):
        """The window as a PIL image."""
        from PIL import Image
        return Image.open(io.BytesIO(self.driver.get_screenshot_as_png())).convert("RGB")
