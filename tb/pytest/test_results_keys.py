# SPDX-License-Identifier: BSD-3-Clause
"""Every key that a run writes is in the schema of results.json, and every key of the schema is written exactly
where its condition ("only with ...") says so."""
import json

import jsonschema
import pytest

from cli import DEFAULT, DONE, ROOT, set_options

SMALL = ["geometry.channels=2", "geometry.ways=1", "geometry.dies=2", "geometry.planes=2", "geometry.blocks=40",
         "geometry.pages=16", "buffer.size_mib=1", "ftl.over_provisioning=0.5", "host.kind=direct"]
LOAD = ["workload.rw=randrw", "workload.rwmixread=50", "workload.bs=8192", "workload.requests=300"]
SCHEMA = json.loads((ROOT / "docs/reference/results.schema.json").read_text(encoding="utf-8"))

SNAPSHOT, TIMED = "with `--snapshot`", "with `--timed-mount`"
JOURNAL, TIMED_JOURNAL = "with `ftl.recovery: journal`", "with `--timed-mount` and `ftl.recovery: journal`"
RTL, REGISTERS = "with `controller.kind: rtl` or `rtl_pins`", "with `controller.rtl: o3`"
LAUNCHES = "of a job of launches"
NOTED = "where one was made"
SOST, HYBRID, EITHER = "with scheduler `sost`", "with scheduler `hybrid`", "with scheduler `sost` or `hybrid`"
WORN = ["nand.errors.enabled=true", "nand.errors.program_fail=0.02", "nand.errors.erase_fail=0.05",
        "precondition.fill=0.5", "workload.rwmixread=30", "workload.requests=20000", "workload.flush_every=100"]

# Keys of a run, and the conditions that hold in it.
CASES = {
    "plain": ([], []),
    "no-observers": (["observe.stages=false", "observe.packages=false"], []),
    "packages": (["observe.packages=true"], []),
    "rtl": (["controller.kind=rtl", "scheduler=host"], [RTL, REGISTERS]),
    "sata": (["host.kind=sata", "sata.bit_error_rate=1e-7"], ["with `sata.bit_error_rate` or `sata.fifo_kib`"]),
    "nvme": (["host.kind=nvme"], ["with `host.kind: nvme`"]),
    "journal": (["ftl.recovery=journal"], [JOURNAL]),
    "dftl": (["ftl.mapping=dftl"], ["with `ftl.mapping: dftl`"]),
    "log-block": (["ftl.mapping=log_block"], ["with `ftl.mapping: log_block`"]),
    "units": (["ftl.mapping_unit=4KiB"], ["with `ftl.mapping_unit: 4KiB`"]),
    "worn": (WORN, ["where `ftl.read_only` is true"]),
    "padding": (["buffer.policy=bplru", "buffer.page_padding=true", "buffer.block_pages=8"],
                ["with `buffer.page_padding`"]),
    "read-ahead": (["buffer.read_ahead=4"], ["with `buffer.read_ahead`"]),
    "age-limit": (["scheduler=paq2", "paq.age_limit_us=500"], ["with `paq.age_limit_us`"]),
    "sets": (["buffer.policy=cawr"], ["with `buffer.policy: gating`, `cave`, `cawr` or `cawr_block`"]),
    "cache-operations": (["scheduler=host", "controller.cache_ops=both"], ["with `controller.cache_ops`"]),
    "prefetch": (["prefetch.mode=fast"], ["with `prefetch.mode`"]),
    "sost": (["scheduler=sost"], [SOST, EITHER]),
    "hybrid": (["scheduler=hybrid"], [HYBRID, EITHER]),
    "iss": (["cpu.model=iss"], ["with `cpu.model: iss`"]),
    "banks": (["dram.model=banks"], ["with `dram.model: banks`"]),
    "warm-up": (["workload.warmup=requests", "workload.warmup_requests=100"], []),
}


def resolve(schema):
    return SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")] | schema if "$ref" in schema else schema


def catalogue(schema=SCHEMA, path="", only=()):
    """(key, conditions) of each leaf of the schema: ("flash.channels[].busy_s", ())."""
    if "items" in schema:
        yield from catalogue(resolve(schema["items"]), path + "[]", only)
    elif "properties" not in schema:
        yield path, only
    else:
        for name, inner in schema["properties"].items():
            inner, more = resolve(inner), ()
            if name not in schema["required"]:
                more = (inner["description"].rpartition("only ")[2],)
            yield from catalogue(inner, f"{path}.{name}".lstrip("."), (*only, *more))


