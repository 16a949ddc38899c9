# SPDX-License-Identifier: BSD-3-Clause
"""The top of the report: the facts of the header, and suggestions that follow from the figures of a run."""

import json
import os
import re
import subprocess

import pytest
import yaml

from cli import ROOT
from report_fixtures import STAGES, add_measurements, results, write_run
from tlmssd_lab.report import build_report, terms
from tlmssd_lab.report.front import facts, header, in_words
from tlmssd_lab.report.runs import load_runs
from tlmssd_lab.report.suggestions import LEAST, MOST, RULES, longest_stage, suggestions

TLM = {"kind": "tlm", "suspend": "none"}
SATA = {"gbps": 6, "ncq": True, "queued_trim": False, "fifo_kib": "unlimited", "bit_error_rate": 0, "link": "fast",
        "extended_tags": False}


def run_of(tmp_path, document, name="a"):
    return load_runs([write_run(tmp_path / name, document)])[0]


def limited(limiter, fraction, *, scheduler="inorder", stages=None, jobs=None, **config):
    """Results that are at a fraction of the bound of a limiter."""
    document = results(scheduler, stages_us=stages, config={"controller": TLM} | config)
    document["bound"] |= {"limiter": limiter, "fraction_of_bound": fraction}
    if jobs is not None:
        document["host"]["jobs"] = document["host"]["jobs"] * jobs
    return document


def with_figures(document, **parts):
    return document | {name: document.get(name, {}) | part for name, part in parts.items()}


WAITS = {"wait_die": 91.0}
# Rule, a document in which it applies, its settings; each differs from one below in what the rule needs.
CASES = [
    ("stages", results(additions=False, config={"observe": {"stages": False}}), ["observe.stages=true"]),
    ("link", limited("link", 0.9, host={"kind": "sata"}, sata=SATA | {"gbps": 1.5}), ["sata.gbps=3"]),
    ("link", limited("link", 0.9, host={"kind": "sata"}, sata=SATA | {"gbps": 3}), ["sata.gbps=6"]),
    ("link", limited("link", 0.9, host={"kind": "sata"}, sata=SATA), ["host.kind=nvme"]),
    ("link", limited("link", 0.7, host={"kind": "nvme"}, pcie={"lanes": 4}), ["pcie.lanes=8"]),
    ("clock", limited("cpu", 0.9, cpu={"mhz": 800}), ["cpu.mhz=1600"]),
    ("second core", limited("cpu", 0.9, cpu={"mhz": 800, "cores": 1, "core_of": dict.fromkeys(
        ("hil", "buffer", "ftl", "sched"), 0)}), ["cpu.cores=2", "cpu.core_of.hil=1"]),
    ("cheaper scheduler", with_figures(limited("cpu", 0.9, scheduler="sost"), cpu={"cycles": {"hil": 3, "sched": 1}}),
     ["scheduler=inorder", "controller.mode=auto"]),
    ("depth", limited("depth", 0.9, host={"kind": "direct", "queue_depth": 8},
                      workload={"mode": "closed", "iodepth": 8}), ["host.queue_depth=16", "workload.iodepth=16"]),
    ("depth", limited("depth", 0.9, host={"kind": "direct", "queue_depth": 32},
                      workload={"mode": "closed", "iodepth": 4, "numjobs": 2}), ["workload.iodepth=8"]),
    ("depth", limited("depth", 0.9, host={"kind": "sata", "queue_depth": 24}, sata=SATA), ["host.queue_depth=32"]),
    ("depth", limited("depth", 0.9, host={"kind": "sata", "queue_depth": 32}, sata=SATA),
     ["host.kind=nvme", "host.queue_depth=64"]),
    ("depth", limited("depth", 0.9, host={"kind": "sata", "queue_depth": 200}, sata=SATA | {"extended_tags": True}),
     ["host.queue_depth=256"]),
    ("dies", limited("die", 0.9, geometry={"ways": 4}), ["geometry.ways=8"]),
    ("reorder", limited("die", 0.3, scheduler="barrier", stages=WAITS), ["scheduler=inorder", "controller.mode=auto"]),
    ("reorder", limited("cpu", 0.3, stages=WAITS), ["scheduler=host", "controller.mode=auto"]),
    ("channels", limited("channel", 0.9, geometry={"channels": 2}), ["geometry.channels=4"]),
    ("channels", limited("die", 0.3, geometry={"channels": 2}, stages={"transfer": 91.0}), ["geometry.channels=4"]),
    ("spare", with_figures(limited("die", 0.3, ftl={"over_provisioning": 0.15}), ftl={"waf": 1.5}),
     ["ftl.over_provisioning=0.3"]),
    ("buffer", with_figures(limited("die", 0.3, buffer={"policy": "lru", "size_mib": 32}), buffer={"hit_ratio": 0.5}),
     ["buffer.size_mib=64"]),
    ("load", limited("arrival", 0.99, workload={"mode": "open"}), ["workload.mode=closed"]),
    ("longer", results(count=100, config={"workload": {"requests": 100}}), ["workload.requests=1000"]),
    ("seed", results(), ["seed=2"]),
]


