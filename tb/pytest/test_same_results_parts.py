# SPDX-License-Identifier: BSD-3-Clause
"""The parts of scripts/same-results: cases, differences of documents and texts, translation of names."""
import gzip
import json
import re
import sys

import pytest

from cli import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
# pylint: disable=wrong-import-position
from same_results import cases_devices, cases_features, common, compare, renames, traces  # noqa: E402


def test_every_file_of_configs_and_every_policy_has_a_case():
    def stems(folder):
        return {path.stem for path in (ROOT / "configs" / folder).glob("*.yaml")}

    def listed(name, macro):
        text = (ROOT / "firmware/hal" / name).read_text(encoding="utf-8")
        return set(re.findall(rf"^{macro}\(\w+, (\w+),", text, re.MULTILINE))
    assert set(cases_devices.DEVICES) == stems("ssd")
    assert set(cases_devices.PARTS) == stems("nand")
    assert set(cases_devices.PRESETS) == stems("workloads")
    assert set(cases_devices.SCHEDULERS) == listed("sched.def", "SCHED")
    assert set(cases_features.POLICIES) == listed("buffer_policies.def", "BUFFER_POLICY")
    assert set(cases_features.VICTIMS) == listed("gc_policies.def", "GC_POLICY")


def test_made_traces_do_not_change():
    first = traces.rows()
    assert first == traces.rows() and len(first) == 400
    assert any(r.write for r in first) and not all(r.write for r in first)
    assert all(a.us <= b.us for a, b in zip(first, first[1:]))


def parsed(text):
    return json.loads(text, parse_float=compare.Literal, parse_int=compare.Literal)


@pytest.mark.parametrize("old, new, found", [
    ('{"a": 1}', '{"a": 1}', None), ('{"a": 1.0}', '{"a": 1.00}', ("a", "1.0", "1.00")),
    ('{"a": [1, {"b": 2}]}', '{"a": [1, {"b": 3}]}', ("a[1].b", "2", "3")),
    ('{"a": [1, 2]}', '{"a": [1]}', ("a", "2 items", "1 items")), ('{"a": "1"}', '{"a": 1}', ("a", '"1"', "1")),
    ('{"a": null}', '{"a": false}', ("a", "null", "false")),
    ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}', ("top level", "keys in order a, b", "keys in order b, a")),
    ('{"c": {"a": 1}}', '{"c": {"a": 1, "b": 2}}', ("c.b", "(nothing)", "2")),
])
def test_the_first_difference_of_two_documents(old, new, found):
    result = compare.first_json(parsed(old), parsed(new))
    assert (result and tuple(map(str, result))) == found


@pytest.mark.parametrize("old, new, shared", [
    ('{"a": 1, "b": 2}', '{"c": 3, "b": 4, "a": 1}', ('{"a": 1, "b": 2}', '{"a": 1, "b": 4}')),
    ('{"a": {"b": 1, "c": 2}}', '{"a": {"b": 1}}', ('{"a": {"b": 1}}', '{"a": {"b": 1}}')),
    ('{"a": [{"b": 1}]}', '{"a": [{"b": 2, "c": 3}]}', ('{"a": [{"b": 1}]}', '{"a": [{"b": 2}]}')),
    ('{"a": [1]}', '{"a": [1, 2]}', ('{"a": [1]}', '{"a": [1, 2]}')),
    ('{"a": {"b": 1}}', '{"a": 1}', ('{"a": {"b": 1}}', '{"a": 1}')), ('{"a": 1}', '{"b": 1}', ("{}", "{}")),
])
def test_what_two_documents_have_in_common(old, new, shared):
    result = common.common(parsed(old), parsed(new))
    assert result == tuple(map(parsed, shared)) and [list(r) for r in result] == [list(parsed(s)) for s in shared]


def test_the_first_difference_of_two_texts():
    assert compare.first_text("a\nb\n", "a\nb\n") is None
    assert compare.first_text("a\nb\n", "a\nc\n") == (2, "b", "c")
    number, old, new = compare.first_text("a", "a\nb")
    assert (number, str(old), new) == (2, "(nothing)", "b")
    assert compare.first_text("x" * 300 + "1", "x" * 300 + "2") == (1, "..." + "x" * 40 + "1", "..." + "x" * 40 + "2")


def test_packed_files_are_compared_by_their_contents():
    texts = [gzip.compress(b"a,b\n", mtime=time) for time in (1, 2)]
    assert texts[0] != texts[1]
    assert compare.unpacked("a.csv.gz", texts[0]) == compare.unpacked("a.csv.gz", texts[1]) == b"a,b\n"
    assert compare.unpacked("a.csv.gz", b"spoilt") == b"spoilt"


