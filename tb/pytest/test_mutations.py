# SPDX-License-Identifier: BSD-3-Clause
"""Damaged configurations and traces, through the binary itself: a clear message or a sound run.

The same is done at a larger scale without processes in the modules' own tests (tb/config, tb/workload);
here the whole path to the exit status counts.
"""
import random
import re
import shutil

import pytest

from cli import DEFAULT, DONE, INPUT_ERROR, ROOT, long_form, set_options
from mutate import mutate

PER_BLOCK = 25
# Blocks of mutants: 600 in the short form, 10,000 in the long one.
CONFIG_BLOCKS, TRACE_BLOCKS, COLUMN_BLOCKS, JOB_BLOCKS = (80, 240, 40, 40) if long_form() else (10, 10, 2, 2)
TIMEOUT_S = 30
NEVER = re.compile(r"terminate called|Traceback|Aborted|Segmentation|runtime error|AddressSanitizer|what\(\)")

SMALL = ["geometry.channels=2", "geometry.ways=1", "geometry.dies=1", "geometry.blocks=64"]

TRACES = {
    "spc": "\n".join(f"{i % 3},{i * 8},{512 * (1 + i % 9)},{'rRwW'[i % 4]},{i / 100:.6f}" for i in range(20)),
    "msr": "\n".join(f"{128166372003061629 + i * 10000},hm,{i % 2},{'Read' if i % 2 else 'Write'},{i * 4096},"
                     f"{4096 + 512 * (i % 3)},{100 + i}" for i in range(20)),
    "disksim": "\n".join(f"{i * 0.5:.3f} 0 {i * 16} {8 + i % 5} {i % 2}" for i in range(20)),
    "ssdsim": "\n".join(f"{i * 50000} 0 {i * 16} {8 + i % 5} {i % 2}" for i in range(20)),
    "mqsim": "\n".join(f"{i * 50000} 0 {i * 16} {8 + i % 5} {i % 2}" for i in range(20)),
    "blkparse": "\n".join(f"  8,0    {i % 2}   {i:6d}     0.{i:09d}  4020  D  {'R' if i % 3 else 'WS'} "
                          f"{i * 64} + {8 + i} [java]" for i in range(1, 21)),
    "disksim-pages": "\n".join(f"{i * 0.5:.6f}\t0\t{i * 16}\t{1 + i % 5}\t{i % 2}" for i in range(20)),
    "ioda": "\n".join(f"{i * 0.5:.3f} 0 {i * 4096} {512 * (1 + i % 9)} {i % 2}" for i in range(20)),
    "blkreplay": "Copyright somebody\n\nstart ; sector; length ; op ;  replay_delay=0 ; replay_duration=0\n"
                 + "\n".join(f"   {i / 100:.9f} ; {i * 64:12d} ; {8 + i:4d} ; {'RW'[i % 2]} ; 0.0 ; 0.0"
                             for i in range(20)),
    "fio-iolog": "fio version 3 iolog\n30 /dev/sda add\n31 /dev/sda open\n"
                 + "\n".join(f"{1000 + 10 * i} /dev/sd{'ab'[i % 2]} {('read', 'write', 'sync', 'trim')[i % 4]} "
                             f"{4096 * i} {512 * (1 + i % 9)}" for i in range(20))
                 + "\n2000 /dev/sda close\n",
    "fio-iolog-manual": "fio version 2 iolog\n/dev/sda add\n/dev/sda open\n"
                        + "\n".join(f"/dev/sda {'wait' if i % 5 == 4 else ('read', 'write')[i % 2]} "
                                    f"{4096 * i} 4096" for i in range(20)),
    "fiu": "\n".join(f"{89966527950584 + i * 46128} 4253 nfsd {i * 8} 8 {'RW'[i % 2]} 6 0 {i:032x}"
                     for i in range(20)),
    "hfplayer": "#DUMP_OFFSET.I,ELAPSED_USECS.D,CMD.S,LUN_SSID.I,OP.I,LBA.I,NBLKS.I\n"
                + "\n".join(f"{i},{i * 145.714:.3f},{('RD_IN', 'WR_IN')[i % 2]},5,{i % 2},{i * 64},{8 + i}"
                            for i in range(20)),
    "tencent": "\n".join(f"{1515772800 + i // 10},{i * 64},{8 + i},{i % 2},{('QRRTV', '17')[i % 2]}"
                         for i in range(20)),
    "alibaba": "\n".join(f"{i % 3},{'RW'[i % 2]},{i * 4096},{512 * (1 + i % 9)},{1577808144360767 + 22 * i}"
                         for i in range(20)),
    "systor17": "Timestamp,Response,IOType,LUN,Offset,Size\n"
                + "\n".join(f"{1455592260 + i / 8:.9f},{'0.000123' if i % 3 else ''},{'RW'[i % 2]},{i % 3},"
                            f"{i * 4096},{512 * (1 + i % 9)}" for i in range(20)),
    "cloudphysics": "version,time,op,size,lbn\n"
                    + "\n".join(f"1,{33898 + i},{('28', '2a', '35')[i % 3]},{512 * (1 + i % 9)},{i * 64}"
                                for i in range(20)),
    "columns": "# a header\n" + "\n".join(f"{i * 10};{i % 2};{i * 64};{512 * (1 + i % 9)};{'RWT'[i % 3]};x"
                                          for i in range(20)),
}
COLUMNS = "time:us,device,lba:sectors,size:bytes,op,...,skip=1,delimiter=semicolon"