def written():
    """A run whose writes wait for the array."""
    document = limited("die", 0.3, buffer={"policy": "none"})
    add_measurements(document, dict.fromkeys(STAGES, 1.0))
    document["stages"]["writes"] = document["stages"]["reads"]
    document["host"]["writes"]["count"] = 5
    return document


CASES.append(("cache", written(), ["buffer.policy=lru"]))


@pytest.mark.parametrize("rule, document, settings", CASES, ids=[f"{c[0]}-{c[2][0]}" for c in CASES])
def test_rule_finds_its_case(tmp_path, rule, document, settings):
    found = {one.rule: one for one in suggestions(run_of(tmp_path, document))}
    assert list(found[rule].settings) == settings
    assert found[rule].why.endswith(".") and found[rule].what.endswith(".")


def test_every_rule_has_a_case():
    assert {name for name, *_ in RULES} == {name for name, *_ in CASES}


@pytest.mark.parametrize("rule, document", [
    ("stages", results()),
    ("link", limited("link", 0.69, host={"kind": "sata"}, sata=SATA)),
    ("link", limited("die", 0.9, host={"kind": "sata"}, sata=SATA)),
    ("link", limited("link", 0.9, host={"kind": "sata"}, sata=SATA | {"queued_trim": True})),
    ("link", limited("link", 0.9, host={"kind": "direct"})),
    ("link", limited("link", 0.9, host={"kind": "nvme"}, pcie={"lanes": 16})),
    ("clock", limited("die", 0.9, cpu={"mhz": 800})),
    ("clock", limited("cpu", 0.9, cpu={"mhz": 60000})),
    ("second core", limited("cpu", 0.9, cpu={"cores": 4, "core_of": {"hil": 0}})),
    ("cheaper scheduler", with_figures(limited("cpu", 0.9), cpu={"cycles": {"hil": 3, "sched": 1}})),
    ("cheaper scheduler", with_figures(limited("cpu", 0.9, scheduler="host", controller=TLM | {"suspend": "erase"}),
                                       cpu={"cycles": {"hil": 3, "sched": 1}})),
    ("depth", limited("depth", 0.9, host={"kind": "nvme", "queue_depth": 1024})),
    ("depth", limited("depth", 0.9, host={"kind": "sata", "queue_depth": 32}, sata=SATA | {"ncq": False})),
    ("dies", limited("die", 0.9, geometry={"ways": 32})),
    ("reorder", limited("die", 0.7, stages=WAITS)),
    ("reorder", limited("die", 0.3)),
    ("reorder", limited("die", 0.3, scheduler="host", stages=WAITS)),
    ("reorder", limited("die", 0.3, stages=WAITS, controller={"kind": "rtl"})),
    ("channels", limited("channel", 0.3, geometry={"channels": 2})),
    ("spare", with_figures(limited("die", 0.3, ftl={"over_provisioning": 0.15}), ftl={"waf": 1.4})),
    ("cache", limited("die", 0.3, buffer={"policy": "lru"})),
    ("buffer", with_figures(limited("die", 0.3, buffer={"policy": "lru", "size_mib": 32}), buffer={"hit_ratio": 0.01})),
    ("buffer", with_figures(limited("die", 0.3, buffer={"policy": "lru", "size_mib": 900}), buffer={"hit_ratio": 0.5})),
    ("load", limited("arrival", 0.9, workload={"mode": "open", "rate_process": "poisson"})),
    ("load", limited("arrival", 0.9, workload={"mode": "open"}, jobs=2)),
    ("longer", results(count=10000, config={"workload": {"requests": 10000}})),
    ("longer", results(count=100, config={"workload": {"requests": "unlimited"}})),
])
def test_rule_is_silent_where_it_does_not_apply(tmp_path, rule, document):
    call, = (call for name, call, _ in RULES if name == rule)
    assert call(run_of(tmp_path, document)) is None


