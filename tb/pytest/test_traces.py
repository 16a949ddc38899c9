# SPDX-License-Identifier: BSD-3-Clause
"""Every real trace runs to its last line, open and closed loop, without a fault.

How many reads and writes a file holds says the collection's MANIFEST.csv, not the reader. The short
form runs them on a small device with large pages and no link, the long form on the default device.
"""
import csv
import json

import pytest

from cli import long_form, set_options

FAST = ["geometry.channels=1", "geometry.ways=1", "nand.page_bytes=32768", "nand.spare_bytes=1792",
        "host.kind=direct", "buffer.size_mib=64"]

# file -> format, then what the manifest's counts leave out: `action` of blkparse, lines that are
# left out (`skipped`), and trims, all counted with grep and awk.
FILES = {
    "umass/Financial1_first949.spc.xz": {"format": "spc"},
    "umass/Financial1_first10000.ssdsim.ascii.xz": {"format": "ssdsim"},
    "umass/Financial1_rows3-50002.disksim_pages.trace.xz": {"format": "disksim-pages"},
    "umass/WebSearch1_first10.spc.xz": {"format": "spc"},
    "umass/WebSearch1_first24783.mqsim.trace.xz": {"format": "mqsim"},
    "umass/WebSearch1_first50000.disksim_pages.trace.xz": {"format": "disksim-pages"},
    "msr/prxy_0_section20000.csv.xz": {"format": "msr"},
    "msprod/TPCC_first6999.mqsim.trace.xz": {"format": "mqsim"},
    "msprod/DTRS_127043.ssdsim.trace.xz": {"format": "ssdsim"},
    # One row shares its line with the tar header.
    "fiu/cheetah_mail_9997.blkparse.txt.xz": {"format": "fiu", "skipped": 1},
    "tencent/tencent_cbs_20180113_10000.csv.xz": {"format": "tencent"},
    # Rows of operation RA.
    "blkreplay/linux-mysql.load.gz": {"format": "blkreplay", "skipped": 1},
    "blkreplay/linux-webserver-2.load.gz": {"format": "blkreplay", "skipped": 344},
    "blkreplay/windows-shared-server.load.gz": {"format": "blkreplay"},
    # Rows with a broken time stamp; discards.
    "blkparse/java_ext4.blkparse.txt.xz": {"format": "blkparse", "skipped": 1},
    "blkparse/java_f2fs.blkparse.txt.xz": {"format": "blkparse"},
    "blkparse/java_nvme_10000events.blkparse.txt.xz": {"format": "blkparse", "action": "Q"},
    "blkparse/hadoop_hdd_50000events.blkparse.txt.xz": {"format": "blkparse", "action": "Q"},
    "blkparse/leveldb_fillrandom_dispatch.blkparse.txt.xz":
        {"format": "blkparse", "skipped": 20, "trims": 2054},
    "hfplayer/netapp_tpch_small_780.csv.xz": {"format": "hfplayer"},
    "hfplayer/netapp_scrub_500.csv.xz": {"format": "hfplayer"},
    "disksim/ssd-postmark-aligned2.trace.xz": {"format": "disksim"},
    "pc/desktop_32527.disksim_pages.trace.xz": {"format": "disksim-pages"},
    "pc/jpeg_copy_47120.disksim_pages.trace.xz": {"format": "disksim-pages"},
    # No counts in the manifest. By hand: 10 writes and 10 trims of 2 GiB, each of which becomes
    # 64 requests of 32 MiB (2 GiB / 32 MiB = 64).
    "formats/t0038.fio3.iolog.xz": {"format": "fio-iolog", "reads": 0, "writes": 10, "trims": 640},
}


def manifest(traces):
    with open(traces / "MANIFEST.csv", encoding="utf-8", newline="") as file:
        return {row["file"]: row for row in csv.DictReader(file)}


def run(tlmssd, traces, tmp_path, name, sets=()):
    """Results of a run over the whole file."""
    path = traces / name
    if not path.is_file():
        pytest.skip(f"traces not found: set TLMSSD_TRACES (no {name} there)")
    spec = FILES[name]
    options = [*sets, *([] if long_form() else FAST)]
    if "action" in spec:
        options.append(f"workload.blkparse_action={spec['action']}")
    return json.loads(tlmssd.run(tmp_path, "--trace", path, "--format", spec["format"],
                                 sets=options, timeout=900))