JOB_FILE = """; two jobs
[global]
ioengine=libaio
direct=1
bs=4k
size=256k
iodepth=8

[reader]
rw=randread
random_distribution=zipf:1.1

[writer]
rw=randwrite
bssplit=4k/60:16k/40
rate_iops=1000
thinktime=10
numjobs=2
offset=1m
runtime=1
"""


def judge(done, path, text, source=None):
    """The contract of a run with damaged input: one line that names the file and the line, or `source`.

    Warnings about lines that --lenient leaves out, and a note about the format found, may go before it. A
    configuration key that is not in the file, but at its default, has no line.
    """
    story = f"{path.name}:\n{text}\nstatus {done.returncode}\n{done.stderr}"
    assert not NEVER.search(done.stderr), story
    assert done.returncode in (DONE, INPUT_ERROR), story
    if done.returncode == INPUT_ERROR:
        lines = [line for line in done.stderr.splitlines() if not line.startswith(("warning: ", "note: "))]
        assert len(lines) == 1, story
        name = re.escape(path.name)
        at_default = re.search(name + r": [a-z_.]*?([a-z_]+): ", lines[0])
        place = name if at_default and at_default[1] not in text else name + r":\d+"
        assert re.search(place if source is None else f"{place}|{re.escape(source)}", lines[0]), story
        assert len(lines[0]) < 2000 and lines[0].isprintable(), story


def trace_options(form):
    """What names the format of a sample."""
    return ["--format", form, *(["--set", f"workload.trace_columns={COLUMNS}"] if form == "columns" else [])]


@pytest.mark.parametrize("block", range(CONFIG_BLOCKS))
def test_damaged_configurations(tlmssd, tmp_path, block):
    configs = shutil.copytree(ROOT / "configs", tmp_path / "configs")
    sources = sorted((ROOT / "configs/ssd").glob("*.yaml")) + sorted((ROOT / "configs/nand").glob("*.yaml"))
    wrong = 0
    for number in range(PER_BLOCK):
        rng = random.Random(f"config {block} {number}")
        source = rng.choice(sources)
        text = mutate(rng, source.read_text(encoding="utf-8"))
        if source.parent.name == "ssd":
            path = configs / "ssd" / f"mutant-{number}.yaml"
            arguments = ["describe", path]
        else:
            path = configs / "nand" / f"mutant-{number}.yaml"
            arguments = ["describe", configs / "ssd/default.yaml", "--set", f"nand={path}",
                         "--set", "onfi.interface=sdr", "--set", "onfi.mode=0"]
        path.write_text(text, encoding="utf-8")
        done = tlmssd(*arguments, timeout=TIMEOUT_S)
        judge(done, path, text)
        wrong += done.returncode == INPUT_ERROR
    assert wrong >= PER_BLOCK // 4, f"only {wrong} of {PER_BLOCK} mutants were refused: is damage noticed?"