def test_two_to_four_suggestions_and_no_key_twice(tmp_path):
    many = with_figures(
        limited("cpu", 0.9, scheduler="sost", cpu={"mhz": 800, "cores": 1, "core_of": {"hil": 0, "sched": 0}},
                geometry={"channels": 2}, stages={"transfer": 91.0}, ftl={"over_provisioning": 0.15}),
        ftl={"waf": 3.0}, cpu={"cycles": {"hil": 1, "sched": 3}})
    found = suggestions(run_of(tmp_path, many))
    assert [one.rule for one in found] == ["clock", "second core", "cheaper scheduler", "channels"] and MOST == 4
    keys = [setting.split("=")[0] for one in found for setting in one.settings]
    assert len(keys) == len(set(keys))
    short = results(count=100, config={"workload": {"requests": 100}})
    assert [one.rule for one in suggestions(run_of(tmp_path, short))] == ["longer", "seed"] and LEAST == 2


def test_odd_results_have_no_suggestion_but_no_error(tmp_path):
    document = results(config={"cpu": {"mhz": "x", "cores": 1, "core_of": 3}, "host": {"queue_depth": "y"}})
    document |= {"seed": "z", "bound": {"limiter": "depth", "fraction_of_bound": 1.0}, "cpu": {}, "stages": None}
    assert suggestions(run_of(tmp_path, document)) == []
    assert "Try next" not in in_words([run_of(tmp_path, document)])


VARIANTS = [
    *([f"scheduler={name}"] for name in ("serial", "barrier", "vaq", "host", "paq0", "paq2", "sost", "hybrid")),
    ["ftl.mapping=dftl", "ftl.over_provisioning=0.3"], ["ftl.mapping_unit=4KiB"], ["ftl.recovery=journal"],
    ["ftl.recovery=scan", "ftl.over_provisioning=0.3"], ["ftl.write_points=channel"], ["ftl.gc.copyback=true"],
    ["ftl.placement=static"], ["ftl.lockstep=true"], ["buffer.policy=none"], ["buffer.policy=cawr"],
    ["buffer.policy=gating"], ["buffer.read_ahead=8"], ["prefetch.mode=two_phase"], ["host.kind=nvme"],
    ["host.kind=nvme", "nvme.queues=4"], ["host.kind=direct", "host.queue_depth=64"],
    ["sata.ncq=false", "host.queue_depth=1"],
    ["sata.queued_trim=true"], ["sata.fifo_kib=64"], ["sata.extended_tags=true", "host.queue_depth=100"],
    ["host.queue_depth=8"], ["cpu.model=iss"], ["controller.kind=rtl"], ["controller.kind=rtl", "scheduler=host"],
    ["scheduler=host", "controller.suspend=erase"], ["scheduler=host", "controller.priorities=reads_first"],
    ["onfi.ready=target"], ["data=full"], ["dram.arbitration=round_robin"], ["nand.errors.enabled=true"],
]
SYSTEMS = [*((path, workload, ()) for path in sorted((ROOT / "configs/ssd").glob("*.yaml"))
             for workload in (None, "randwrite-4k")),
           *((ROOT / "configs/ssd/default.yaml", "randwrite-4k", sets) for sets in VARIANTS)]


@pytest.mark.parametrize("device, workload, variant", SYSTEMS, ids=lambda part: getattr(part, "stem", str(part)))
def test_configuration_accepts_what_is_suggested(tmp_path, device, workload, variant):
    """On shipped device files and on variants of one, for every limiter, near its bound and far from it."""
    program = os.environ.get("TLMSSD_BIN") or ROOT / "build/release/bin/tlmssd"
    words = ["--workload", workload] if workload else []

    def describe(settings):
        sets = [word for setting in (*variant, *settings) for word in ("--set", setting)]
        return subprocess.run([program, "describe", device, *words, *sets], capture_output=True, text=True, check=False)

    plain = describe(())
    assert plain.returncode == 0, plain.stderr
    config = yaml.safe_load(plain.stdout)
    asked = set()
    for limiter in terms.LIMITER_TEXTS:
        for fraction in (0.2, 0.9):
            document = results(config["scheduler"], count=100, stages_us=WAITS | {"transfer": 60.0}, config=config)
            document["bound"] |= {"limiter": limiter, "fraction_of_bound": fraction}
            document["ftl"]["waf"] = 2.0
            document["buffer"] = {"hit_ratio": 0.5}
            document["cpu"]["cycles"]["sched"] = 1_000_000_000
            document["controller"] = {"effective_mode": config["controller"]["mode"]}
            run = run_of(tmp_path, document)
            asked |= {answer[2] for _, rule, _ in RULES if (answer := rule(run)) is not None}
    assert len(asked) >= 6
    for settings in asked:
        done = describe(settings)
        assert done.returncode == 0, (settings, done.stderr)


