# SPDX-License-Identifier: BSD-3-Clause
# tlmssd: the design that scripts/synth, scripts/place-and-route and scripts/map-cells give to Yosys: its top, shape
# and parameters, the commands that read it, and their errors.
import collections
import difflib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

import rtl_sources

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHAPES = ("4x4", "8x8", "16x16")
TOPS = ("o3_controller", "o3_inorder", "o3_top")
# Before synth_ecp5, whose `share` else looks by SAT for decoders (1 << x) of 8 bits and more that two
# channels could have in common: most of the time of 8x8, for multiplexers that cost more than what they save.
SHIFTERS = "techmap -map +/techmap.v t:$shl t:$shr"
# o3_inorder is o3_controller without reordering: inputs as its registers MODE and STATIONS set them, for good.
# What that makes constant is found in rounds, by SAT, each from the one before: a bit of the intake, of a
# station, what is kept, at work, asked for. Selections are made gates first, else a constant stops at them.
TIES = {"mode_i": "2'b01", "stations_i": "5'b00001"}
ROUNDS = 8
# An input that is another clock's edge by edge.
ONE_CLOCK = {"clk_straps_i": "clk_i"}

# name: in reports and limits; reads: commands of Yosys; text: of the module, None: has what the contract says.
Design = collections.namedtuple("Design", "name module reads text parameters")


class Bad(Exception):
    """Bad arguments: status 2."""


def nearest_power(value, high):
    power = 1
    while power * 2 <= min(value, high):
        power *= 2
    return power * 2 if power * 2 <= high and power * 2 - value <= value - power else power


def shape_of(text):
    """(channels, LUNs a channel) of "8x8"."""
    match = re.fullmatch(r"(\d{1,6})x(\d{1,6})", text)
    if not match:
        raise Bad(f"--shape {text}: must be CHANNELSxLUNS, like {', '.join(SHAPES)}")
    channels, luns = int(match[1]), int(match[2])
    near = f"{min(max(channels, 1), 16)}x{nearest_power(max(luns, 1), 64)}"
    if near != f"{channels}x{luns}":
        raise Bad(f"--shape {text}: 1 to 16 channels, a power of two of 1 to 64 LUNs a channel; "
                  f"the nearest is {near}")
    return channels, luns


def nearest_name(text, names):
    """"; the nearest is ..." where one of the names is like the text."""
    near = difflib.get_close_matches(text, names, 1)
    return f"; the nearest is {near[0]}" if near else ""


def power_of(name, value, low, high):
    near = nearest_power(min(max(value, low), high), high)
    if near != value:
        raise Bad(f"{name} {value}: a power of two, {low} to {high}; the nearest is {near}")
    return value


def within(name, value, low, high):
    if not low <= value <= high:
        raise Bad(f"{name} {value}: {low} to {high}; the nearest is {min(max(value, low), high)}")


def version(words, pattern):
    """What a tool says of its version."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    found = re.search(pattern, done.stdout + done.stderr)
    return found[1] if found else "unknown"


def yosys(commands, folder):
    path = folder / "run.ys"
    path.write_text("\n".join(commands) + "\n", encoding="utf-8")
    try:
        done = subprocess.run(["yosys", "-Q", "-T", "-l", str(folder / "log"), "-q", str(path)],
                              cwd=ROOT / "rtl", capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise Bad("no yosys (package yosys): run scripts/setup --for test") from None
    if done.returncode in (130, -signal.SIGINT):  # Ctrl-C reached it first
        raise KeyboardInterrupt
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()[-5:]
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: yosys failed: " + "\n".join(said))
    return (folder / "log").read_text(encoding="utf-8")


def design_of(top):
    """A top of rtl/, or what the CMakeLists.txt of a folder adds (docs/start/own-rtl-controller.md)."""
    if top in TOPS:
        module = "o3_controller" if top == "o3_inorder" else top
        files = [str(path.relative_to(ROOT / "rtl"))
                 for path in rtl_sources.sources(ROOT / f"rtl/o3/{module}.f")]
        text = (ROOT / f"rtl/o3/{module}.sv").read_text(encoding="utf-8")
        return Design(top, module, ["read_verilog -sv -Icommon " + " ".join(files)], text, [])
    folder = pathlib.Path(top).resolve()
    if not (folder / "CMakeLists.txt").is_file():
        raise Bad(f"--top {top}: must be one of {', '.join(TOPS)}, or a folder with the CMakeLists.txt of a "
                  "controller (docs/start/own-rtl-controller.md)" + nearest_name(top, TOPS))
    with tempfile.TemporaryDirectory(prefix="tlmssd-synth-") as scratch:
        out = pathlib.Path(scratch) / "list"
        try:
            done = subprocess.run(["cmake", f"-DOUT={out}", "-P", str(ROOT / "cmake/rtl_list.cmake")], cwd=folder,
                                  capture_output=True, text=True, check=False)
        except FileNotFoundError:
            raise Bad("cmake not found: run scripts/setup") from None
        lines = out.read_text(encoding="utf-8").splitlines() if out.is_file() else []
    if done.returncode != 0 or len(lines) != 1:
        said = " ".join(done.stderr.split()) if done.returncode != 0 else f"adds {len(lines)} controllers, not one"
        raise Bad(f"--top {top}: its CMakeLists.txt: {said}")
    module, _, parameters, _, sources = lines[0].split("|")
    reads = ["read_verilog -sv -Icommon common/flash_op_pkg.sv"]
    reads += [f"read_verilog {'' if source.endswith('.v') else '-sv '}-Icommon -I{folder} {source}"
              for source in sources.split()]
    name = str(folder.relative_to(ROOT)) if folder.is_relative_to(ROOT) else str(folder)
    return Design(name, module, reads, None, [word.split("=", 1) for word in parameters.split()])


def ties_of(text):
    """The inputs of a top's text that are joined with its clock: o3_top has made that clock itself."""
    return {name: clock for name, clock in ONE_CLOCK.items()
            if re.search(rf"\binput\b[^,;()]*\b{name}\b", text or "")}


