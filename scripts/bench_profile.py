# SPDX-License-Identifier: BSD-3-Clause
"""scripts/bench --profile: instructions a host I/O by part of the program, counted by callgrind, which no other work on
the machine disturbs, and events; with --caches misses of simulated caches, too. Two runs of different lengths; start-up
and the end fall out of their difference."""
import collections
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SHORT = 60  # a sixtieth of the requests of a case, and
LONG = 3    # times as many
# First-level caches of 32 KiB, a second level of 512 KiB.
CACHES = ["--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=524288,8,64"]

# Function names of the program to its parts; the first that fits.
PARTS = [
    (re.compile(r"Timer::call<&tlmssd::(\w+)::"), None),  # the callback, not who calls it
    (re.compile(r"^V\w*_?o3|^V\w+_(rtl|phy|v2001)\b|Verilated|VlTrigger"), "RTL"),
    (re.compile(r"\btlmssd::(\w+)::"), None),
    (re.compile(r"\btlmssd::"), "common"),
    (re.compile(r"\b(sc_core|sc_dt|tlm|tlm_utils)::"), "SystemC"),
    (re.compile(r"\bstd::|\b__gnu_cxx::|^operator"), "standard library"),
    (re.compile(r"^\w+(\.\w+)*$"), "firmware"),  # C
]


@dataclasses.dataclass
class Profile:
    """Of a host I/O. `misses`: {cache: misses}, empty where caches were not simulated."""
    parts: dict
    events: float
    misses: dict


def part_of(function, in_program):
    """The part of the program that a function belongs to."""
    if not in_program:
        return "libraries"
    for pattern, part in PARTS:
        found = pattern.search(function)
        if found:
            return part or found.group(1)
    return "other"


def costs(text):
    """{(function, whether it is in the program itself): instructions} of callgrind's output; callees are not counted."""
    found = collections.Counter()
    names, objects = {}, {}
    function, in_program, callee = "", False, False

    def named(table, field):
        number, _, name = field.partition(" ")
        if name:
            table[number] = name
        return table[number]

    for line in text.splitlines():
        key, equals, value = line.partition("=")
        if line and line[0] in "0123456789+-*":
            if callee:  # what a call has cost
                callee = False
            else:
                found[function, in_program] += int(line.split()[1])  # the first event: Ir
        elif equals and key == "ob":
            in_program = pathlib.PurePath(named(objects, value)).name == "tlmssd"
        elif equals and key == "cob":
            named(objects, value)
        elif equals and key == "fn":
            function = named(names, value)
        elif equals and key == "cfn":
            named(names, value)
        elif equals and key == "calls":
            callee = True
    return found


def misses(text):
    """{cache: misses} of a whole output; empty where it counts none."""
    lines = dict(line.split(":", 1) for line in text.splitlines() if line.startswith(("events:", "totals:")))
    totals = dict(zip(lines["events"].split(), map(int, lines["totals"].split())))
    if "I1mr" not in totals:
        return {}
    return {"first-level instruction": totals["I1mr"], "first-level data": totals["D1mr"] + totals["D1mw"],
            "second-level": totals["ILmr"] + totals["DLmr"] + totals["DLmw"]}


def aliases(text):
    """{name that the linker has made: name of the function at the same place} of the output of nm."""
    at = collections.defaultdict(list)
    for line in text.splitlines():
        words = line.split(" ", 2)
        if len(words) == 3 and words[1] in "tT":
            at[words[0]].append(words[2])
    made = re.compile(r"^\.LTHUNK")
    return {name: next((other for other in names if not made.match(other)), name)
            for names in at.values() for name in names if made.match(name)}


def per_io(short, long, requests, known):
    """{part: instructions an I/O}: the difference of two runs, of which the long one has `requests` more."""
    parts = collections.Counter()
    for sign, run in ((-1, short), (1, long)):
        for (function, in_program), count in run.items():
            parts[part_of(known.get(function, function), in_program)] += sign * count / requests
    return dict(parts)


def tool(command, environment=None):
    """Standard output of a command of the profile."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, env=environment)
    except FileNotFoundError:
        print(f"bench: no {command[0]} (package {'binutils' if command[0] == 'nm' else command[0]})", file=sys.stderr)
        sys.exit(2)
    if done.returncode != 0:
        print(done.stderr, end="", file=sys.stderr)
        print(f"bench: status {done.returncode} from: {' '.join(map(str, command))}", file=sys.stderr)
        sys.exit(done.returncode if done.returncode in (2, 3) else 3)
    return done.stdout


def profile(binary, requests, config, settings, root, caches=False):
    """The profile of a case of scripts/bench."""
    runs, counts = [], []
    least = max(1, requests // SHORT)
    with tempfile.TemporaryDirectory() as folder:
        for count in (least, LONG * least):
            out = pathlib.Path(folder) / str(count)
            command = [str(binary), "run", str(root / config), "--quiet"]
            for setting in [*settings, f"workload.requests={count}"]:
                command += ["--set", setting]
            # Events apart, as results cost instructions, too. This run keeps the aged device for the other one.
            aged = {**os.environ, "TLMSSD_CACHE": str(pathlib.Path(folder) / "aged")}
            results = pathlib.Path(folder) / f"results{count}"
            tool([*command, "--out", str(results)], aged)
            wall = json.loads((results / "results.json").read_text(encoding="utf-8"))["wall"]
            tool(["valgrind", "--tool=callgrind", "--dump-instr=no", *(CACHES if caches else []),
                  f"--callgrind-out-file={out}", *command], aged)
            text = out.read_text(encoding="utf-8")
            runs.append(costs(text))
            counts.append({"events": wall.get("timer_callbacks", wall.get("wheel_events")), **misses(text)})
    more = (LONG - 1) * least
    each = {name: (count - counts[0][name]) / more for name, count in counts[1].items()}
    return Profile(per_io(*runs, more, aliases(tool(["nm", "-C", str(binary)]))), each.pop("events"), each)


def table(name, measured, other=None):
    """Text of one case, the largest part first; `other`: the profile of another revision, in a second column."""
    def line(title, *values, more=""):
        return f"  {title:<32}" + "".join(f" {value:>12}" for value in values) + more

    both = [measured] + ([other] if other else [])
    totals = [sum(each.parts.values()) for each in both]
    lines = [f"{name}, of an I/O" + (" (the second column: the other revision)" if other else "")]
    lines.append(line("instructions", *(f"{total:,.0f}" for total in totals)))
    for part, count in sorted(measured.parts.items(), key=lambda item: -item[1]):
        values = [each.parts.get(part, 0) for each in both]
        if max(values) >= totals[0] / 1000:
            lines.append(line(f"  {part}", *(f"{value:,.0f}" for value in values), more=f" {count / totals[0]:>6.1%}"))
    lines.append(line("events", *(f"{each.events:,.2f}" for each in both)))
    for cache in measured.misses:
        lines.append(line(f"misses, {cache} cache", *(f"{each.misses[cache]:,.1f}" for each in both)))
    return "\n".join(lines)
