# SPDX-License-Identifier: BSD-3-Clause
"""Work on several threads: order, exceptions, and signals at any instant."""
import os
import signal
import subprocess
import sys
import threading

import pytest

from conftest import ROOT
from tlmssd_lab.run.pool import counted_signals, run_threads
from tlmssd_lab.run.process import Runner, in_pool

# Each call is short and many are handed out, so that signals arrive while the pool's own locks are taken.
STORM = """
import os, signal, sys, threading
from tlmssd_lab.run.pool import run_threads
number, stop, count = int(sys.argv[1]), threading.Event(), 0
def call(index):
    if index % 50 == 0 and not stop.is_set():
        os.kill(os.getpid(), number)
    return index
def interrupt():
    global count
    count += 1
    if count == 20:
        stop.set()
signal.signal(number, signal.default_int_handler)
futures = run_threads([lambda i=i: call(i) for i in range(5000)], 2, interrupt)
print([f.result() for f in futures] == list(range(5000)), count > 0)
"""


def test_results_come_in_the_order_of_the_calls_and_no_more_run_at_a_time_than_jobs():
    live, most, lock, meet = 0, 0, threading.Lock(), threading.Barrier(3)

    def call(index):
        nonlocal live, most
        with lock:
            live += 1
            most = max(most, live)
        meet.wait(timeout=30)  # so three run at once
        with lock:
            live -= 1
        return index * index
    ended = []
    futures = run_threads([lambda i=i: call(i) for i in range(9)], 3, lambda: None, lambda i, f: ended.append(i))
    assert [future.result() for future in futures] == [i * i for i in range(9)]
    assert sorted(ended) == list(range(9)) and most == 3
    assert run_threads([], 2, lambda: None) == []


def test_an_exception_interrupts_the_others_and_is_raised():
    free, interrupts = threading.Event(), []

    def interrupt():
        interrupts.append(1)
        free.set()

    def work(item, _runner):
        if item == 1:
            raise ValueError("one")
        assert free.wait(timeout=30)
    with pytest.raises(ValueError, match="one"):
        run_threads([lambda i=i: work(i, None) for i in range(2)], 2, interrupt, lambda _i, future: future.result())
    assert interrupts == [1]
    runner, free = Runner(), threading.Event()
    free.set()
    with pytest.raises(ValueError, match="one"):
        in_pool(work, [0, 1], 2, runner)
    assert runner.interrupted


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_while_calls_are_handed_out_stop_no_worker_for_ever(number):
    done = subprocess.run([sys.executable, "-c", STORM, str(int(number))], capture_output=True, text=True, check=False,
                          timeout=60, env={**os.environ, "PYTHONPATH": str(ROOT / "scripts")})
    assert (done.returncode, done.stdout, done.stderr) == (0, "True True\n", "")


def test_a_signal_is_counted_once_and_its_handler_comes_back():
    before = signal.getsignal(signal.SIGINT)
    with counted_signals() as signals:
        assert signals() == 0
        signal.raise_signal(signal.SIGINT)
        assert signals() == 1
    assert signal.getsignal(signal.SIGINT) is before
    ignored = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with counted_signals() as signals:
            signal.raise_signal(signal.SIGTERM)  # who ignores it goes on ignoring it
            assert signals() == 0
    finally:
        signal.signal(signal.SIGTERM, ignored)
