# SPDX-License-Identifier: BSD-3-Clause
"""The command line of scripts/same-results."""
import argparse
import dataclasses
import fnmatch
import functools
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import threading
import time

from tlmssd_lab.run import pool

from . import build_rows, cases_devices, cases_features, cases_tools, execute, renames, sides
from .common import CommonValues
from .compare import Comparison
from .renames import Problem

ROOT = pathlib.Path(__file__).resolve().parents[2]
NO_RESULTS = "without results"  # with --common
RENAMES = "scripts/same_results/renames.csv"
DESCRIPTION = "Run OLD and NEW on the same cases and compare all that they write, byte for byte."
EPILOG = """\
OLD and NEW: a checkout with a release build, or a revision, which is built in
~/.cache/tlmssd/same-results/COMMIT ($XDG_CACHE_HOME counts).

Compared are results.json and replay.json without the values of `wall`, exit status, both output streams,
--log, --ops, --timeline, --steps, snapshots, waves as text, the key reference and the RV32 code.
Outcomes of OLD are kept for the next time; those of NEW never are. With --common only exit statuses and those values
of results.json and replay.json count of which both sides have the key, without `schema`, `config`, `config_hash` and
`wall`: for revisions between which keys and messages have come.

The file of --renames has lines kind,old,new:
  key,ftl.map.planes,ftl.map.places            a key of the configuration, or a section
  value,scheduler=host,scheduler=ooo           a value of a key or of a path in results.json
  result,ftl.gc.held,ftl.gc.waits              a path in results.json or replay.json; [] for list items
  option,--ops,--record                        an option or a subcommand
  file,configs/ssd/paq.yaml,configs/paq.yaml   a path below the checkout
  text,dies idle,idle dies                     words of messages and other text
  declared,sched/*-iss,the firmware is faster  rows that may differ; only their exit status counts, and that the
                                               model found no error
  declared,*:config_hash,keys were renamed     a path of the JSON files that may differ in these rows

Exit status: 0 all rows are identical or declared to differ, 1 some differ, 2 wrong input.

Examples:
  scripts/same-results main .
  scripts/same-results ../before . --only 'sched/*' --only 'waves/*' --keep out/same
"""


@dataclasses.dataclass
class Verdict:
    """Of one row: identical, differs, declared, proves nothing, or NO_RESULTS."""

    state: str
    words: str = ""


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message):
        raise Problem(message)


def positive(text):
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number above 0")
    return int(text)


def parse(arguments):
    parser = Parser(prog="scripts/same-results", description=DESCRIPTION, epilog=EPILOG,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", metavar="OLD", nargs="?", help="checkout or revision")
    parser.add_argument("new", metavar="NEW", nargs="?", help="checkout or revision")
    parser.add_argument("--renames", type=pathlib.Path, metavar="FILE",
                        help=f"names that changed in NEW (default: {RENAMES} of NEW)")
    parser.add_argument("--may-differ", action="append", default=[], metavar="GLOB",
                        help="rows that are declared to differ (repeatable)")
    parser.add_argument("--common", action="store_true",
                        help="compare the values of results.json and replay.json that both sides have, and nothing else")
    parser.add_argument("--only", action="append", metavar="GLOB", help="run only these rows (repeatable)")
    parser.add_argument("--list", action="store_true", help="print the names of the rows and run nothing")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="keep all outputs in DIR/old and DIR/new")
    parser.add_argument("--jobs", type=positive, default=len(os.sched_getaffinity(0)), metavar="N",
                        help="cases at a time (default: one per core)")
    parser.add_argument("--fresh", action="store_true", help="run OLD even where its outcomes are known")
    parser.add_argument("--symbols", action="store_true",
                        help=f"add the row {build_rows.SYMBOLS}: the libraries define the same symbols (pure moves)")
    args = parser.parse_args(arguments)
    if not args.list and args.new is None:
        parser.error("OLD and NEW are needed (--help shows how)")
    return args


