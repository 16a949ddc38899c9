# SPDX-License-Identifier: BSD-3-Clause
"""scripts/same-results: equal sides are identical, each planted change is found, and names are translated."""
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from cli import DONE, INPUT_ERROR, INTERRUPTED, ROOT, has_ended
from conftest import binary_path

sys.path.insert(0, str(ROOT / "scripts"))
# pylint: disable=wrong-import-position
from same_results import main, renames, sides  # noqa: E402

DIFFERS = 1
QUICK = ["sched/inorder-tlm-native", "help/*", "wrong/key-choice", "trace/spc"]


@pytest.fixture(name="cache", scope="module")
def fixture_cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


def checkout(folder, wrappers=None):
    """A folder with the release build under test. `wrappers`: program -> text of a script in its place, in which
    REAL is the program itself."""
    build = binary_path().resolve().parents[1]
    (folder / "build/release/bin").mkdir(parents=True)
    for place in ("lib", "firmware", "models"):
        (folder / "build/release" / place).symlink_to(build / place)
    (folder / "configs").symlink_to(ROOT / "configs")
    for program in ("tlmssd", "tlmssd-keys", "tlmssd-costs"):
        path = folder / "build/release/bin" / program
        if wrappers and program in wrappers:
            path.write_text(wrappers[program].replace("REAL", str(build / "bin" / program)), encoding="utf-8")
            path.chmod(0o755)
        else:
            path.symlink_to(build / "bin" / program)
    return folder


@pytest.fixture(name="old", scope="module")
def fixture_old(tmp_path_factory):
    return checkout(tmp_path_factory.mktemp("sides") / "old")


@pytest.fixture(name="same")
def fixture_same(cache, tmp_path):
    def same(*words, **options):
        return subprocess.run([ROOT / "scripts/same-results", *map(str, words)], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False, timeout=300, cwd=tmp_path,
                              env={**os.environ, "XDG_CACHE_HOME": str(cache)}, **options)
    return same


def only(*globs):
    return [word for glob in globs for word in ("--only", glob)]


def refused(done):
    assert (done.returncode, done.stdout) == (INPUT_ERROR, ""), done.stdout + done.stderr
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("same-results: "), done.stderr
    return lines[0]


# Whole comparisons.

def test_equal_sides_are_identical(same, old, tmp_path):
    done = same(old, checkout(tmp_path / "new"), *only(*QUICK))
    assert done.returncode == DONE, done.stdout + done.stderr
    assert re.match(r"13 runs: 13 identical, 0 differ, 0 declared; 13 command lines", done.stdout)
    assert "OLD and NEW have the same programs and configurations" in done.stderr


def test_outcomes_of_old_are_kept_and_those_of_new_are_not_trusted(same, old, tmp_path):
    words = [old, checkout(tmp_path / "new"), *only("trace/msr")]
    assert same(*words).stdout.startswith("1 runs: 1 identical")
    assert "OLD of 1 runs known before" in same(*words).stdout
    assert "OLD of 0 runs known before" in same(*words, "--fresh").stdout
    # Another program in NEW is run, whatever is known of OLD.
    new = checkout(tmp_path / "other", {"tlmssd": "#!/bin/sh\nexec REAL \"$@\" --set seed=2\n"})
    assert same(old, new, *only("trace/msr")).returncode == DIFFERS


def test_one_picosecond_is_found_in_the_times_alone(same, old, tmp_path):
    # The part of the default device reads in 50 us; here in 50.000001 us.
    assert "t_read_us: 50\n" in (ROOT / "configs/nand/mt29f64g08cbaaa.yaml").read_text(encoding="utf-8")
    new = checkout(tmp_path / "new", {"tlmssd": "#!/bin/sh\ncase $1 in run) exec REAL \"$@\" --set "
                                                "nand.t_read_us=50.000001;; esac\nexec REAL \"$@\"\n"})
    # Key and hash are declared, so that only what came of it is left.
    (tmp_path / "r.csv").write_text("kind,old,new\ndeclared,*:config_hash,planted\n"
                                    "declared,*:config.nand.t_read_us,planted\n", encoding="utf-8")
    done = same(old, new, "--renames", tmp_path / "r.csv", *only("sched/inorder-tlm-native", "help/run"))
    assert done.returncode == DIFFERS, done.stdout + done.stderr
    assert "2 runs: 1 identical, 1 differ, 0 declared" in done.stdout
    path, before, after = re.match(r"differs   sched/inorder-tlm-native: out/results.json: ([\w.]+): (\S+) -> (\S+)\n",
                                   done.stdout).groups()
    assert path.endswith(("_s", "_us", "mean", "iops")) and float(before) != float(after)
    assert abs(float(before) / float(after) - 1) < 1e-6


