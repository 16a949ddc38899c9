# SPDX-License-Identifier: BSD-3-Clause
"""Small SVG: the same labels and data points as matplotlib's own, in a tenth of the bytes, readable in
light and dark."""

import io
import re
from collections import Counter, defaultdict
from xml.etree import ElementTree

import matplotlib
import numpy
import pytest
from matplotlib.figure import Figure
from scipy.spatial import cKDTree

from tlmssd_lab.drawings import svg_of
from tlmssd_lab.svg_compact import compact

BLACK = ("#000000", "#1f2328")
PAGE = "#ffffff"


def raw(drawing):
    buffer = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "tlmssd", "svg.fonttype": "none"}):
        drawing.savefig(buffer, format="svg", metadata={"Date": None}, bbox_inches="tight")
    return buffer.getvalue()


def lines():
    """Six series of thirty marked points, a bar series, a step, an area and a formula."""
    drawing = Figure(figsize=(9, 3.6), layout="constrained")
    first, second = drawing.subplots(1, 2)
    for series in range(6):
        values = [(i * i * (series + 1)) % 97 + 0.37 for i in range(30)]
        first.plot(range(1, 31), values, marker="o", label=f"series {series} & more")
        second.bar([i + series / 8 for i in range(30)], values, 0.1)
    first.fill_between(range(1, 31), 10, 20, alpha=0.3)
    first.step(range(1, 31), [50 + i % 3 for i in range(30)], color="black")
    first.set_xscale("log", base=2)
    first.set_xlim(2, 31)  # the first point lies outside
    first.legend()
    first.set_xticks([3, 9], ["three", "nine"], rotation=-20, ha="left")
    second.set_ylabel("kIOPS")
    return drawing


def a_map():
    drawing = Figure(figsize=(6, 4))
    axes = drawing.subplots()
    axes.imshow([[(7 * x + 3 * y) % 11 for x in range(6)] for y in range(4)], origin="lower")
    for x in range(6):
        axes.text(x, 1, f"v{x}", ha="center", color="white" if x % 2 else "black")
    return drawing


def tree(svg):
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        element.tag = str(element.tag).rpartition("}")[2]
        for name in [n for n in element.attrib if "}" in n]:
            element.set(name.rpartition("}")[2], element.attrib[name])
    return root


def labels(root):
    return Counter(text for text, _, _ in places(root, 1))


def places(root, scale):
    """Each label and where it stands."""
    found = []
    parents = {child: parent for parent in root.iter() for child in parent}
    for element in (e for e in root.iter() if e.tag in ("text", "tspan") and (e.text or "").strip()):
        x, y = 0.0, 0.0
        above = parents.get(element, root)
        for at in (element, above, parents.get(above, root)):
            move = re.match(r"translate\((\S+) (\S+)\)", at.get("transform", ""))
            x += float(move[1]) if move else float(at.get("x", 0)) if x == 0 else 0
            y += float(move[2]) if move else float(at.get("y", 0)) if at is element or y == 0 else 0
        found.append((element.text.strip(), x / scale, y / scale))
    return sorted(found)


def vertices(data):
    """The absolute points of a path, whichever commands it is written with."""
    at, start, found = (0.0, 0.0), (0.0, 0.0), []
    for letter, rest in re.findall(r"([a-zA-Z])([^a-zA-Z]*)", data):
        numbers = [float(x) for x in re.findall(r"-?\d*\.?\d+(?:e-?\d+)?", rest)]
        if letter in "zZ":
            at = start
            continue
        size = {"h": 1, "v": 1, "c": 6, "q": 4}.get(letter.lower(), 2)
        for i in range(0, len(numbers), size):
            part = numbers[i:i + size]
            if letter in "hH":
                points = [(part[0] + (at[0] if letter == "h" else 0), at[1])]
            elif letter in "vV":
                points = [(at[0], part[0] + (at[1] if letter == "v" else 0))]
            else:
                base = at if letter.islower() else (0.0, 0.0)
                points = [(base[0] + x, base[1] + y) for x, y in zip(part[::2], part[1::2])]
            found += points
            at = points[-1]
            start = at if letter in "mM" else start
    return found


def paint(style):
    pairs = dict(x.split(":", 1) for x in style.replace(" ", "").split(";") if ":" in x)
    stroke = pairs.get("stroke", "none")
    colour = pairs.get("fill", "#000000") if stroke == "none" else stroke
    return BLACK[0] if colour in BLACK else colour


