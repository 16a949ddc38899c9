# SPDX-License-Identifier: BSD-3-Clause
"""docs/reference/catalogue.md: what a user can choose, each with its sentence, from the tables and
files that declare it."""

import json
import pathlib
import re

from docs_tools.programs import ROOT, ProgramError, Programs

HEAD = """# Catalogue

The choices of a configuration, each with a sentence. `scripts/gen/gen_reference.py --write` makes this page from the
tables and files that declare them. Settings that conflict: [compatibility.md](compatibility.md).
"""
STRING = r'"(?:[^"\\]|\\.)*"'
# Traits of firmware/hal/sched.def, in words.
TRAITS = {
    "SCHED_TRANSLATES_LATE": "translates at commit",
    "SCHED_COPIES_BACK": "copyback",
    "SCHED_PLACES_WRITES": "places writes",
    "SCHED_REALLOCATES": "reallocates writes",
    "SCHED_ASSIGNS_TOGETHER": "assigns pages together",
    "SCHED_HEARS_OF_WAITS": "hears of waits",
    "SCHED_TAKES_BACK": "takes writes back",
    "SCHED_COUNTS_HITS": "counts hits",
    "SCHED_LETS_GC_PASS": "GC passes host programs",
    "SCHED_JOINS_WRITES": "joins writes",
    "SCHED_ONE_A_DIE": "one operation per die",
    "SCHED_JOINS_PLANES": "joins planes",
    "SCHED_REORDERS": "reorders",
    "SCHED_READS_AHEAD": "two reads per die",
}
MOST_ROWS = 40
MODES = r"(?:serial|inorder|ooo)(?:, (?:serial|inorder|ooo))*"


def page(programs: Programs) -> str:
    parts = [HEAD, _schedulers(), _policies("Buffer policies", "buffer.policy", "buffer_policies.def",
                                            "BUFFER_POLICY", "../explanation/buffer-policies.md"),
             _policies("Victims of garbage collection", "ftl.gc.policy", "gc_policies.def", "GC_POLICY",
                       "../explanation/gc.md"),
             _orders(), _controllers(programs), _formats(),
             _files("Device files", "configs/ssd", "`tlmssd run FILE`. A file may include others."),
             _files("NAND parts", "configs/nand", "A device file names one with `nand: PATH`."),
             _files("DRAM parts", "configs/dram", "A device file takes one with `include: PATH`."),
             _files("Workload presets", "configs/workloads", "`--workload NAME`.")]
    return "\n".join(parts)


def table(heads: list[str], rows: list[list[str]]) -> str:
    """A table, cut so that none has more than 40 rows."""
    head = "| " + " | ".join(heads) + " |\n|" + "---|" * len(heads)
    if not rows:
        raise ProgramError(f"catalogue: nothing found for {heads}")
    pieces = [rows[at:at + MOST_ROWS] for at in range(0, len(rows), MOST_ROWS)]
    return "\n\n".join(head + "".join("\n| " + " | ".join(row) + " |" for row in piece)
                       for piece in pieces) + "\n"


def definitions(text: str, macro: str) -> list[list[str]]:
    """The arguments of each MACRO(...) of a .def file; comments are left out."""
    text = re.sub(r"^//[^\n]*", "", text, flags=re.M)
    found = []
    for call in re.findall(rf"^{macro}\(((?:{STRING}|[^\"()])*)\)", text, re.M | re.S):
        parts = [part.strip() for part in re.findall(rf"(?:{STRING}|[^,\"])+", call)]
        found.append([_argument(" ".join(part.split())) for part in parts])
    return found