def sound(results):
    """Nothing that the run checks about itself is wrong."""
    assert results["status"] == "done"
    assert results["integrity"]["mismatches"] == 0
    assert results["checker"]["violations"] == 0
    assert 0 < results["bound"]["fraction_of_bound"] <= 1


@pytest.mark.parametrize("mode", ["open", "closed"])
@pytest.mark.parametrize("name", FILES)
def test_a_trace_runs_to_its_last_line(tlmssd, traces, tmp_path, name, mode):
    results = run(tlmssd, traces, tmp_path, name, [f"workload.mode={mode}"])
    row, spec = manifest(traces)[name], FILES[name]
    reads = spec.get("reads", row["reads"])
    writes = spec.get("writes", row["writes"])
    trims = spec.get("trims", 0)
    workload, host = results["workload"], results["host"]
    sound(results)
    assert host["reads"]["count"] == int(reads)
    assert host["writes"]["count"] == int(writes)
    assert host["trims"]["count"] == trims and host["flushes"]["count"] == 0
    assert workload["source_requests"] == int(reads) + int(writes) + trims
    assert workload["skipped"] == spec.get("skipped", 0) and workload["dropped"] == 0
    assert workload["deduplicated"] == 0


def test_the_table_names_every_file_of_the_manifest(traces):
    assert set(manifest(traces)) == set(FILES)


def test_repeats_of_stacked_devices_are_left_out_when_asked(tlmssd, traces, tmp_path):
    """The collection's README: 88,955 of the 268,663 rows repeat one within 0.5 ms."""
    results = run(tlmssd, traces, tmp_path, "blkreplay/linux-webserver-2.load.gz",
                  ["workload.mode=closed", "workload.dedup_us=500"])
    sound(results)
    assert results["workload"]["deduplicated"] == 88955
    assert results["host"]["all"]["count"] == 268663 - 88955


def test_a_trace_described_by_its_columns_gives_the_named_formats_results(tlmssd, traces, tmp_path):
    """An MSR file: FILETIME, host, disk, word, bytes, bytes, response."""
    name = "msr/prxy_0_section20000.csv.xz"
    named = run(tlmssd, traces, tmp_path / "named", name)
    options = ["workload.trace_columns=time:100ns,-,device,op,lba:bytes,size:bytes,-",
               *([] if long_form() else FAST)]
    described = json.loads(tlmssd.run(tmp_path / "described", "--trace", traces / name,
                                      sets=options, timeout=900))
    for part in ("host", "ftl", "flash", "sim"):
        assert described[part] == named[part]


def test_a_trace_that_several_readers_accept_is_told_apart_and_says_how(tlmssd, traces, tmp_path):
    name = "umass/WebSearch1_first24783.mqsim.trace.xz"
    named = run(tlmssd, traces, tmp_path / "named", name)
    done = tlmssd("run", "configs/ssd/default.yaml", *set_options([] if long_form() else FAST), "--trace", traces / name,
                  "--out", tmp_path, timeout=900)
    assert done.returncode == 0, done.stderr
    why = (f"{traces / name}: format mqsim: one of 4 that fit its first 1,000 lines: disksim, disksim-pages would have "
           "42.3 min between arrivals on average; the name of the file says mqsim")
    assert done.stderr == f"note: {why}\n"
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert results["notes"] == [why]
    for part in ("host", "ftl", "flash", "sim"):
        assert results[part] == named[part]
    assert "notes" not in named, "nothing was decided"


def test_describe_says_which_format_a_trace_has(tlmssd, traces):
    path = traces / "umass/Financial1_rows3-50002.disksim_pages.trace.xz"
    if not path.is_file():
        pytest.skip(f"traces not found: set TLMSSD_TRACES (no {path.name} there)")
    done = tlmssd("describe", "default", "--trace", path)
    assert done.returncode == 0 and done.stderr == ""
    assert (f"# note           {path}: format disksim-pages: one of 2 that fit its first 1,000 lines: the name of the "
            "file says disksim-pages\n") in done.stdout
    notes = json.loads(tlmssd("describe", "default", "--trace", path, "--json").stdout)["notes"]
    assert len(notes) == 1 and "format disksim-pages" in notes[0]
