# SPDX-License-Identifier: BSD-3-Clause
"""What the drawings share: shapes as SVG text, one colour per layer, light and dark."""

from xml.sax.saxutils import escape

# Layer: fill and edge on a light page, fill and edge on a dark one.
LAYERS = {
    "page": ("#ffffff", "none", "#16191d", "none"),
    "plain": ("#ffffff", "#9aa4af", "#16191d", "#6b7480"),
    "host": ("#e4e7eb", "#7b8794", "#33383f", "#8b95a1"),
    "fw": ("#e0f0d9", "#5b8a35", "#2d4420", "#8fbf69"),
    "ctl": ("#fbe8d3", "#b0702a", "#553718", "#dd9d57"),
    "bus": ("#dbeaf7", "#3b6ea5", "#213d58", "#7fb0e0"),
    "nand": ("#eee3f7", "#7a52a3", "#40295c", "#b892dc"),
    "dram": ("#d6efe8", "#1d7f68", "#18483d", "#5fc0a8"),
    "bad": ("#f8dada", "#b03a3a", "#5c2323", "#e58080"),
}
# The stages of a request as the report draws them (scripts/tlmssd_lab/stages.py).
STAGES = {
    "link": "#999999", "hil": "#f0e442", "buffer": "#f7d08a", "ftl": "#cfe8c9", "sched": "#e3aecb",
    "wait_die": "#e07b39", "wait_bus": "#4f9bd0", "cell": "#e69f00", "transfer": "#56b4e9",
    "dram": "#009e73"}
INK, PALE = ("#1f2328", "#e6e8eb"), ("#656d76", "#a4adb8")
FONT = "font-family:'DejaVu Sans',Verdana,Arial,sans-serif"


class Drawing:
    def __init__(self, width, height, title):
        self.width, self.height, self.title = width, height, title
        self.parts = [f'<rect class="page" width="{width}" height="{height}"/>']
        self.used = {"page"}
        self.stages = set()
        self.arrows = False

    def box(self, x, y, width, height, text="", layer="host", round_=4, small=False, top=False):
        """Lines of `text` stand in the middle, or at the top; the first is bold with top."""
        self.used.add(layer)
        self.parts.append(f'<rect class="{layer}" x="{x:g}" y="{y:g}" width="{width:g}" '
                          f'height="{height:g}" rx="{round_}"/>')
        lines = text.split("\n") if text else []
        step = 14 if small else 16
        first = y + 17 if top else y + height / 2 + 4.5 - step * (len(lines) - 1) / 2
        for number, line in enumerate(lines):
            kind = "t" if not small else "s"
            self.text(x + width / 2, first + number * step, line,
                      kind + (" b" if top and number == 0 else ""))

    def stage(self, x, y, width, height, name, text="", vertical=False):
        """A time in a stage of a request."""
        self.stages.add(name)
        self.parts.append(f'<rect class="{name}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"/>')
        if text:
            at = f'x="{x + width / 2:g}" y="{y + height / 2 + 4:g}"'
            turn = f' transform="rotate(-90 {x + width / 2:g} {y + height / 2:g})"' if vertical else ""
            self.parts.append(f'<text class="k" {at}{turn}>{escape(text)}</text>')

    def fills(self, cells):
        """Cells of a map, (x, y, width, height, colour, text, dark): a colour says a value, so it is
        the same in light and dark."""
        self.parts.append("".join(self._fill(*cell) for cell in cells))

    @staticmethod
    def _fill(x, y, width, height, colour, text, dark):
        return (f'<rect fill="{colour}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"/>'
                          f'<text class="{"w" if dark else "k"}" x="{x + width / 2:g}" '
                          f'y="{y + height / 2 + 4:g}">{escape(text)}</text>')

    def text(self, x, y, text, kind="t"):
        """Kinds: t middle, l left, r right, s small, p pale, m monospaced, b bold."""
        self.parts.append(f'<text class="{kind}" x="{x:g}" y="{y:g}">{escape(text)}</text>')

    def path(self, data, kind="line"):
        """Kinds: line, thin, dash; an arrow has `arrow` too."""
        self.arrows |= "arrow" in kind
        self.parts.append(f'<path class="{kind}" d="{data}"/>')

    def arrow(self, *points, kind="line"):
        steps = " ".join(f"{x:g} {y:g}" for x, y in points)
        self.path(f"M{steps}", f"{kind} arrow")

    def svg(self):
        light, dark = [], []
        for name, (fill, edge, dark_fill, dark_edge) in LAYERS.items():
            if name in self.used:
                light.append(f".{name}{{fill:{fill};stroke:{edge}}}")
                dark.append(f".{name}{{fill:{dark_fill};stroke:{dark_edge}}}")
        light += [f".{name}{{fill:{STAGES[name]}}}" for name in STAGES if name in self.stages]
        arrow = ('<defs><marker id="head" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
                 '<path class="head" d="M0 0L8 4L0 8z"/></marker></defs>\n') if self.arrows else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" role="img">\n'
            f"<title>{escape(self.title)}</title>\n<style>\n"
            f"text{{{FONT};font-size:13px;text-anchor:middle;fill:{INK[0]}}}\n"
            ".l{text-anchor:start}.r{text-anchor:end}.s{font-size:11px}.b{font-weight:bold}\n"
            ".m{font-family:'DejaVu Sans Mono',monospace;font-size:12px}.k{font-size:11px;fill:#111}"
            ".w{font-size:11px;fill:#fff}\n"
            f".p{{fill:{PALE[0]}}}.line,.thin,.dash{{fill:none;stroke:{PALE[0]};stroke-width:1.5}}\n"
            ".thin{stroke-width:.6}.dash{stroke-dasharray:4 3}.arrow{marker-end:url(#head)}\n"
            f".head{{fill:{PALE[0]}}}\n" + "\n".join(light) + "\n"
            "@media (prefers-color-scheme:dark){\n"
            f"text{{fill:{INK[1]}}}.k{{fill:#111}}.w{{fill:#fff}}.p{{fill:{PALE[1]}}}\n"
            f".line,.thin,.dash{{stroke:{PALE[1]}}}.head{{fill:{PALE[1]}}}\n" + "\n".join(dark) + "\n}\n</style>\n"
            + arrow + "\n".join(self.parts) + "\n</svg>\n")