CHANGES = {  # a row, a command that changes its outputs, the place that must be reported
    "ops": ("sched/vaq-tlm-native", "gzip -dc ops.csv.gz | sed '7s/read/erase/; 7s/program/erase/' | gzip -1 >x; "
            "mv x ops.csv.gz", r"ops\.csv\.gz: line 7: "),
    "log": ("sched/vaq-tlm-native", "gzip -dc log.csv.gz | sed '9s/.$/x/' | gzip -1 >x; mv x log.csv.gz",
            r"log\.csv\.gz: line 9: "),
    "timeline": ("timeline/tlm", "gzip -dc run.json.gz | sed '30s/[0-9]/x/' | gzip -1 >x; mv x run.json.gz",
                 r"run\.json\.gz: line 30: "),
    "file": ("timeline/tlm", "echo >more", r"more: \(nothing\) -> a file"),
    "lost": ("timeline/tlm", "rm run.json.gz", r"run\.json\.gz: a file -> \(nothing\)"),
    "digits": ("trace/spc", "sed -i 's/\"time_s\": \\([0-9.]*\\)/\"time_s\": \\10/' out/results.json",
               r"out/results\.json: sim\.time_s: (\S+) -> \S+"),
    "order": ("trace/spc", "sed -i '/\"seed\": 1,/d; s/\"schema\"/\"seed\": 1, \"schema\"/' out/results.json",
              r"keys in order|config\.seed"),
    "wall": ("trace/spc", "sed -i '/\"kernel_events\"/d' out/results.json", r"wall\.kernel_events"),
    "snapshot": ("snapshot/scan", "test -f aged.snapshot && echo >>aged.snapshot", r"exit status|snapshot"),
    "table": ("trace/spc", "echo one more line", r"1\.stdout: line "),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_one_output_is_found(same, old, tmp_path, change):
    row, command, where = CHANGES[change]
    new = checkout(tmp_path / "new", {"tlmssd": f"#!/bin/sh\nREAL \"$@\"\nstatus=$?\n{command}\nexit $status\n"})
    done = same(old, new, *only(row))
    assert done.returncode == DIFFERS, done.stdout + done.stderr
    assert re.search(where, done.stdout.splitlines()[0]), done.stdout
    assert "1 runs: 0 identical, 1 differ, 0 declared" in done.stdout


def test_a_change_of_a_message_alone_is_found(same, old, tmp_path):
    new = checkout(tmp_path / "new", {"tlmssd": "#!/bin/sh\nREAL \"$@\" 2>err\nstatus=$?\n"
                                                "sed 's/did you mean/perhaps/' err >&2\nrm err\nexit $status\n"})
    done = same(old, new, *only("wrong/key-choice", "wrong/key-range"))
    assert done.returncode == DIFFERS
    assert "1 identical, 1 differ" in done.stdout
    assert re.match(r"differs   wrong/key-choice: 1\.stderr: line 1: .*did you mean.* -> .*perhaps", done.stdout)


def test_a_signal_more_in_a_wave_file_is_found(same, old, tmp_path):
    new = checkout(tmp_path / "new", {"tlmssd": "#!/bin/sh\nexec REAL \"$@\" --waves-view both\n"})
    done = same(old, new, *only("waves/hybrid"))
    assert done.returncode == DIFFERS
    assert re.match(r"differs   waves/hybrid: run\.fst: line \d+: ", done.stdout)


def test_another_exit_status_is_found(same, old, tmp_path):
    new = checkout(tmp_path / "new", {"tlmssd": "#!/bin/sh\nREAL \"$@\"\nexit 3\n"})
    done = same(old, new, "--may-differ", "help/*", *only("help/run"))
    assert done.returncode == DIFFERS  # no declaration covers it
    assert "help/run: exit status of command 1: 0 -> 3" in done.stdout


def test_what_fails_on_both_sides_proves_nothing(same, tmp_path):
    broken = {"tlmssd": "#!/bin/sh\necho no such luck >&2\nexit 7\n"}
    done = same(checkout(tmp_path / "a", broken), checkout(tmp_path / "b", broken), *only("help/run", "keys/schema"))
    assert done.returncode == DIFFERS
    assert done.stdout.splitlines()[0] == ("proves nothing  help/run: command 1 ends with 7 on both sides, expected 0: "
                                           "no such luck")
    assert "2 runs: 1 identical, 0 differ, 0 declared, 1 prove nothing" in done.stdout


def test_a_row_that_is_declared_may_differ(same, old, tmp_path):
    new = checkout(tmp_path / "new", {"tlmssd": "#!/bin/sh\nexec REAL \"$@\" --set seed=2\n"})
    (tmp_path / "r.csv").write_text("kind,old,new\ndeclared,trace/s*,another seed\n", encoding="utf-8")
    done = same(old, new, "--renames", tmp_path / "r.csv", *only("trace/spc"))
    assert done.returncode == DONE, done.stdout + done.stderr
    assert re.match(r"declared  trace/spc: another seed: out/results\.json: \S+: ", done.stdout)
    assert "1 runs: 0 identical, 0 differ, 1 declared" in done.stdout
    assert same(old, new, "--may-differ", "trace/*", *only("trace/spc")).returncode == DONE


NEWER = (  # what a later revision does: a line more on the screen, a file more, a key more, another order of keys
    "#!/usr/bin/env python3\nimport json, pathlib, subprocess, sys\n"
    "done = subprocess.run(['REAL', *sys.argv[1:]])\nprint('one more line')\n"
    "path = pathlib.Path('out/results.json')\n"
    "if path.exists():\n"
    "    document = json.loads(path.read_text())\n"
    "    document = {'more': 1, **dict(reversed(document.items()))}\n"
    "    document['flash']['more'] = 2\n"
    "    CHANGE\n"
    "    document['wall']['more'] = 3\n"
    "    path.write_text(json.dumps(document))\n"
    "    pathlib.Path('more').touch()\n"
    "sys.exit(done.returncode)\n")


def test_common_values_are_those_of_keys_that_both_have(same, old, tmp_path):
    rows = only("trace/spc", "help/run")
    new = checkout(tmp_path / "new", {"tlmssd": NEWER.replace("CHANGE", "pass")})
    assert same(old, new, *rows).returncode == DIFFERS
    done = same(old, new, "--common", *rows)
    assert done.returncode == DONE, done.stdout + done.stderr
    assert done.stdout.startswith("2 runs: 1 identical, 0 differ, 0 declared, 1 without results; ")


def test_a_common_value_that_differs_is_found(same, old, tmp_path):
    new = checkout(tmp_path / "new", {"tlmssd": NEWER.replace("CHANGE", "document['flash']['die_idle_s'] = -1")})
    done = same(old, new, "--common", *only("trace/spc"))
    assert done.returncode == DIFFERS
    assert re.match(r"differs   trace/spc: out/results\.json: flash\.die_idle_s: \S+ -> -1\n", done.stdout), done.stdout


def test_no_declaration_covers_a_new_error_among_common_values(same, old, tmp_path):
    change = "document['integrity']['mismatches'] = 1"
    new = checkout(tmp_path / "new", {"tlmssd": NEWER.replace("CHANGE", change)})
    done = same(old, new, "--common", "--may-differ", "trace/*", *only("trace/spc"))
    assert done.returncode == DIFFERS
    assert "trace/spc: out/results.json: integrity.mismatches: 0 -> 1" in done.stdout


def test_results_without_a_key_in_common_differ(same, old, tmp_path):
    new = checkout(tmp_path / "new", {"tlmssd": NEWER.replace("CHANGE", "document = {'more': 1, 'wall': {}}")})
    done = same(old, new, "--common", *only("trace/spc"))
    assert done.returncode == DIFFERS
    assert re.match(r"differs   trace/spc: out/results\.json: \w+: .* -> \(nothing\)\n", done.stdout), done.stdout


def test_results_that_one_side_lacks_are_found_among_common_values(same, old, tmp_path):
    new = checkout(tmp_path / "new", {"tlmssd": "#!/bin/sh\nREAL \"$@\"\nrm -f out/results.json\n"})
    done = same(old, new, "--common", *only("trace/spc"))
    assert done.returncode == DIFFERS
    assert "trace/spc: out/results.json: a file -> (nothing)" in done.stdout


# The program of NEW, as it would be with other names: it turns them round, and runs the real one.
RENAMED = """#!/usr/bin/env python3
import pathlib, subprocess, sys
assert "--log" not in sys.argv
words = [{"--requests": "--log"}.get(w, w).replace("ftl.gc.soft_blocks", "ftl.gc.threshold_blocks")
         .replace("scheduler=out_of_order", "scheduler=host") for w in sys.argv[1:]]
done = subprocess.run(["REAL", *words], capture_output=True, text=True)
print(done.stdout.replace("dies idle", "idle dies").replace("  threshold_blocks:", "  soft_blocks:")
      .replace("scheduler: host", "scheduler: out_of_order"), end="")
path = pathlib.Path("out/results.json")
if path.exists():
    path.write_text(path.read_text().replace('"threshold_blocks"', '"soft_blocks"').replace('"copybacks"', '"inside"')
                    .replace('"scheduler": "host"', '"scheduler": "out_of_order"'))
sys.exit(done.returncode)
"""


def test_another_name_is_translated_in_command_results_and_text(same, old, tmp_path):
    new = checkout(tmp_path / "new", {"tlmssd": RENAMED})
    rows = only("gc/share-native", "controller/few-tags", "describe/sched-host", "describe/default")
    lines = ["key,ftl.gc.threshold_blocks,ftl.gc.soft_blocks", "value,scheduler=host,scheduler=out_of_order",
             "option,--log,--requests", "text,dies idle,idle dies", "result,ftl.gc.copybacks,ftl.gc.inside"]
    file = tmp_path / "r.csv"

    def compared(chosen):
        file.write_text("kind,old,new\n# a remark\n" + "".join(f"{line}\n" for line in chosen), encoding="utf-8")
        return same(old, new, "--renames", file, *rows)

    done = compared(lines)
    assert done.returncode == DONE, done.stdout + done.stderr
    assert "4 runs: 4 identical" in done.stdout
    for left_out in lines:  # each line is needed
        assert compared([line for line in lines if line != left_out]).returncode == DIFFERS, left_out


def test_the_renames_of_new_are_used_and_lines_that_nothing_needed_are_named(same, old, tmp_path):
    new = checkout(tmp_path / "new", {"tlmssd": "#!/bin/sh\nREAL \"$@\" | sed 's/raw   /cells /'\n"})
    (new / main.RENAMES).parent.mkdir(parents=True)
    (new / main.RENAMES).write_text("kind,old,new\ntext,raw   ,cells \ntext,never said,nor this\n", encoding="utf-8")
    assert same(old, new, *only("describe/paq")).returncode == DONE
    names = renames.Names(renames.read(new / main.RENAMES))
    names.text("# raw   8 GiB")
    assert [r.old for r in names.renames if not r.used] == ["never said"]


@pytest.mark.parametrize("words, said", [
    ([], "OLD and NEW are needed"), (["OLD"], "OLD and NEW are needed"), (["OLD", "OLD", "--nix"], "--nix"),
    (["OLD", "OLD", "--jobs", "0"], "'0' is not a number above 0"),
    (["OLD", "OLD", "--only", "nix/*"], "nix/*: names no row"),
    (["OLD", "nix"], "NEW nix: neither a folder nor a revision"), (["empty", "OLD"], "OLD: no "),
    (["OLD", "empty"], "empty/build/release/bin/tlmssd: build it with scripts/build"),
    (["OLD", "OLD", "--renames", "nix.csv"], "nix.csv: cannot be read: No such file"),
    (["OLD", "OLD", "--keep", "full"], "--keep full: is not an empty folder"),
])
def test_wrong_input_is_status_2_and_one_line(same, old, tmp_path, words, said):
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full/a").write_text("")
    words = [old if word == "OLD" else word for word in words]
    assert said in refused(same(*words, *(only("help/run") if "--only" not in words else [])))


@pytest.mark.parametrize("text, said", [
    ("", "first line must be kind,old,new"), ("kind,old\n", "first line must be kind,old,new"),
    ("kind,old,new\nkey,a.b\n", ":2: expected kind,old,new"), ("kind,old,new\nkey,a.b,\n", ":2: expected kind,old,new"),
    ("kind,old,new\nkye,a,b\n", ":2: kind 'kye': must be one of key, value"),
    ("kind,old,new\nvalue,host,ooo\n", "key=value"), ("kind,old,new\nkey,a,a\n", "renamed to itself"),
    ("kind,old,new\nkey,a,b\nkey,b,c\n", ":2: 'b' is the old name of another line too"),
    ("kind,old,new\nresult,a,b\nresult,a,c\n", ":3: 'a' stands in line 2 too"),
    ("kind,old,new\nresult,a[].b,c[].b\n", "cannot move to another parent"),
])
def test_a_wrong_file_of_renames_is_status_2_and_one_line(same, old, tmp_path, text, said):
    (tmp_path / "r.csv").write_text(text, encoding="utf-8")
    assert said in refused(same(old, old, "--renames", tmp_path / "r.csv", *only("help/run")))


def test_help_and_list(same):
    done = same("--help")
    assert done.returncode == DONE and "scripts/same-results" in done.stdout and "usage" in done.stdout
    rows = same("--list").stdout.splitlines()
    assert len(rows) >= 80 and len(set(rows)) == len(rows)
    assert same("--list", *only("sched/vaq-*")).stdout.splitlines() == [r for r in rows if r.startswith("sched/vaq-")]


def test_outputs_are_kept_where_the_user_wants_them(same, old, tmp_path):
    done = same(old, old, "--keep", "kept", *only("trace/msr"))
    assert done.returncode == DONE, done.stderr
    for side in ("old", "new"):
        results = json.loads((tmp_path / "kept" / side / "trace/msr/work/out/results.json").read_text())
        assert results["host"]["all"]["count"] == 400


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_all_and_leaves_nothing(old, tmp_path, number):
    (tmp_path / "t").mkdir()
    with subprocess.Popen([ROOT / "scripts/same-results", old, old], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "c"),
                                          "TMPDIR": str(tmp_path / "t")}) as process:
        limit = time.monotonic() + 60
        while not list((tmp_path / "t").glob("*/*/*/*/work")) and time.monotonic() < limit:
            time.sleep(0.05)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (INTERRUPTED, "") and err.splitlines() == ["same-results: interrupted"]
    assert not list((tmp_path / "t").iterdir())


