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
# Picture: schedulers from above downwards, workload, requests, tracks, range in milliseconds.
PICTURES = {
    "two-schedulers": (("inorder", "hybrid"), "mixed-70-30-32k", 2000, ("channels", "dies"), (86.0, 87.0)),
    "report-two-schedulers": (("inorder", "barrier"), "mixed-70-30-4k", 3000,
                              ("host requests", "firmware", "channels", "dies"), (4.0, 5.0)),
}
# Chooses runs, tracks and range; gives each timeline the height of its rows.
PREPARE = """
const [names, tracks, from, to] = arguments;
const change = (element, act) => { act(element); element.dispatchEvent(new Event("change", {bubbles: true})); };
for (const box of document.querySelectorAll("[data-group]"))
  change(box, (it) => { it.checked = tracks.includes(it.dataset.group); });
names.forEach((name, place) => change(document.getElementById("tl-run-" + place), (it) => {
  it.selectedIndex = [...it.options].findIndex((option) => option.text === name); }));
change(document.getElementById("tl-rows"), (it) => { it.value = "9"; });
for (const box of document.querySelectorAll(".tl-box")) {
  box.style.maxHeight = "none";
  box.style.height = box.querySelector(".spacer").offsetHeight + 2 + "px";
  box.style.resize = "none";
}
window.dispatchEvent(new Event("resize"));
window.tlmssdTimeline.setRange(from, to);
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


def timelines(driver, page, schedulers, tracks, span):
    """The panels of both runs, one above the other."""
    from PIL import Image
    from selenium.webdriver.support.ui import WebDriverWait

    driver.get(page.as_uri())
    WebDriverWait(driver, 60).until(lambda d: d.execute_script(
        "return document.getElementById('timeline-app')?.dataset.ready === '1'"))
    driver.execute_script(PREPARE, list(schedulers), list(tracks), *(int(ms * PS_PER_MS) for ms in span))
    driver.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done));")
    state = driver.execute_script("return window.tlmssdTimeline.state()")
    assert state["runs"] == list(schedulers) and state["shapes"] > 0, state
    parts = [Image.open(io.BytesIO(panel.screenshot_as_png)).convert("RGB")
             for panel in driver.find_elements("css selector", ".tl-panel")]
    picture = Image.new("RGB", (max(p.width for p in parts), sum(p.height for p in parts)), "white")
    y = 0
    for part in parts:
        picture.paste(part, (0, y))
        y += part.height
    return picture.quantize(64)


def main(tlmssd):
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", f"--window-size={WIDTH},2400"):
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
    try:
        for name, (schedulers, workload, requests, tracks, span) in PICTURES.items():
            with tempfile.TemporaryDirectory() as folder:
                page = run(tlmssd, pathlib.Path(folder), schedulers, workload, requests)
                timelines(driver, page, schedulers, tracks, span).save(OUT / f"{name}.png", optimize=True)
    finally:
        driver.quit()


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "--run":
        raise SystemExit(__doc__)
    main(str(pathlib.Path(sys.argv[2]).absolute()))
