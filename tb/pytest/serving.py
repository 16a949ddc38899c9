# SPDX-License-Identifier: BSD-3-Clause
"""Starts and stops `tlmssd serve`, and runs the NBD clients of the tests."""
import json
import shutil
import signal
import subprocess
import time

import pytest

from cli import DONE, ROOT, set_options

SMALL = ROOT / "configs/ssd/powercut.yaml"  # 9 MB, collects all the time

SCHEDULERS = ["serial", "barrier", "inorder", "host", "vaq", "paq0", "paq1", "paq2", "sost", "hybrid"]
PYTHON = "/usr/bin/python3"  # Debian's: the one that python3-libnbd belongs to


def require(*programs):
    """Skip where a client is absent; scripts/setup --for test installs them all."""
    for program in ("nbdkit", *programs):
        there = shutil.which(program) is not None
        if program == "python3-libnbd":
            there = subprocess.run([PYTHON, "-c", "import nbd"], capture_output=True, check=False).returncode == 0
        if not there:
            pytest.skip(f"NBD clients not installed: {program} is absent")


class Served:
    """One device with its socket; a context that ends in order and looks at how it ended."""

    def __init__(self, tlmssd, folder, config=SMALL, sets=(), device=None, arguments=()):
        self.tlmssd, self.folder = tlmssd, folder
        self.socket = folder / "s"
        self.uri = f"nbd+unix:///?socket={self.socket}"
        self.out = folder / "out"
        self.arguments = ["serve", config, *set_options(sets), "--socket", self.socket, "--out", self.out,
                          *(["--device", device] if device else []), *arguments]
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is None:
            if kind is not None:
                self.kill()
            else:
                self.stop()

    def start(self):
        self.log = open(self.folder / "log", "w+", encoding="utf-8", errors="replace")
        self.process = subprocess.Popen([self.tlmssd.path, *map(str, self.arguments)], cwd=ROOT,
                                        stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        limit = time.monotonic() + 60
        while "bytes at" not in self.text():
            assert self.process.poll() is None, self.text()
            assert time.monotonic() < limit, "does not come up: " + self.text()
            time.sleep(0.01)

    def text(self):
        return (self.folder / "log").read_text(encoding="utf-8", errors="replace")

    def stop(self, status=DONE):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(60) == status, self.text()
        self.log.close()
        return self.results()

    def kill(self):
        self.process.kill()
        self.process.wait(60)
        self.log.close()

    def results(self):
        return json.loads((self.out / "results.json").read_text(encoding="utf-8"))

    def run(self, *words, timeout=60, status=0):
        done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, timeout=timeout,
                              capture_output=True, text=True, check=False, cwd=self.folder)
        assert done.returncode == status, f"{words}: {done.stdout[-3000:]}{done.stderr[-3000:]}{self.text()[-3000:]}"
        return done.stdout

    def python(self, script, *arguments):
        """A script with the client `h`."""
        return self.run(PYTHON, "-c", f"import nbd\nh = nbd.NBD()\nh.connect_uri({self.uri!r})\n{script}",
                        *arguments)

    def fio(self, *jobs, timeout=120, **common):
        """Jobs are dictionaries; data that are wrong fail."""
        text = "[global]\n" + options({"ioengine": "nbd", "uri": self.uri, "thread": None, "bs": "4k",
                                       "iodepth": 16, "verify": "crc32c", "verify_fatal": 1,
                                       "group_reporting": None, **common})
        for number, job in enumerate(jobs):
            text += f"[job{number}]\n" + options(job)
        (self.folder / "job.fio").write_text(text, encoding="utf-8")
        report = self.run("fio", "--output-format=json", "job.fio", timeout=timeout)
        return json.loads(report[report.index("{"):])["jobs"]


def options(values):
    return "".join(f"{key}\n" if value is None else f"{key}={value}\n" for key, value in values.items())
