# SPDX-License-Identifier: BSD-3-Clause
"""Work on several threads that a signal can end at any instant."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

_POLL_S = 0.1  # until the waiting thread looks whether a signal has come

Outcome = TypeVar("Outcome")


@contextlib.contextmanager
def counted_signals() -> Iterator[Callable[[], int]]:
    """Count SIGINT and SIGTERM instead of raising KeyboardInterrupt; gives the function that reads the count.

    An exception that a signal raises inside `submit` or `wait` leaves a lock of the pool taken, and
    all workers wait for it without end. Handlers that raise nothing (ignored signals, C handlers) stay.
    """
    seen: list[int] = []
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            if callable(signal.getsignal(number)):
                before[number] = signal.signal(number, lambda arrived, _frame: seen.append(arrived))
    try:
        yield lambda: len(seen)
    finally:
        for changed, handler in before.items():
            signal.signal(changed, handler)


def run_threads(
    calls: Sequence[Callable[[], Outcome]],
    jobs: int,
    interrupt: Callable[[], None],
    ended: Callable[[int, Future[Outcome]], None] = lambda index, future: None,
) -> list[Future[Outcome]]:
    """Make all calls, at most `jobs` at a time; the futures in their order, all of them done.

    interrupt   called once for each SIGINT or SIGTERM; it makes the calls return soon
    ended       called on this thread for each call that has ended, with its place in `calls`; an
                exception in it interrupts the others and is raised when they have ended
    """
    with counted_signals() as signals, ThreadPoolExecutor(max(1, min(jobs, len(calls)))) as pool:
        taken = 0
        try:
            futures = [pool.submit(call) for call in calls]
            places = {future: index for index, future in enumerate(futures)}
            waiting = set(futures)
            while waiting:
                done, waiting = wait(waiting, _POLL_S, FIRST_COMPLETED)
                while taken < signals():
                    taken += 1
                    interrupt()
                for future in sorted(done, key=places.__getitem__):
                    ended(places[future], future)
        except BaseException:
            interrupt()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return futures
