# SPDX-License-Identifier: BSD-3-Clause
"""The report in Debian's Chromium: sorted and copied tables, explained words, light and dark."""

import pytest

from browser import ReportPage
from report_fixtures import results, worst_entry, write_run
from tlmssd_lab.report import build_report

TAB = "\ue004"
ENTER = "\ue007"
ESCAPE = "\ue00c"


@pytest.fixture(name="plain", scope="module")
def _plain(tmp_path_factory):
    """Four runs without a timeline; b and d are equal but for their names, c has no WAF."""
    folder = tmp_path_factory.mktemp("plain")
    for name, time_s, waf in (("a", 1.0, 10.0), ("b", 0.5, 2.5), ("c", 0.05, None), ("d", 0.5, 2.5)):
        document = results(time_s=time_s, stages_us={"wait_die": 91.0})
        document["ftl"]["waf"] = waf
        document["worst"] = [worst_entry(1.0, 8.0, 3, 8)]
        write_run(folder / name, document)
    build_report([folder / name for name in "abcd"], folder / "r.html", "Plain")
    return folder / "r.html"


@pytest.fixture(name="tables")
def _tables(driver, plain):
    driver.get_log("browser")
    driver.get(plain.as_uri())
    page = ReportPage(driver)
    yield page
    assert page.errors() == []


def rows(page, column=0):
    return page.js("""return Array.from(document.querySelectorAll('#runs tbody tr'),
        (row) => row.cells[arguments[0]].textContent)""", column)


def heading(page, text):
    return next(one for one in page.driver.find_elements("css selector", "#runs th button") if one.text == text)


def order_of(page, text):
    return page.js("return arguments[0].closest('th').getAttribute('aria-sort')", heading(page, text))


def test_numbers_sort_as_numbers_up_down_and_back(tables):
    heading(tables, "requests/s").click()  # 20,000, 40,000, 400,000 and 40,000
    assert rows(tables) == ["a", "b", "d", "c"] and order_of(tables, "requests/s") == "ascending"
    heading(tables, "requests/s").click()
    assert rows(tables) == ["c", "b", "d", "a"] and order_of(tables, "requests/s") == "descending"
    heading(tables, "requests/s").click()
    assert rows(tables) == ["a", "b", "c", "d"] and order_of(tables, "requests/s") == "none"


def test_what_is_missing_comes_last_in_either_order(tables):
    heading(tables, "WAF").click()
    assert rows(tables) == ["b", "d", "a", "c"]
    heading(tables, "WAF").click()
    assert rows(tables) == ["a", "b", "d", "c"]


def test_keyboard_sorts_texts_and_only_one_column_is_marked(tables):
    heading(tables, "requests/s").click()
    heading(tables, "run").send_keys(ENTER)
    heading(tables, "run").send_keys(ENTER)
    assert rows(tables) == ["d", "c", "b", "a"]
    assert order_of(tables, "run") == "descending" and order_of(tables, "requests/s") == "none"


def test_all_tables_of_several_rows_can_be_sorted_and_all_copied(tables):
    counts = tables.js("""return Array.from(document.querySelectorAll('main table'), (table) => [
        table.tBodies[0].rows.length, table.querySelectorAll('th button.sort').length, table.tHead.rows[0].cells.length,
        table.closest('.scroll').previousElementSibling.querySelectorAll('.copy-table').length])""")
    assert len(counts) > 5
    for many, sorting, heads, copying in counts:
        assert sorting == (heads if many > 1 else 0) and copying == 1


CLIPBOARD = """
window.copied = [];
Object.defineProperty(navigator, 'clipboard', {configurable: true, value: {writeText(text) {
  if (%s) return Promise.reject(new Error('no'));
  window.copied.push(text);
  return Promise.resolve();
}}});
document.execCommand = () => { window.copied.push(document.activeElement.value); return %s; };
"""


@pytest.mark.parametrize("refused", ["false", "true"])
def test_table_is_copied_as_shown_with_tabs(tables, refused):
    tables.js(CLIPBOARD % (refused, "true"))  # where the clipboard refuses, the older way is taken
    heading(tables, "WAF").click()
    button = tables.find("#runs .copy-table")
    assert button.get_attribute("aria-label") == "Copy the table: Throughput, latency, work and utilisation of each run"
    button.click()
    tables.wait("document.querySelector('#runs .copy-table').textContent === 'copied'")
    text, = tables.js("return window.copied")
    lines = text.split("\n")
    assert lines[0].split("\t")[:5] == ["run", "scheduler", "requests/s", "MB/s", "mean"]
    assert [line.split("\t")[0] for line in lines[1:]] == ["b", "d", "a", "c", ""]
    assert lines[1].split("\t")[2] == "40,000" and len({line.count("\t") for line in lines[:5]}) == 1
    assert tables.js("return document.activeElement.className") == "small copy-table"