def all_cases():
    return [*cases_devices.cases(), *cases_features.cases(), *cases_tools.cases()]


def chosen(cases, extra, globs):
    """The cases and other rows that the globs name; each glob has to name one."""
    if globs is None:
        return cases, extra
    names = [case.name for case in cases] + extra
    for glob in globs:
        if not fnmatch.filter(names, glob):
            raise Problem(f"--only {glob}: names no row (--list shows all)")

    def wanted(name):
        return any(fnmatch.fnmatchcase(name, glob) for glob in globs)
    return [case for case in cases if wanted(case.name)], [name for name in extra if wanted(name)]


def judged(row, difference, fatal, ignored, names):
    """The verdict on a row whose first difference is known."""
    if difference is None:
        return Verdict("declared", f"{ignored[0]}") if ignored else Verdict("identical")
    line = names.declared_row(row)
    if line is not None and fatal is None:
        line.used = True
        return Verdict("declared", f"{line.new}: {difference}")
    return Verdict("differs", str(fatal if line is not None else difference))


def unexpected(case, old, new):
    """Commands that end on both sides alike, but not as the case says."""
    for number, command in enumerate(case.commands):
        status = old.statuses[number]
        if status == new.statuses[number] != command.status:
            path = new.folder / f"{number + 1}.stderr"
            said = path.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            return (f"command {number + 1} ends with {status} on both sides, expected {command.status}"
                    + (f": {said[-1]}" if said else ""))
    return None


class Proof:
    """One comparison of two sides."""

    def __init__(self, args, old, new, names, folder):
        self.args, self.old, self.new, self.names, self.folder = args, old, new, names, folder
        self.runner = execute.Runner(sides.cache_folder() / "outcomes", args.fresh)
        self.verdicts = {}
        self.commands = self.cached = 0
        self._lock = threading.Lock()

    def case(self, case):
        """Run both sides, unless OLD's outcome is known, and compare."""
        places = {side.label: self.folder / side.label.lower() / case.name for side in (self.old, self.new)}
        old = self.runner.outcome(case, self.old, self.names, places["OLD"], use_cache=True)
        new = self.runner.outcome(case, self.new, self.names, places["NEW"], use_cache=False)
        if self.args.keep is not None and old.cached:
            shutil.copytree(old.folder, places["OLD"])
        with self._lock:
            self.commands += len(case.commands)
            self.cached += old.cached
        words = unexpected(case, old, new)
        if words is not None:
            verdict = Verdict("proves nothing", words)
        else:
            comparison = (CommonValues if self.args.common else Comparison)(case, old, new, self.names)
            difference = comparison.first()
            fatal = comparison.invariants() if difference is not None else None
            verdict = judged(case.name, difference, fatal, comparison.ignored, self.names)
            if verdict.state == "identical" and not comparison.compares():
                verdict = Verdict(NO_RESULTS)
        if self.args.keep is None:
            for place in places.values():
                shutil.rmtree(place, ignore_errors=True)
        return verdict

    def other(self, name):
        """A row that runs nothing."""
        function = {build_rows.CODE: build_rows.rv32_code, build_rows.SYMBOLS: build_rows.symbols}[name]
        return judged(name, function(self.old, self.new, self.names), None, [], self.names)

    def run(self, cases, extra):
        """All rows; what is not identical is printed as it is found."""
        names = [case.name for case in cases] + extra
        calls = [functools.partial(self.case, case) for case in cases]
        calls += [functools.partial(self.other, name) for name in extra]
        pool.run_threads(calls, self.args.jobs, self.runner.stop,
                         lambda index, future: self._take(names[index], future.result(), len(names)))
        if self.runner.stopped:
            raise execute.Interrupted

    def _take(self, name, verdict, total):
        self.verdicts[name] = verdict
        progress = sys.stderr.isatty()
        if progress:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        if verdict.state not in ("identical", NO_RESULTS):
            print(f"{verdict.state:<8}  {name}: {verdict.words}", flush=True)
        if progress:
            print(f"{len(self.verdicts)} of {total}", end="" if len(self.verdicts) < total else "\r\033[K",
                  file=sys.stderr, flush=True)

    def summary(self, seconds):
        """The last line, and whether nothing differs."""
        count = {state: sum(v.state == state for v in self.verdicts.values())
                 for state in ("identical", "differs", "declared", "proves nothing", NO_RESULTS)}
        text = (f"{len(self.verdicts)} runs: {count['identical']} identical, {count['differs']} differ, "
                f"{count['declared']} declared")
        if count["proves nothing"]:
            text += f", {count['proves nothing']} prove nothing"
        if self.args.common:
            text += f", {count[NO_RESULTS]} without results"
        return (f"{text}; {self.commands} command lines a side in {seconds:.0f} s, {self.args.jobs} at a time, "
                f"OLD of {self.cached} runs known before"), not (count["differs"] or count["proves nothing"])