def keys_of(value, path=""):
    """The same of a document; null and what is empty are leaves."""
    if isinstance(value, list) and value:
        return {key for element in value for key in keys_of(element, path + "[]")}
    if isinstance(value, dict) and path != "config":
        return {key for name, inner in value.items() for key in keys_of(inner, f"{path}.{name}".lstrip("."))}
    return {path}


def check(results, holds):
    jsonschema.Draft202012Validator(SCHEMA).validate(results)
    expected = {key for key, only in catalogue() if set(only) <= set(holds)}
    written = keys_of(results)
    hollow = written - expected  # null, or an empty array: what would be in it cannot be there
    for key in hollow:
        assert any(leaf.startswith((key + ".", key + "[]")) for leaf in expected), key
    missing = {key for key in expected - written if not key.startswith(tuple(f"{h}{c}" for h in hollow for c in ".["))}
    assert not missing
    return written


@pytest.mark.parametrize("case", CASES)
def test_a_run_writes_the_keys_whose_condition_holds(tlmssd, tmp_path, case):
    sets, holds = CASES[case]
    results = json.loads(tlmssd.run(tmp_path, sets=[*SMALL, *LOAD, *sets]))
    written = check(results, holds)
    if case == "packages":
        assert {"flash.parallelism.none", "flash.channels[].occupied_s"} <= written
    if case == "no-observers":
        assert {"stages", "worst", "flash.parallelism"} <= written


def test_a_job_of_launches_writes_each(tlmssd, tmp_path):
    results = json.loads(tlmssd.run(tmp_path, "--workload", "launch", sets=[*SMALL, "workload.launch_reads=50",
                                                                            "geometry.blocks=400"]))
    assert "host.jobs[].launches.list[].mean_depth" in check(results, [LAUNCHES])


def test_a_run_with_a_decision_writes_a_note(tlmssd, tmp_path):
    results = json.loads(tlmssd.run(tmp_path, "--workload", "uniform-Financial1", sets=[*SMALL, "workload.mode=closed",
                                                                                "workload.requests=300"]))
    assert "notes[]" in check(results, [NOTED])
    assert "workload.rate_iops" in results["notes"][0]


@pytest.mark.parametrize("mode", ["scan", "journal"])
def test_a_mounted_device_writes_how_it_was_mounted(tlmssd, tmp_path, mode):
    device = [*SMALL, f"ftl.recovery={mode}", "precondition.fill=0.5"]
    path = tmp_path / "device.snapshot"
    done = tlmssd("snapshot", "save", DEFAULT, *set_options(device), "-o", path)
    assert done.returncode == DONE, done.stderr
    holds = [SNAPSHOT, JOURNAL] if mode == "journal" else [SNAPSHOT]
    check(json.loads(tlmssd.run(tmp_path / "a", "--snapshot", path, sets=[*device, *LOAD])), holds)
    holds += [TIMED, TIMED_JOURNAL] if mode == "journal" else [TIMED]
    check(json.loads(tlmssd.run(tmp_path / "b", "--snapshot", path, "--timed-mount", sets=[*device, *LOAD])), holds)


def test_each_condition_of_the_schema_has_a_run():
    tried = {words for _, holds in CASES.values() for words in holds} | {
        SNAPSHOT, JOURNAL, TIMED, TIMED_JOURNAL, LAUNCHES, NOTED}
    assert {words for _, only in catalogue() for words in only} == tried


def test_each_key_is_described_with_its_unit():
    def walk(schema, path):
        for name, inner in schema.get("properties", {}).items():
            here, target = f"{path}.{name}", resolve(inner)
            assert inner.get("description") or "properties" in inner, here
            kind = str(target.get("type", "")) + str(target.get("items", {}).get("type", ""))
            assert "unit" in inner or "number" not in kind, here
            walk(inner, here)
            walk(inner.get("items", {}), here)

    walk(SCHEMA, "")
    for name, definition in SCHEMA["$defs"].items():
        walk(definition, name)