def test_refused_copy_is_told_and_options_are_copied(tables):
    tables.js(CLIPBOARD % ("true", "false"))
    tables.find("#runs .copy-table").click()
    tables.wait("document.querySelector('#runs .copy-table').textContent === 'not allowed'")
    tables.js(CLIPBOARD % ("false", "true"))
    tables.find("#summary [data-copy]").click()
    tables.wait("window.copied.length === 1")
    shown = tables.find("#summary .next code").text
    assert tables.js("return window.copied") == [shown] and shown.startswith("--set ")


def tip(page):
    return page.js("const tip = document.getElementById('word-tip'); return tip.hidden ? null : tip.textContent")


def test_word_is_explained_on_hover(tables):
    from selenium.webdriver.common.action_chains import ActionChains
    word = tables.find(".stage-line [aria-describedby=term-stage-wait_die]")
    tables.js("arguments[0].scrollIntoView({block: 'center'})", word)
    ActionChains(tables.driver).move_to_element(word).perform()
    tables.wait("!document.getElementById('word-tip').hidden")
    assert tip(tables) == "from the doorbell until the operation has its die"
    # A scroll that began before the hover may be reported after it.
    tables.js("document.dispatchEvent(new Event('scroll'))")
    assert tip(tables) == "from the doorbell until the operation has its die"
    ActionChains(tables.driver).move_to_element(tables.find("#stages h2")).perform()
    tables.wait("document.getElementById('word-tip').hidden")


def test_word_is_explained_on_keyboard_focus_and_escape_ends_it(tables):
    from selenium.webdriver.common.action_chains import ActionChains
    tables.js("document.querySelector('#stages .stage-line').scrollIntoView();"
              "document.querySelector('.stage-line [aria-describedby=term-stage-link]').focus()")
    ActionChains(tables.driver).send_keys(TAB).perform()
    tables.js("window.scrollBy(0, 3)")  # the word stays explained where the page moves
    tables.wait("!document.getElementById('word-tip').hidden")
    assert tip(tables).startswith("in the firmware's host interface")
    place = tables.js("""const r = document.getElementById('word-tip').getBoundingClientRect();
        return [r.left, r.top, r.right, r.bottom, window.innerWidth, window.innerHeight]""")
    assert place[0] >= 0 and place[1] >= 0 and place[2] <= place[4] and place[3] <= place[5]
    ActionChains(tables.driver).send_keys(ESCAPE).perform()
    assert tip(tables) is None


def test_heading_sorts_and_explains(tables):
    button = heading(tables, "p99.9")
    assert button.get_attribute("aria-describedby") == "term-percentile"
    tables.js("arguments[0].focus()", button)
    tables.wait("!document.getElementById('word-tip').hidden")
    assert tip(tables).startswith("p99 is the latency")
    assert tables.js("return document.querySelectorAll('#runs th .term [tabindex], #runs th span.term').length") == 0


def test_words_of_the_chart_are_explained(tables):
    named = tables.js("""return Array.from(document.querySelectorAll('#stages svg text[aria-describedby]'),
        (text) => text.getAttribute('aria-describedby'))""")
    assert len(set(named)) == 10 and all(name.startswith("term-stage-") for name in named)


def test_every_description_is_in_the_page(tables):
    missing = tables.js("""return Array.from(document.querySelectorAll('[aria-describedby]'),
        (word) => word.getAttribute('aria-describedby')).filter((id) => !document.getElementById(id))""")
    assert missing == []


def ground(page):
    """Lightness of the page's ground and of its ink."""
    colours = page.js("const s = getComputedStyle(document.body); return [s.backgroundColor, s.color]")
    return [sum(int(part) for part in one[one.index("(") + 1:-1].split(",")[:3]) / 3 for one in colours]


def emulate(driver, scheme, media=""):
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]})


@pytest.fixture(name="system")
def _system(driver):
    """A function that sets the system's choice; light and forgotten at the end."""
    yield lambda scheme, media="": emulate(driver, scheme, media)
    driver.execute_script("try { localStorage.clear(); } catch {}")
    emulate(driver, "light")