@pytest.mark.parametrize("block", range(TRACE_BLOCKS))
def test_damaged_traces(tlmssd, tmp_path, block):
    wrong = 0
    for number in range(PER_BLOCK):
        rng = random.Random(f"trace {block} {number}")
        form = rng.choice(sorted(TRACES))
        text = mutate(rng, TRACES[form])
        path = tmp_path / f"mutant-{number}.trace"
        path.write_text(text, encoding="utf-8")
        named = trace_options(form)
        options = rng.choice([named, named, [], [*named, "--lenient"]])
        sets = [*SMALL, f"workload.mode={rng.choice(['open', 'closed'])}",
                f"workload.sort={rng.choice(['true', 'false', 'false'])}",
                f"workload.dedup_us={rng.choice(['never', 'never', 100])}"]
        done = tlmssd("run", DEFAULT, *set_options(sets), "--trace", path,
                      *options, "--quiet", timeout=TIMEOUT_S)
        judge(done, path, text)
        wrong += done.returncode == INPUT_ERROR
    assert wrong >= PER_BLOCK // 5, f"only {wrong} of {PER_BLOCK} mutants were refused: is damage noticed?"


@pytest.mark.parametrize("block", range(COLUMN_BLOCKS))
def test_damaged_descriptions_of_columns(tlmssd, tmp_path, block):
    path = tmp_path / "sound.trace"
    path.write_text(TRACES["columns"], encoding="utf-8")
    wrong = 0
    for number in range(PER_BLOCK):
        rng = random.Random(f"columns {block} {number}")
        text = mutate(rng, COLUMNS).replace("\0", "")
        done = tlmssd("run", DEFAULT, *set_options(SMALL), "--trace", path, "--set",
                      f"workload.trace_columns={text}", "--quiet", timeout=TIMEOUT_S)
        judge(done, path, text, source="workload.trace_columns")
        wrong += done.returncode == INPUT_ERROR
    assert wrong >= PER_BLOCK // 4, f"only {wrong} of {PER_BLOCK} mutants were refused: is damage noticed?"


@pytest.mark.parametrize("block", range(JOB_BLOCKS))
def test_damaged_job_files(tlmssd, tmp_path, block):
    wrong = 0
    for number in range(PER_BLOCK):
        rng = random.Random(f"job {block} {number}")
        text = mutate(rng, JOB_FILE)
        path = tmp_path / f"mutant-{number}.fio"
        path.write_text(text, encoding="utf-8")
        done = tlmssd("describe", DEFAULT, "--workload", path, timeout=TIMEOUT_S)
        judge(done, path, text)
        wrong += done.returncode == INPUT_ERROR
    assert wrong >= PER_BLOCK // 5, f"only {wrong} of {PER_BLOCK} mutants were refused: is damage noticed?"


def test_an_undamaged_job_file_runs(tlmssd, tmp_path):
    path = tmp_path / "sound.fio"
    path.write_text(JOB_FILE, encoding="utf-8")
    done = tlmssd("run", DEFAULT, *set_options(SMALL), "--workload", path, "--quiet", timeout=TIMEOUT_S)
    assert done.returncode == DONE, done.stderr


def test_undamaged_traces_run(tlmssd, tmp_path):
    for form, text in TRACES.items():
        path = tmp_path / f"sound.{form}"
        path.write_text(text, encoding="utf-8")
        done = tlmssd("run", DEFAULT, *set_options(SMALL), "--trace", path, *trace_options(form), "--quiet")
        assert done.returncode == DONE, f"{form}: {done.stderr}"