def tied(design, ties):
    """Commands that give inputs of the top constants or other inputs."""
    if not ties:
        return []
    return [f"cd {design.module}", *(f"delete -input w:{name}" for name in ties),
            *(f"connect -set {name} {value}" for name, value in ties.items()), "cd"]


def read_commands(options, design, channels, luns, tags, ties=None):
    """Commands of Yosys that read the design and make it ready for synth_ecp5; ties: {input: value} for good."""
    values = {"CHANNELS": channels, "LUNS": luns, "TAGS": tags}
    if design.text is not None:
        values["STATIONS"] = options.stations
        if options.clump:
            values["ISSUE_POLICY"] = 1
        values = {name: value for name, value in values.items()
                  if re.search(rf"parameter +int unsigned +{name}\b", design.text)}
    params = " ".join(f"-chparam {name} {value}" for name, value in [*values.items(), *design.parameters])
    commands = [*design.reads, f"hierarchy -check -top {design.module} {params}", "proc", "chformal -remove"]
    if design.name != "o3_inorder":
        return [*commands, SHIFTERS, *tied(design, ties)]
    return [*commands, *tied(design, TIES | (ties or {})), SHIFTERS, "flatten", "techmap -map +/techmap.v t:$shiftx", "opt -full",
            *["opt_mem", "opt_dff -sat", "opt -full"] * ROUNDS]


def stations_of(options):
    """Refuses what a top does not have; the stations of a LUN."""
    if options.top not in ("o3_controller", "o3_top"):
        if options.stations is not None:
            raise Bad(f"--stations: {options.top} has no choice of them")
        if options.clump:
            raise Bad(f"--clump: {options.top} gives its buses to who asked first; o3_controller, o3_top have it")
    if options.top == "o3_inorder":
        return 1
    stations = 8 if options.stations is None else options.stations
    if not 1 <= stations <= 16:
        raise Bad(f"--stations {stations}: 1 to 16; the nearest is {min(max(stations, 1), 16)}")
    return stations


def tags_of(options, channels, luns):
    """--tags, else 8 a LUN, the next power of two from there on."""
    tags = options.tags
    if tags is None:
        tags = min(max(1 << (8 * channels * luns - 1).bit_length(), 16), 256)
    return power_of("--tags", tags, 16, 256)


def table_of(path, columns):
    """{(top, shape): [number, ...]} of a table of limits; `columns` names its words."""
    table = {}
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not text.strip() or text.startswith("#"):
            continue
        words = text.split()
        if len(words) != len(columns.split()) or not all(word.isdigit() for word in words[2:]):
            raise Bad(f"{path.relative_to(ROOT)}:{number}: not `{columns}`: {text}")
        table[words[0], words[1]] = [int(word) for word in words[2:]]
    return table


def known(table):
    """The rows of a table of limits, as options."""
    return ", ".join(f"--top {top} --shape {shape}" for top, shape in table)


def can_be_written(option, name):
    """Refuses a file that write_whole could not write, before the work begins."""
    folder = pathlib.Path(name).resolve().parent
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise Bad(f"{option} {name}: no folder {folder} that can be written to")
    if pathlib.Path(name).exists() and not pathlib.Path(name).is_file():
        raise Bad(f"{option} {name}: not a regular file")


def write_whole(option, path, text):
    """The whole file or nothing."""
    new = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        new.write_text(text, encoding="utf-8")
        new.replace(path)
    except OSError as error:
        raise Bad(f"{option} {path}: cannot be written: {error.strerror}") from None
    finally:
        new.unlink(missing_ok=True)


def add_options(parser, shape, wide=True):
    """The options that choose the design."""
    parser.add_argument("--shape", default=shape,
                        help=f"CHANNELSxLUNS, LUNS per channel, such as {', '.join(SHAPES)} (default: %(default)s)")
    parser.add_argument("--top", default="o3_controller",
                        help=f"{', '.join(TOPS)} (default: %(default)s);\n"
                             "o3_inorder: o3_controller with its mode tied to in order and one station per LUN;\n"
                             "or a folder with the CMakeLists.txt of a controller (docs/start/own-rtl-controller.md)")
    parser.add_argument("--tags", type=int,
                        help="tags, a power of two from 16 to 256 (default: 8 per LUN, rounded up)")
    parser.add_argument("--stations", type=int, help="stations per LUN, 1 to 16 (default: 8)")
    parser.add_argument("--clump", action="store_true", help="use ISSUE_POLICY clump (docs/explanation/o3-bus.md)")
    if wide:
        parser.add_argument("--wide", action="store_true", help="use PFUMX and L6MUX21, the default of synth_ecp5")


def ends(main):
    """Runs a program: the status of each end, with one line of why."""
    name = pathlib.Path(sys.argv[0]).name
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the netlist goes and the tool ends
    try:
        sys.exit(main())
    except Bad as error:
        print(f"{name}: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print(f"{name}: interrupted", file=sys.stderr)
        sys.exit(130)
    except OSError as error:  # a full disk
        print(f"{name}: {error.filename or 'standard output'}: {error.strerror}", file=sys.stderr)
        sys.exit(2)
