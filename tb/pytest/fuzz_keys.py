# SPDX-License-Identifier: BSD-3-Clause
"""Random values of the configuration's keys, within the ranges that configs/schema.json documents."""
import json
import math
import random
import re

from cli import DEFAULT, INPUT_ERROR, ROOT, set_options

# Each run is short because of these, not because of what is drawn: a small device and few requests.
BASE = {"geometry.channels": 2, "geometry.ways": 2, "geometry.dies": 1, "geometry.blocks": 48, "geometry.pages": 32,
        "ftl.over_provisioning": 0.35, "buffer.size_mib": 4, "workload.requests": 120, "precondition.fill": 0.5}

# Keys that only multiply the size of a device or the length of a run, and the most that is drawn of them.
CLIPPED = {"geometry.channels": 4, "geometry.ways": 4, "geometry.chip_enables": 2, "geometry.dies": 4,
           "geometry.blocks": 64, "geometry.pages": 128, "nand.blocks": 64, "nand.pages": 128,
           "nand.page_bytes": 16384, "buffer.size_mib": 64, "workload.requests": 500, "workload.bs": 1 << 17,
           "workload.numjobs": 8, "workload.iodepth": 64, "workload.launches": 4, "workload.launch_apps": 4,
           "workload.launch_reads": 100, "workload.launch_bs": 1 << 16, "precondition.overwrite": 2,
           "precondition.steady_limit": 4, "controller.read_retries": 7, "precondition.steady_windows": 10}

# Keys that name files or other texts: a random text is no value in range.
TEXTS = {"include", "nand", "workload", "workload.trace", "workload.jobs", "workload.fio", "workload.name",
         "workload.format", "workload.trace_columns", "controller.rtl", "cpu.firmware", "inject.fault_script",
         "nand.name", "nand.manufacturer", "nand.jedec_id", "nand.source", "dram.timing"}

FAULTS = ("sata.", "nand.errors.", "inject.", "controller.read_retries", "controller.timeout_us", "buffer.power",
          "ftl.recovery", "host.timeout_ms")


def leaves(schema=None, place=None, path=""):
    """{dotted path: its schema} of all keys with a value of their own."""
    if schema is None:
        schema = json.loads((ROOT / "configs/schema.json").read_text(encoding="utf-8"))
        place = schema
    found = {}
    for name, child in place.get("properties", {}).items():
        full = f"{path}{name}"
        for choice in [child, *child.get("oneOf", [])]:
            if "$ref" in choice:
                child = schema["$defs"][choice["$ref"].rsplit("/", 1)[1]]
        if "properties" in child:
            found |= leaves(schema, child, full + ".")
        elif full not in TEXTS:
            found[full] = child
    return found


def number(rng, key, low, high, whole):
    """A bound now and then, else spread over the orders of magnitude."""
    high = min(high, CLIPPED.get(key, high))
    kind = rng.random()
    if kind < 0.1 or low >= high:
        return low
    if kind < 0.2:
        return high
    if kind < 0.5 or low < 0:
        value = rng.uniform(low, high)
    else:
        least = max(low, 1 if whole else high * 1e-9, 1e-12)
        value = math.exp(rng.uniform(math.log(least), math.log(high)))
    value = min(max(value, low), high)
    return int(value) if whole else float(f"{value:.6g}")


def draw(rng, key, leaf):
    """A value within the range of `leaf`; None: the schema gives no range."""
    if "oneOf" in leaf:
        return draw(rng, key, rng.choice(leaf["oneOf"]))
    if "const" in leaf:
        return leaf["const"]
    if "enum" in leaf:
        return rng.choice(leaf["enum"])
    kind = leaf.get("type")
    if kind == "boolean":
        return rng.choice(["true", "false"])
    if kind in ("integer", "number"):
        low = leaf.get("minimum", leaf.get("exclusiveMinimum"))
        if low is None or "maximum" not in leaf:
            return None
        if "exclusiveMinimum" in leaf:
            low = leaf["maximum"] * 1e-6
        return number(rng, key, low, leaf["maximum"], kind == "integer")
    return leaf.get("default")


def fault_script(rng, path, channels=2, ways=2):
    """A script of a few faults, in ranges that BASE has."""
    lines = []
    for _ in range(rng.randint(1, 4)):
        die = f"die {rng.randrange(channels)}/{rng.randrange(ways)}/0"
        what = rng.choice(["stops answering", "answers again", "fails programs", "fails erases",
                           f"block {rng.randrange(2)}/{rng.randrange(48)} goes bad"])
        lines.append(f"at {rng.choice([0, 1, 50, 2000, 20000])} us: {die} {what}\n")
    path.write_text("".join(lines), encoding="utf-8")
    return path


def accepted(tlmssd, settings):
    """The settings without those that the check refuses by name, keys without effect beside the others.

    A refused value of a key of BASE becomes that of BASE, which keeps runs short."""
    settings = dict(settings)
    for _ in range(2 * len(settings)):
        done = tlmssd("describe", DEFAULT, *set_options(assignments(settings)))
        named = re.match(r"tlmssd: --set ([a-z0-9_.]+)=", done.stderr)
        if done.returncode != INPUT_ERROR or named is None or named[1] not in settings:
            break
        key = named[1]
        if settings[key] != BASE.get(key, settings[key]):
            settings[key] = BASE[key]
        else:
            del settings[key]
    return settings


def assignments(settings):
    return [f"{key}={value}" for key, value in settings.items()]


def combination(tlmssd, seed, kind, folder):
    """The settings of one run; `kind`: "faults" or "all"."""
    rng = random.Random(f"{kind} {seed}")
    keys = leaves()
    settings = dict(BASE)
    if kind == "faults":
        keys = {key: leaf for key, leaf in keys.items() if key.startswith(FAULTS)}
        settings["workload.rw"] = rng.choice(["randread", "randwrite", "randrw", "read", "write"])
        settings["workload.bs"] = rng.choice([4096, 16384, 131072])
        settings["nand.errors.enabled"] = "true"
        if rng.random() < 0.7:
            settings["sata.bit_error_rate"] = draw(rng, "", keys["sata.bit_error_rate"])
        if rng.random() < 0.3:
            settings["inject.fault_script"] = fault_script(rng, folder / "faults.txt")
    else: # the switches decide which keys have an effect
        switches = [key for key, leaf in sorted(keys.items()) if "enum" in leaf and "." in key or key == "scheduler"]
        for key in rng.sample(switches, rng.randint(0, 6)):
            settings[key] = draw(rng, key, keys[key])
    chosen = rng.sample(sorted(keys), min(len(keys), rng.randint(2, 12)))
    for key in chosen:
        value = draw(rng, key, keys[key])
        if value is not None and value != "":
            settings[key] = value
    if rng.random() < 0.1:
        settings.setdefault("cpu.model", "iss")
    return assignments(accepted(tlmssd, settings))
