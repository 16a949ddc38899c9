# SPDX-License-Identifier: BSD-3-Clause
"""The report in Debian's Chromium: it zooms, moves, follows a request, by mouse and by keys.

Expected slices are worked out from the timeline file, not by the code that the page has.
"""

import pytest

from report_expected import a_request, parts_of, shown_parts, slices_of


def width(state):
    return state["to"] - state["from"]


def test_whole_run_is_shown_first(page, runs):
    slices, _ = slices_of(runs[0])
    first = page.state()
    assert first["from"] < 0
    assert first["to"] > max(end for entries in slices.values() for _, _, end, _ in entries)


def test_keys_zoom_and_move_the_range(page):
    page.keys("0")
    one = page.keys("++")
    two = page.keys("+")
    assert width(two) == pytest.approx(width(one) / 2)
    middle = (one["from"] + one["to"]) / 2
    assert (two["from"] + two["to"]) / 2 == pytest.approx(middle)
    assert width(page.keys("-")) == pytest.approx(width(one))
    right = page.keys("\ue014")  # arrow right
    assert right["from"] == pytest.approx(one["from"] + 0.15 * width(one))
    left = page.keys("\ue012")
    assert left["from"] == pytest.approx(one["from"])


def test_wheel_zooms_about_the_pointer_once_the_timeline_has_the_focus(page):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
    whole = page.state()
    box = page.boxes()[0]
    page.js("arguments[0].scrollIntoView({block: 'center'})", box)
    at = ScrollOrigin.from_element(box, 200, 0)
    ActionChains(page.driver).scroll_from_origin(at, 0, -100).perform()
    assert width(page.state()) == width(whole)  # the page may scroll, the timeline stays
    page.js("arguments[0].scrollIntoView({block: 'center'}); arguments[0].focus()", box)
    under = ("const p = window.tlmssdTimeline, v = p.views[0];"
             "return v.timeAt(v.width / 2 + 200, p.range)")
    before = page.js(under)
    ActionChains(page.driver).scroll_from_origin(at, 0, -100).perform()
    zoomed = page.state()
    assert width(zoomed) == pytest.approx(width(whole) / 2**0.5)
    assert page.js(under) == pytest.approx(before, abs=width(whole) / 300)  # three pixels


def test_drag_moves_the_range(page):
    page.keys("+++")
    before = page.state()
    middle = (before["from"] + before["to"]) / 2
    page.mouse(0, "channel 0", middle).click_and_hold().move_by_offset(100, 0).release().perform()
    after = page.state()
    plot = page.js("return window.tlmssdTimeline.views[0].plotWidth")
    assert before["from"] - after["from"] == pytest.approx(100 / plot * width(before), rel=0.02)
    assert after["number"] is None  # a drag is no click


def test_buttons_zoom_and_show_the_whole_run(page):
    whole = page.state()
    assert width(page.click("#tl-in")) == pytest.approx(width(whole) / 2)
    assert page.click("#tl-right")["from"] > whole["from"]
    assert width(page.click("#tl-fit")) == pytest.approx(width(whole))


@pytest.mark.parametrize("kind", ["READ", "WRITE"])
def test_following_a_request_highlights_what_belongs_to_it(page, runs, kind):
    number, _, start, end = a_request(runs[0], kind) if kind == "READ" else host_of(runs[0], kind)
    state = page.follow(number)
    place = state["runs"].index("inorder")
    parts, arrows = parts_of(runs[0], number)
    assert shown_parts(state["followed"][place]) == parts
    assert sorted(map(tuple, state["followed"][place]["arrows"])) == arrows
    assert kind == "WRITE" or len(arrows) > 0
    other, _ = parts_of(runs[1], number)
    assert shown_parts(state["followed"][1 - place]) == other
    assert f"request {number}" in page.find("#tl-status").text