@pytest.mark.parametrize("scheduler, left", [("sost", ", without the keys of sost"), ("paq1", ""), ("inorder", "")])
def test_keys_of_a_replaced_scheduler_are_named(tmp_path, scheduler, left):
    document = limited("cpu", 0.3, scheduler=scheduler, stages=WAITS, sost={"leveler": True})
    what, = (one.what for one in suggestions(run_of(tmp_path, document)) if one.rule == "reorder")
    assert what == f"Try a controller that reorders{left}."


def test_longest_stages_are_told(tmp_path):
    # Nine stages of 1 us, one of 31: 40 us.
    said = longest_stage(run_of(tmp_path, results(stages_us={"cell": 31.0})))
    assert said == ("Of a mean latency of 40 \u00b5s, 77.5 % is \u201ccell array\u201d and 2.5 % is "
                    "\u201chost link\u201d.")
    assert longest_stage(run_of(tmp_path, results(additions=False))) is None


DEVICE = {"nand": {"name": "PART"}, "host": {"kind": "sata"}, "sata": {"gbps": 6}}


def test_header_says_device_workload_requests_seed_revision_and_date(tmp_path):
    run = run_of(tmp_path, results(config=DEVICE | {"geometry": {"channels": 2, "ways": 1, "dies": 4, "planes": 2}}))
    told = dict(facts([run]))
    assert told == {"Device": ["PART, 2 channels \u00d7 1 way \u00d7 4 dies \u00d7 2 planes, SATA 6 Gb/s"],
                    "Workload": ["crafted"], "Requests": ["20,000 (20,000 reads, 0 writes)"],
                    "Scheduler": ["inorder"], "Seed": ["1"], "Revision of tlmssd": ["test"],
                    "Results written": ["2023-11-14 22:13 UTC"]}


def test_what_differs_between_runs_stands_apart(tmp_path):
    documents = [results(config=DEVICE | {"cpu": {"mhz": mhz}}) for mhz in (800, 400)]
    runs = load_runs([write_run(tmp_path / name, document) for name, document in zip("ab", documents)])
    text = header(runs)
    once, differing = text.split("<table>")
    assert once.count("PART") == 1 and "800" not in once
    assert re.findall(r'<th scope="col">([^<]*)', differing) == ["run", "cpu.mhz"]
    assert re.findall(r'<th scope="row">([^<]*)</th><td>([^<]*)', differing) == [("a", "800"), ("b", "400")]
    many = [run_of(tmp_path, results(config={f"key{i}": place for i in range(9)}), name)
            for place, name in enumerate("cd")]
    assert dict(facts(many))["Other keys"] == ["3 more keys differ (see Configuration)"] * 2


def test_suggestions_are_in_the_page_with_their_options(tmp_path):
    write_run(tmp_path / "a", limited("cpu", 0.9, cpu={"mhz": 800}))
    write_run(tmp_path / "b", results(time_s=1.0))
    build_report([tmp_path / "b", tmp_path / "a"], tmp_path / "r.html", "t")
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<h3>Try next from a</h3>" in text and "<code>--set cpu.mhz=1600</code>" in text
    assert text.index("<dt>Limit</dt>") < text.index("<dt>Where the time goes</dt>") < text.index("Try next")


def test_sentences_of_terms_are_those_of_the_documentation():
    kept = json.loads((ROOT / "scripts/tlmssd_lab/report/assets/terms.json").read_text(encoding="utf-8"))
    assert kept == terms.collect(ROOT), "see terms.write"
    assert {f"stage-{stage}" for stage in STAGES} <= set(kept)
    schema = json.loads((ROOT / "docs/reference/results.schema.json").read_text(encoding="utf-8"))
    limiters = schema["properties"]["bound"]["properties"]["limiter"]["enum"]
    assert list(terms.LIMITER_TEXTS) == limiters


def test_terms_in_sentences_name_their_explanation():
    html = terms.marked("ran at 5 % of the bound that the busiest core sets; \u201cwait for the die\u201d <b>")
    assert dict(re.findall(r'aria-describedby="term-([\w-]+)">([^<]*)<', html)) == {
        "bound": "bound", "limiter-cpu": "the busiest core", "stage-wait_die": "wait for the die"}
    assert "&lt;b&gt;" in html
    assert terms.limiter("<i>").text == "&lt;i&gt;"
    legend = terms.legend()
    assert set(re.findall(r'<dd id="term-([\w-]+)">', legend)) == set(terms.sentences())