def named(args, new):
    """The renames of the user's file, or of NEW's."""
    path = args.renames if args.renames is not None else new.root / RENAMES
    lines = renames.read(path) if args.renames is not None or path.is_file() else []
    return renames.Names(lines, args.may_differ)


def doubts(old, new):
    """What may make the comparison prove less than the user thinks."""
    if old.root != new.root and old.fingerprint == new.fingerprint:
        yield "OLD and NEW have the same programs and configurations: is NEW built?"
    for side in (old, new):
        path = sides.newer_source(side)
        if path is not None:
            yield f"{side.label}: {path} is younger than the build: run scripts/build"


def check_tools(cases):
    if any(case.has_waves for case in cases) and shutil.which("fst2vcd") is None:
        raise Problem("no fst2vcd (package gtkwave): run scripts/setup --for test")


def compare(args):
    """The whole comparison; the exit status."""
    cases, extra = chosen(all_cases(), [build_rows.CODE] * (not args.common) + [build_rows.SYMBOLS] * args.symbols,
                          args.only)
    if args.list:
        print("\n".join([case.name for case in cases] + extra))
        return 0
    check_tools(cases)
    if args.keep is not None and args.keep.exists() and (not args.keep.is_dir() or any(args.keep.iterdir())):
        raise Problem(f"--keep {args.keep}: is not an empty folder")
    begin = time.monotonic()
    programs = {command.program for case in cases for command in case.commands}
    old, new = (sides.find(label, text, ROOT, programs) for label, text in (("OLD", args.old), ("NEW", args.new)))
    names = named(args, new)
    for words in doubts(old, new):
        print(f"same-results: {words}", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="same-results-") as folder:
        place = pathlib.Path(folder)
        if args.keep is not None:
            args.keep.mkdir(parents=True, exist_ok=True)
            place = args.keep.resolve()
        proof = Proof(args, old, new, names, place)
        proof.run(cases, extra)
    execute.prune(proof.runner.cache)
    if args.only is None:
        for rename in names.renames:
            if not rename.used:
                print(f"unused    {rename.place}: {rename.kind} {rename.old}: no run had it", file=sys.stderr)
    text, same = proof.summary(time.monotonic() - begin)
    print(text)
    return 0 if same else 1


def interrupt(_number, _frame):
    """What a batch system sends ends a comparison as Ctrl-C does."""
    raise KeyboardInterrupt


def main(arguments):
    """Exit status: 0 nothing differs, 1 something differs, 2 wrong input, 130 interrupted."""
    for number in (signal.SIGINT, signal.SIGTERM):  # SIGINT, too: what starts a job in the background has it ignored
        signal.signal(number, interrupt)
    try:
        return compare(parse(arguments))
    except Problem as problem:
        print(f"same-results: {problem}", file=sys.stderr)
    except OSError as error:
        print(f"same-results: {error.filename or 'system'}: {error.strerror}", file=sys.stderr)
    except (KeyboardInterrupt, execute.Interrupted):
        print("same-results: interrupted", file=sys.stderr)
        return 130
    return 2