def choose(page, value):
    from selenium.webdriver.support.ui import Select
    Select(page.find("#theme select")).select_by_value(value)


def canvas_pixel(page):
    """A pixel of the axis of the upper timeline, without text."""
    page.state()
    return page.js("""const c = document.querySelector('.tl-box canvas');
        return Array.from(c.getContext('2d').getImageData(c.width - 2, 2, 1, 1).data)""")


def test_system_sets_the_colours_and_the_timeline_follows(page, system):
    assert ground(page)[0] > 200 > 100 > ground(page)[1] and canvas_pixel(page)[:3] == [255, 255, 255]
    system("dark")
    page.wait("matchMedia('(prefers-color-scheme: dark)').matches")
    assert ground(page)[0] < 60 < 180 < ground(page)[1]
    assert max(canvas_pixel(page)[:3]) < 60


def test_choice_is_remembered_and_outweighs_the_system(page, system, report):
    choose(page, "dark")
    assert ground(page)[0] < 60 and max(canvas_pixel(page)[:3]) < 60
    page.open(report)
    assert page.find("#theme select").get_attribute("value") == "dark" and ground(page)[0] < 60
    system("dark")
    choose(page, "light")
    assert ground(page)[0] > 200 and min(canvas_pixel(page)[:3]) > 200
    choose(page, "")
    assert ground(page)[0] < 60
    page.open(report)
    assert page.find("#theme select").get_attribute("value") == "" and ground(page)[0] < 60


def test_colours_can_be_chosen_without_storage(driver, plain, system):
    added = driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
        "source": "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no'); }});"})
    try:
        driver.get(plain.as_uri())
        page = ReportPage(driver)
        choose(page, "dark")
        assert ground(page)[0] < 60 and page.errors() == []
    finally:
        driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


def test_paper_is_light(page, system):
    choose(page, "dark")
    system("dark", "print")
    assert ground(page)[0] > 200 > 100 > ground(page)[1]
    page.js("window.dispatchEvent(new Event('beforeprint'))")
    assert canvas_pixel(page)[:3] == [255, 255, 255]
    assert page.find("#term-percentile").is_displayed()  # the words are explained on paper, too
    page.js("window.dispatchEvent(new Event('afterprint'))")
    system("dark")
    assert max(canvas_pixel(page)[:3]) < 60


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_and_lines_have_contrast(driver, plain, system, scheme):
    """WCAG: 4.5 for text, 3 for the lines of charts."""
    system(scheme)
    driver.get(plain.as_uri())
    page = ReportPage(driver)
    names = ("ink", "soft", "blue", "paper", "page", "head", "status", "differs", "low")
    colours = page.js("""const s = getComputedStyle(document.documentElement);
        return Object.fromEntries(arguments[0].map((name) => [name, s.getPropertyValue('--' + name).trim()]))""", names)
    light = {name: luminance(colour if len(colour) == 7 else "#" + "".join(2 * c for c in colour[1:]))
             for name, colour in colours.items()}

    def contrast(one, other):
        return (max(one, other) + 0.05) / (min(one, other) + 0.05)

    for back in ("paper", "page", "head", "status", "low"):
        for text in ("ink", "soft", "blue"):
            assert contrast(light[text], light[back]) >= 4.5, (text, back)
    assert contrast(light["ink"], light["differs"]) >= 4.5
    from tlmssd_lab.report.charts import COLOURS
    for colour in COLOURS[:4]:
        assert contrast(luminance(colour), light["paper"]) >= (2.9 if scheme == "light" else 3), colour


def test_table_of_a_followed_request_sorts_by_time(page, runs):
    from report_expected import a_request
    number, *_ = a_request(runs[0], "READ")
    page.follow(number)
    lasts = "#tl-details th:nth-child(2) button"
    page.js("arguments[0].click()", page.find(lasts))
    values = page.js("""return Array.from(document.querySelector('#tl-details table').tBodies[0].rows,
        (row) => Number(row.cells[1].dataset.sort))""")
    assert values == sorted(values) and len(set(values)) > 2


@pytest.mark.parametrize("width", [420, 1280])
def test_page_fits_the_window(driver, plain, report, width):
    driver.set_window_size(width, 900)
    try:
        for path in (plain, report):
            driver.get(path.as_uri())
            assert driver.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")
    finally:
        driver.set_window_size(1280, 1000)
