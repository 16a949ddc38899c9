#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of the HTML report: two runs, the report of both in headless Chromium, its timelines cut out.

Usage: report_pictures.py --run TLMSSD    needs scripts/setup --for test
"""
import io
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
OUT = HERE.parent
WIDTH = 960  # of the window; the timelines are a little narrower
PS_PER_MS = 1_000_000_000
ALL = ("host requests", "firmware", "channels", "dies")
# Picture: schedulers from above downwards, workload, requests, tracks, range in milliseconds, request to
# follow, and what is cut out.
PICTURES = {
    "two-schedulers": (("inorder", "hybrid"), "mixed-70-30-32k", 2000, ("channels", "dies"), (86.0, 87.0), None,
                        [".tl-panel"]),
    "report-two-schedulers": (("inorder", "barrier"), "mixed-70-30-4k", 3000, ALL, (4.0, 5.0), None,
                              [".tl-panel"]),
    "report-one-request": (("inorder", "barrier"), "mixed-70-30-4k", 3000, ALL, (5.9, 6.5), 29131,
                           ["#tl-range", ".tl-panel:has(#tl-name-0)", "#tl-legend", "#tl-status"]),
}
# Chooses runs, tracks and range; gives each timeline the height of its rows.
PREPARE = """
const [names, tracks, from, to, done] = arguments;
const page = window.tlmssdTimeline;
for (const box of document.querySelectorAll("[data-group]")) box.checked = tracks.includes(box.dataset.group);
names.forEach((name, place) => {
  const choice = document.getElementById("tl-run-" + place);
  choice.selectedIndex = [...choice.options].findIndex((option) => option.text === name);
});
document.getElementById("tl-rows").value = "9";
page.showRuns().then(() => {
  for (const view of page.views) {
    view.box.style.maxHeight = "none";
    view.box.style.height = view.total + 2 + "px";
    view.box.style.resize = "none";
  }
  window.dispatchEvent(new Event("resize"));
  page.setRange(from, to);
  requestAnimationFrame(() => requestAnimationFrame(done));
});
"""


def run(tlmssd, folder, schedulers, workload, requests):
    """The report of a run of each scheduler."""
    names = []
    for name in schedulers:
        place = folder / name
        names.append(place)
        subprocess.run([tlmssd, "run", ROOT / "configs/ssd/default.yaml", "--workload", workload,
                        "--set", f"scheduler={name}", "--set", f"workload.requests={requests}", "--quiet",
                        "--out", place, "--timeline", place / "timeline.json.gz"], check=True)
    subprocess.run([sys.executable, "-m", "tlmssd_lab.cli", "report", *names, "-o", folder / "report.html"], check=True)
    return folder / "report.html"


def timelines(driver, page, schedulers, tracks, span, follow, selectors):
    """What the selectors name, one above the other."""
    from PIL import Image
    from selenium.webdriver.support.ui import WebDriverWait

    driver.get(page.as_uri())
    WebDriverWait(driver, 60).until(lambda d: d.execute_script(
        "return document.getElementById('timeline-app')?.dataset.ready === '1'"))
    if follow is not None:
        driver.find_element("id", "tl-number").send_keys(str(follow))
        driver.find_element("css selector", "#tl-form button").click()
    driver.execute_async_script(PREPARE, list(schedulers), list(tracks), *(int(ms * PS_PER_MS) for ms in span))
    state = driver.execute_script("return window.tlmssdTimeline.state()")
    assert state["runs"] == list(schedulers) and state["shapes"] > 0 and state["number"] == follow, state
    parts = [Image.open(io.BytesIO(element.screenshot_as_png)).convert("RGB")
             for selector in selectors for element in driver.find_elements("css selector", selector)]
    picture = Image.new("RGB", (max(p.width for p in parts), sum(p.height for p in parts)), "white")
    y = 0
    for part in parts:
        picture.paste(part, (0, y))
        y += part.height
    return picture.quantize(256)


def main(tlmssd):
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", f"--window-size={WIDTH},4000"):
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
    try:
        for name, (schedulers, workload, requests, *view) in PICTURES.items():
            with tempfile.TemporaryDirectory() as folder:
                page = run(tlmssd, pathlib.Path(folder), schedulers, workload, requests)
                timelines(driver, page, schedulers, *view).save(OUT / f"{name}.png", optimize=True)
    finally:
        driver.quit()


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "--run":
        raise SystemExit(__doc__)
    main(str(pathlib.Path(sys.argv[2]).absolute()))