def _argument(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text.startswith('"') else text


def _definitions(name: str, macro: str) -> list[list[str]]:
    return definitions((ROOT / "firmware/hal" / name).read_text(encoding="utf-8"), macro)


def _schedulers() -> str:
    rows = []
    for _, name, mode, traits, words in _definitions("sched.def", "SCHED"):
        listed = [trait.strip() for trait in traits.split("|") if trait.strip() != "0"]
        rows.append([f"`{name}`", mode.lower(), words, ", ".join(TRAITS[trait] for trait in listed)])
    return ("## Schedulers\n\n`scheduler: NAME`. The mode is that of the flash controller under `controller.mode: auto`.\n"
            "What a trait means: `firmware/hal/sched_traits.h`.\n\n" +
            table(["name", "mode", "what it does", "traits"], rows))


def _policies(title: str, key: str, file: str, macro: str, link: str) -> str:
    rows = [[f"`{name}`", words] for _, name, words in _definitions(file, macro)]
    return f"## {title}\n\n`{key}: NAME` ([{pathlib.Path(link).name}]({link})).\n\n" + table(["name", "meaning"], rows)


def _choices(key: str) -> list[str]:
    node = json.loads((ROOT / "configs/schema.json").read_text(encoding="utf-8"))
    for part in key.split("."):
        node = node["properties"][part]
        node = next((each for each in node.get("anyOf", node.get("oneOf", [])) if "properties" in each), node)
    found = re.findall(r'"enum": (\[[^\]]*\])', json.dumps(node))
    if not found:
        raise ProgramError(f"configs/schema.json: {key} has no choices")
    return json.loads(found[0])


def _orders() -> str:
    names = {"C": "channel", "W": "way (package)", "D": "die", "P": "plane"}
    rows = [[f"`{order}`", ", ".join(names[letter] for letter in order)] for order in _choices("ftl.allocation")]
    return ("## Allocation orders\n\n`ftl.allocation: NAME` with `ftl.placement: order`: successive pages go first to the "
            "next place\nof the first column's first letter, and so on.\n\n" + table(["name", "order"], rows))


def _controllers(programs: Programs) -> str:
    """Those of this build."""
    rows = [["`tlm`", "serial, inorder, ooo", "transaction-level models in C++ (`controller.kind: tlm`)"]]
    rows += [[f"`{name}`", modes, words] for name, modes, words in rtl_controllers(programs)]
    if len(rows) == 1:
        raise ProgramError("catalogue: this build has no RTL controllers; build with TLMSSD_RTL=ON")
    return ("## Flash controllers\n\n`controller.kind: tlm`, or `controller.kind: rtl` (`rtl_pins`: with an ONFI PHY) and "
            "`controller.rtl: NAME`.\nThe RTL controllers are those of a build with tests.\n\n" +
            table(["name", "modes", "what it is"], rows))


def rtl_controllers(programs: Programs) -> list[tuple[str, str, str]]:
    """(name, modes, words): as `tlmssd list controllers` has them, or the help of `tlmssd run`."""
    listed = programs.run(["tlmssd", "list", "controllers", "--json"])
    if listed.returncode == 0:
        found = [(entry["name"], re.fullmatch(rf"RTL: ({MODES})(?:: (.*))?", entry["sentence"], re.S))
                 for entry in json.loads(listed.stdout) if entry.get("key") == "controller.rtl"]
        return [(name, match[1], match[2] or "") for name, match in found]
    section = re.search(r"^RTL controllers[^\n]*\n((?:  .*\n?)+)", programs.help(["tlmssd", "run"]), re.M)
    return re.findall(rf"^  (\w+)\s+({MODES}): (.*)$", section[1] if section else "", re.M)


def _formats() -> str:
    folder = ROOT / "models/workload/formats"
    rows = [[f"`{name}`", _cell(words or _sentence_of_format(folder, name))]
            for name, words in formats((folder / "formats.cpp").read_text(encoding="utf-8"))]
    return ("## Trace formats\n\n`--format NAME` or `workload.format: NAME` "
            "([workloads.md](../guides/workloads.md)).\n\n" + table(["name", "what it reads"], rows))


def formats(text: str) -> list[tuple[str, str]]:
    """(name, sentence or "") of each row of kFormats."""
    begin = text.index("kFormats[] = {")
    rows = re.split(r"^    \{(?=\")", text[begin:text.index("\n};", begin)], flags=re.M)[1:]
    found = [[literal[1:-1] for literal in re.findall(STRING, row)] for row in rows]
    return [(words[0], " ".join(words[1:])) for words in found]


def _sentence_of_format(folder: pathlib.Path, name: str) -> str:
    """What the file of the format begins with; of a variant also the comment on its maker."""
    stem = name.replace("-", "_")
    made = re.search(rf"((?:^/// .*\n)*)^std::unique_ptr<TraceFormat> make_{stem}\(",
                     (folder / "formats.h").read_text(encoding="utf-8"), re.M)
    while stem:
        file = folder / f"format_{stem}.cpp"
        if file.is_file():
            words = file.read_text(encoding="utf-8").split("\n")[1].removeprefix("// tlmssd: ")
            if stem != name.replace("-", "_") and made and made[1]:
                words += " " + " ".join(made[1].replace("/// ", "").split())
            return words.rstrip(".")
        stem = stem.rpartition("_")[0]
    raise ProgramError(f"catalogue: no file for the trace format {name}")


def _files(title: str, folder: str, how: str) -> str:
    rows = []
    for path in sorted((ROOT / folder).glob("*.yaml")):
        rows.append([f"`{path.stem}`", _cell(first_sentence(path.read_text(encoding="utf-8"), path))])
    return f"## {title}\n\n{how} Files of `{folder}`.\n\n" + table(["name", "what it is"], rows)


def first_sentence(text: str, path: pathlib.Path) -> str:
    """The first sentence of the comment that a file begins with."""
    lines = []
    for line in text.split("\n"):
        if not line.startswith("#"):
            break
        words = line.lstrip("#").strip()
        if "SPDX" not in words:
            lines.append(words)
    comment = " ".join(lines)
    found = re.match(r"(.+?[.;:])(?= [A-Z-]|$)(?<!e\.g\.)", comment) or re.match(r"(.+)", comment)
    if not found:
        raise ProgramError(f"{path.relative_to(ROOT)}: begins with no comment that says what it is")
    return found[1].rstrip(".;:")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