def host_of(folder, kind):
    slices, _ = slices_of(folder)
    found = sorted((start, args["request"], track, end)
                   for (group, track), entries in slices.items() if group == "host requests"
                   for name, start, end, args in entries if name == kind)
    start, number, track, end = found[len(found) // 2]
    return number, track, start, end


def test_click_on_a_flash_operation_follows_its_request(page, runs):
    number, *_ = a_request(runs[0], "READ")
    place = page.state()["runs"].index("inorder")
    page.follow(number)
    page.click("#tl-clear")
    parts, _ = parts_of(runs[0], number)
    die, = (part for part in parts if part[0].startswith("die"))
    page.mouse(place, die[0], (die[2] + die[3]) / 2).click().perform()
    page.wait(f"window.tlmssdTimeline.number === {number}")
    selected = page.state()["selected"]
    assert (selected["track"], selected["start"], selected["end"]) == (die[0], die[2], die[3])
    for part in sorted(parts):  # and so do its segments
        if part[0].startswith("channel"):
            page.click("#tl-clear")
            page.mouse(place, part[0], (part[2] + part[3]) / 2).click().perform()
            page.wait(f"window.tlmssdTimeline.number === {number}")


def test_n_and_p_step_through_requests_in_order(page, runs):
    number, *_ = a_request(runs[0], "READ")
    page.follow(number)
    assert page.keys("n")["number"] == number + 1
    assert page.keys("nn")["number"] == number + 3
    assert page.keys("ppp")["number"] == number
    assert page.keys("\ue00c")["number"] is None  # Escape


def test_request_is_brought_into_view(page, runs):
    number, _, start, end = a_request(runs[0], "READ")
    page.keys("0")
    state = page.follow(number)
    assert state["from"] < start < end < state["to"]
    assert width(state) < 2 * (end - start) * 20


def test_row_of_the_table_selects_a_slice_and_shows_its_track(page, runs):
    number, *_ = a_request(runs[0], "READ")
    page.follow(number)
    place = page.state()["runs"].index("inorder")
    plane, = (part for part in parts_of(runs[0], number)[0] if part[0].startswith("plane"))
    table = page.driver.find_elements("css selector", "#tl-details table")[place]
    row, = (one for one in table.find_elements("css selector", "tbody tr") if plane[0] in one.text)
    page.js("arguments[0].click()", row.find_element("css selector", "button"))
    page.wait("window.tlmssdTimeline.selected !== null")
    selected = page.state()["selected"]
    assert (selected["track"], selected["start"]) == (plane[0], plane[2])
    assert page.js("return window.tlmssdTimeline.views[arguments[0]].rows.some("
                   "(row) => row.head === 'planes')", place)


def test_slices_are_walked_by_keys_and_told(page, runs):
    slices, _ = slices_of(runs[0])
    place = page.state()["runs"].index("inorder")
    channel = sorted(slices["channels", "channel 0"], key=lambda entry: entry[1])
    box = page.boxes()[place]
    box.send_keys("0")
    names = page.js("return window.tlmssdTimeline.views[arguments[0]].rows.filter((r) => r.track)"
                    ".map((r) => r.track.name)", place)
    for _ in range(names.index("channel 0") + 1):
        box.send_keys("\ue015")  # arrow down
    at = page.state()["selected"]
    assert at["track"] == "channel 0"
    index = [entry[1] for entry in channel].index(at["start"])
    box.send_keys(".")
    assert page.state()["selected"]["start"] == channel[index + 1][1]
    box.send_keys(",,")
    assert page.state()["selected"]["start"] == channel[index - 1][1]
    told = page.find("#tl-status")
    assert told.get_attribute("aria-live") == "polite"
    assert told.text.startswith(f"channel 0: {channel[index - 1][0]}, from ")


def test_all_controls_are_reached_by_tab(page):
    page.js("window.scrollTo(0, 0); document.activeElement.blur()")
    seen = set()
    wanted = {"skip", "tl-run-0", "tl-run-1", "tl-in", "tl-fit", "tl-number", "tl-next", "tl-box"}
    from selenium.webdriver.common.action_chains import ActionChains
    for _ in range(500):  # each of the slowest requests of both runs is a stop
        ActionChains(page.driver).send_keys("\ue004").perform()
        seen.add(page.js("const e = document.activeElement; return e.id || e.className"))
        if wanted <= seen:
            break
    assert wanted <= seen


def test_two_runs_share_one_axis_and_can_be_exchanged(page):
    from selenium.webdriver.support.ui import Select
    first = page.state()["runs"]
    Select(page.find("#tl-run-1")).select_by_value("")
    page.wait("window.tlmssdTimeline.state().runs[1] === null")
    assert not page.boxes()[1].is_displayed()
    Select(page.find("#tl-run-0")).select_by_visible_text(first[1])
    page.wait(f"window.tlmssdTimeline.state().runs[0] === '{first[1]}'")
    assert page.find("#tl-name-0").text == first[1]


def test_tracks_are_added_by_their_boxes(page):
    rows = "return window.tlmssdTimeline.views[0].rows.map((row) => row.track?.name ?? row.head)"
    assert "planes" not in page.js(rows) and "die 0/0/0" in page.js(rows)
    page.click("[data-group=planes]")
    page.wait("window.tlmssdTimeline.views[0].rows.some((row) => row.head === 'planes')")
    assert "plane 0/0/0/0" in page.js(rows)
    page.click("[data-group=dies]")
    page.wait("!window.tlmssdTimeline.views[0].rows.some((row) => row.head === 'dies')")