def table(*lines):
    return renames.Names([renames.Rename(*line.split(","), f"f:{n}") for n, line in enumerate(lines, 2)])


def test_words_of_a_command_line_are_translated_from_either_name():
    names = table("key,ftl.map,ftl.cache", "key,workload.rw,workload.pattern", "value,scheduler=host,scheduler=ooo",
                  "option,replay-ops,replay", "file,configs/ssd,configs/devices")
    for given in (("replay-ops", "configs/ssd/a.yaml", "--set", "ftl.map.planes=2", "--set", "scheduler=host",
                   "--set", "workload.jobs.3.rw=read", "--set", "ftl.mapping=dftl"),
                  ("replay", "configs/devices/a.yaml", "--set", "ftl.cache.planes=2", "--set", "scheduler=ooo",
                   "--set", "workload.jobs.3.pattern=read", "--set", "ftl.mapping=dftl")):
        assert names.words(given, new=False) == (
            "replay-ops", "configs/ssd/a.yaml", "--set", "ftl.map.planes=2", "--set", "scheduler=host", "--set",
            "workload.jobs.3.rw=read", "--set", "ftl.mapping=dftl")
        assert names.words(given, new=True) == (
            "replay", "configs/devices/a.yaml", "--set", "ftl.cache.planes=2", "--set", "scheduler=ooo", "--set",
            "workload.jobs.3.pattern=read", "--set", "ftl.mapping=dftl")
    content = {"include": "configs/ssd/a.yaml", "workload.jobs": [{"rw": "read", "bs": 1}], "ftl.map.planes": 2}
    assert json.loads(names.file(content, new=True)) == {
        "include": "configs/devices/a.yaml", "workload": {"jobs": [{"pattern": "read", "bs": 1}]},
        "ftl": {"cache": {"planes": 2}}}
    assert all(r.used for r in names.renames)


def test_a_section_and_one_of_its_keys_may_both_have_another_name():
    for names in (table("key,ftl.map,ftl.cache", "key,ftl.map.planes,ftl.cache.places"),
                  table("key,ftl.map.planes,ftl.cache.places", "key,ftl.map,ftl.cache")):
        for planes, kib in (("ftl.map.planes=2", "ftl.map.kib=1"), ("ftl.cache.places=2", "ftl.cache.kib=1")):
            assert names.words(("--set", planes, "--set", kib), new=True) == (
                "--set", "ftl.cache.places=2", "--set", "ftl.cache.kib=1")
            assert names.words(("--set", planes, "--set", kib), new=False) == (
                "--set", "ftl.map.planes=2", "--set", "ftl.map.kib=1")
        assert names.text("ftl.map.planes ftl.map.kib") == "ftl.cache.places ftl.cache.kib"
        old = {"config": {"ftl": {"map": {"planes": "2", "kib": "1"}}}}
        assert names.document(old, {})[0] == {"config": {"ftl": {"cache": {"places": "2", "kib": "1"}}}}


def test_texts_are_translated_word_by_word():
    names = table("key,ftl.map,ftl.cache", "key,scheduler,policy", "text,the disk,the device", "option,--log,--rows")
    text = "ftl.map.planes: ftl.mapping: the scheduler of the disk, --log, --log-all, `scheduler`, scheduler: a"
    assert names.text(text) == (
        "ftl.cache.planes: ftl.mapping: the scheduler of the device, --rows, --log-all, `policy`, policy: a")


def test_documents_are_translated_and_keep_the_order_of_their_keys():
    names = table("key,ftl.map,ftl.cache", "result,host.jobs[].held,host.jobs[].waits", "result,a.b,c.b",
                  "value,scheduler=host,scheduler=ooo", "value,sched.name=host,sched.name=ooo")
    old = {"config": {"scheduler": "host", "ftl": {"map": {"planes": "0"}}}, "sched": {"name": "host"},
           "a": {"b": "1"}, "c": {"d": "2"}, "host": {"jobs": [{"x": "1", "held": "2", "y": "3"}]}}
    new = {"config": {"scheduler": "ooo", "ftl": {"cache": {"planes": "0"}}}, "sched": {"name": "ooo"},
           "c": {"b": "1", "d": "2"}, "host": {"jobs": [{"x": "1", "waits": "2", "y": "3"}]}}
    old, new, moved, found = names.document(old, new)
    assert compare.first_json(old, new) is None
    assert moved == found == {"c.b": ["1"]}


def test_a_description_is_compared_key_by_key():
    text = "seed: 1            # of all\nftl:\n  mapping: page    # map\n  gc:\n    held: 2\n# raw  3\n"
    assert compare.described(text) == ("seed=1 # of all\nftl=\nftl.mapping=page # map\nftl.gc=\nftl.gc.held=2\n"
                                       "# raw 3\n")
