# SPDX-License-Identifier: BSD-3-Clause
"""scripts/bench --profile: instructions a host I/O by part of the program, counted by callgrind, which no other work on
the machine disturbs. Two runs of different lengths; start-up and the end fall out of their difference."""
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

SHORT = 60  # a sixtieth of the requests of a case, and
LONG = 3    # times as many

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
                found[function, in_program] += int(line.split()[-1])
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


def tool(command):
    """Standard output of a command of the profile."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        print(f"bench: no {command[0]} (package {'binutils' if command[0] == 'nm' else command[0]})", file=sys.stderr)
        sys.exit(2)
    if done.returncode != 0:
        print(done.stderr, end="", file=sys.stderr)
        print(f"bench: status {done.returncode} from: {' '.join(map(str, command))}", file=sys.stderr)
        sys.exit(done.returncode if done.returncode in (2, 3) else 3)
    return done.stdout


def profile(binary, requests, config, settings, root):
    """{part: instructions an I/O} of a case of scripts/bench."""
    runs = {}
    least = max(1, requests // SHORT)
    with tempfile.TemporaryDirectory() as folder:
        for count in (least, LONG * least):
            out = pathlib.Path(folder) / str(count)
            command = ["valgrind", "--tool=callgrind", "--dump-instr=no", f"--callgrind-out-file={out}", str(binary), "run",
                       str(root / config), "--quiet"]
            for setting in [*settings, f"workload.requests={count}"]:
                command += ["--set", setting]
            tool(command)
            runs[count] = costs(out.read_text(encoding="utf-8"))
    return per_io(runs[least], runs[LONG * least], (LONG - 1) * least, aliases(tool(["nm", "-C", str(binary)])))


def table(name, parts):
    """Text of one case, the largest part first."""
    total = sum(parts.values())
    lines = [f"{name}: {total:,.0f} instructions an I/O"]
    lines += [f"  {part:<20} {count:>10,.0f} {count / total:>6.1%}"
              for part, count in sorted(parts.items(), key=lambda each: -each[1]) if count >= total / 1000]
    return "\n".join(lines)