def test_a_revision_is_built_once_by_its_own_script(cache, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    repository = tmp_path / "repository"
    (repository / "scripts").mkdir(parents=True)
    build = checkout(tmp_path / "built") / "build"
    script = repository / "scripts/build"
    script.write_text(f"#!/bin/sh\necho \"$@\" >>words\ncp -a {build} .\n", encoding="utf-8")
    script.chmod(0o755)
    (repository / "configs").mkdir()
    (repository / "configs/a.yaml").write_text("seed: 1\n")

    def git(*words):
        subprocess.run(["git", "-C", repository, "-c", "user.name=t", "-c", "user.email=t@t", *words], check=True,
                       capture_output=True)
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    side = sides.find("OLD", "HEAD", repository, {"tlmssd"})
    assert side.root.parent == cache / "tlmssd/same-results" and side.program("tlmssd").is_file()
    assert sides.find("OLD", "HEAD", repository, {"tlmssd"}) == side
    assert (side.root / "words").read_text() == "release tlmssd tlmssd-keys\n"
    script.write_text("#!/bin/sh\necho broken\nexit 1\n")
    git("commit", "-q", "-a", "-m", "two")
    with pytest.raises(renames.Problem, match=r"NEW HEAD: scripts/build failed: see .*\.log"):
        sides.find("NEW", "HEAD", repository, {"tlmssd"})


def test_an_interrupt_ends_a_build(tmp_path):
    pid = tmp_path / "pid"
    script = tmp_path / "scripts/build"
    script.parent.mkdir()
    script.write_text(f"#!/bin/sh\nsleep 61.7 &\necho $! >{pid}.part\nmv {pid}.part {pid}\nwait\n")
    script.chmod(0o755)
    code = ("import pathlib, signal, sys; from same_results import main, sides\n"
            "signal.signal(signal.SIGTERM, main.interrupt); sides._build(*map(pathlib.Path, sys.argv[1:]))\n")
    with subprocess.Popen([sys.executable, "-c", code, tmp_path, tmp_path / "log"], stderr=subprocess.DEVNULL,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "scripts")}) as process:
        limit = time.monotonic() + 30
        while not pid.exists() and time.monotonic() < limit:
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) != 0
    assert has_ended(int(pid.read_text()))