def of_matplotlib(svg):
    """Points by colour; of a mark with a shape, where it stands."""
    root = tree(svg)
    parts = {e.get("id"): e for e in root.iter("path") if e.get("id")}
    uses = Counter(e.get("href") for e in root.iter("use"))
    parents = {child: parent for parent in root.iter() for child in parent}
    found = defaultdict(list)
    for element in root.iter():
        if element.tag == "path" and parents[element].tag not in ("defs", "clipPath"):
            if not re.search("fill: none.*stroke: none|fill: none$", element.get("style", "")):
                found[paint(element.get("style", ""))] += vertices(element.get("d", ""))
        elif element.tag == "use":
            part = parts[element.get("href")[1:]]
            shape = vertices(part.get("d"))
            if len(shape) > 2 and uses[element.get("href")] > 1:
                shape = [(0, 0)]
            x, y = float(element.get("x", 0)), float(element.get("y", 0))
            style = element.get("style", "") + ";" + part.get("style", "")
            found[paint(style)] += [(a + x, b + y) for a, b in shape]
    return found, places(root, 1)


def of_compact(svg):
    root = tree(svg)
    css = root.find("style").text.split("@media")[0]
    rules = dict(re.findall(r"\.(s\d+)\{([^}]*)\}", css))
    markers = {e.get("id"): rules[e[0].get("class")] for e in root.iter("marker")}
    found = defaultdict(list)
    for element in root.findall("path"):
        rule = rules[element.get("class")]
        points = [(x / 10, y / 10) for x, y in vertices(element.get("d"))]
        marker = re.search(r"marker:url\(#(m\d+)\)", rule)
        if marker:
            found[paint(markers[marker[1]])] += points
        if not marker or "stroke:" in rule:
            found[paint(rule)] += points
    return found, places(root, 10)


def assert_same_content(big, small):
    (points, words), (small_points, small_words) = of_matplotlib(big), of_compact(small)
    assert [word for word, _, _ in small_words] == [word for word, _, _ in words]
    for word in {word for word, _, _ in words}:
        assert_near([at[1:] for at in words if at[0] == word],
                    [at[1:] for at in small_words if at[0] == word])
    points.pop(PAGE, None), small_points.pop(PAGE, None)
    assert {c: len(p) for c, p in small_points.items()} == {c: len(p) for c, p in points.items()}
    for colour, there in points.items():
        assert_near(there, small_points[colour])


def assert_near(there, here):
    """Each has one of the other within a tenth of a point."""
    for one, other in ((there, here), (here, there)):
        far, _ = cKDTree(one).query(other, p=numpy.inf)
        assert far.max() <= 0.1


@pytest.mark.parametrize("drawing", [lines, a_map])
def test_labels_and_points_are_those_of_matplotlib_and_the_size_is_not(drawing):
    big = raw(drawing())
    small = compact(big, "A & B")
    assert_same_content(big, small)
    assert len(small) < len(big) / 6 and small.count(b"\n") < big.count(b"\n") / 6


def test_a_lost_label_or_a_moved_point_is_seen():
    big = raw(lines())
    small = compact(big, "lines").decode()
    series = re.search(r"\.(s\d+)\{[^}]*marker", small)[1]
    last = rf'(class="{series}" d="M[^"l]*)l[^"]*"'
    for old, new in (("kIOPS", ""), (rf'(class="{series}" d="M-?)', r"\g<1>1"), (last, r'\1"')):
        damaged, count = re.subn(old, new, small, count=1)
        assert count == 1
        with pytest.raises(AssertionError):
            assert_same_content(big, damaged.encode())


def test_it_has_a_title_and_a_role_and_colours_for_both_themes():
    small = compact(raw(lines()), "A & B").decode()
    root = tree(small)
    assert root.get("role") == "img" and root.find("title").text == "A & B"
    light, dark = root.find("style").text.split("@media (prefers-color-scheme:dark)")
    assert PAGE in light and "#1f2328" in light
    assert "#16191d" in dark and "#e6e8eb" in dark and "#1f2328" not in dark


def test_a_map_is_a_pixel_per_cell_and_words_on_it_keep_their_colours():
    small = compact(raw(a_map()), "map").decode()
    root = tree(small)
    assert len(root.find("image").get("href")) < 300
    css = root.find("style").text
    dark = css.split("@media")[1]
    on_map = [g for g in root.findall("g") if any("v" in text for text in labels(g))]
    assert len(on_map) == 2
    assert all(f".{g.get('class')}{{" not in dark for g in on_map)


def test_what_no_one_has_taught_it_is_refused():
    svg = b'<svg viewBox="0 0 9 9"><ellipse rx="3"/></svg>'
    with pytest.raises(ValueError, match="<ellipse> is unknown"):
        compact(svg, "x")


def test_equal_drawings_give_equal_bytes_and_the_title_is_the_callers():
    assert svg_of(lines(), "Lines") == svg_of(lines(), "Lines")
    assert b"<title>Lines</title>" in svg_of(lines(), "Lines")
