# SPDX-License-Identifier: BSD-3-Clause
"""The workers of a sweep: processes here, a Dask scheduler's, or those of a batch system."""

from __future__ import annotations

import contextlib
import logging
import os
import pathlib
import queue
import socket
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tlmssd_lab.errors import LabInputError, nearest
from tlmssd_lab.sweep.worker import greet
from tlmssd_lab.yaml_files import read_yaml

if TYPE_CHECKING:
    from distributed import Client

CONNECT_S = 10
PATIENCE_S = 5
RESUBMIT_S = 5
_SYSTEMS = {"pbs": "PBSCluster", "slurm": "SLURMCluster", "sge": "SGECluster", "lsf": "LSFCluster",
            "moab": "MoabCluster", "oar": "OARCluster", "htcondor": "HTCondorCluster"}


@contextlib.contextmanager
def local(jobs: int) -> Iterator[Client]:
    """Worker processes on this machine, a run each at a time; gone at the end."""
    import dask
    from distributed import Client, LocalCluster

    _quiet()
    with dask.config.set({
        "distributed.scheduler.allowed-failures": 0,  # the sweep itself tries again, and records it
        "distributed.worker.memory.terminate": False,  # what takes memory is the program
        "distributed.worker.memory.pause": False,
        "distributed.worker.memory.spill": False,
        "distributed.worker.memory.target": False,
        "distributed.admin.tick.limit": "1h",
    }):
        cluster = LocalCluster(
            n_workers=jobs, threads_per_worker=1, processes=True, memory_limit=0,
            host="127.0.0.1", dashboard_address=None, silence_logs=logging.CRITICAL,
        )
        client = Client(cluster, set_as_default=False)
        try:
            yield client
        finally:
            _close(client, cluster)


@contextlib.contextmanager
def remote(address: str) -> Iterator[Client]:
    """Workers of a running Dask scheduler (`dask scheduler`, `dask worker`)."""
    from distributed import Client
    from distributed.comm import get_address_host_port

    _quiet()
    try:
        # A client that cannot connect takes long to give up, and longer to go.
        socket.create_connection(get_address_host_port(address), timeout=CONNECT_S).close()
        client = Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        reason = (getattr(error, "strerror", None) or str(error) or "no answer").splitlines()[0]
        raise LabInputError(f"no Dask scheduler at {address}: {reason}") from None
    try:
        yield client
    finally:
        _close(client, None)


@contextlib.contextmanager
def batch(file: str | os.PathLike, logs: pathlib.Path) -> Iterator[Client]:
    """Workers that a batch system starts: `file` is a map with `system` (pbs, slurm, ...), `jobs`
    (how many), and the arguments of dask-jobqueue's cluster of that name. A process has one run at a
    time; jobs write to `logs`; one that ends (cancelled, out of time) is submitted again."""
    path = pathlib.Path(file)
    document = read_yaml(path)
    if not isinstance(document, Mapping):
        raise LabInputError(f"{path}: must be a map with system, jobs and their arguments")
    arguments: dict[str, Any] = {str(key): value for key, value in document.items()}
    system, jobs = arguments.pop("system", None), arguments.pop("jobs", None)
    if system not in _SYSTEMS:
        raise LabInputError(
            f"{path}: system: must be one of {', '.join(_SYSTEMS)}{nearest(str(system), _SYSTEMS)}"
        )
    if not isinstance(jobs, int) or isinstance(jobs, bool) or jobs < 1:
        raise LabInputError(f"{path}: jobs: must be a whole number from 1")
    import dask_jobqueue
    from distributed import Client

    _quiet()
    kind: Any = getattr(dask_jobqueue, _SYSTEMS[system])
    job_class: Any = kind.job_cls
    said: queue.SimpleQueue[Exception | None] = queue.SimpleQueue()

    class Job(job_class):
        """Reports the batch system's answer; the cluster only logs it, and waits."""

        async def start(self) -> None:
            try:
                await super().start()
            except Exception as error:
                said.put(error)
                raise
            said.put(None)

    arguments = {"processes": arguments.get("cores"), "log_directory": str(logs), **arguments}
    try:
        cluster = kind(job_cls=Job, **arguments)
    except (TypeError, ValueError, OSError, RuntimeError) as error:
        raise LabInputError(f"{path}: {_line(error)}") from None
    client = Client(cluster, set_as_default=False)
    over = threading.Event()
    try:
        cluster.scale(jobs=jobs)
        for _ in range(jobs):
            if (refusal := said.get()) is not None:
                raise LabInputError(f"{path}: {system} does not take the job: {_line(refusal)}")
        threading.Thread(target=_submit_again, args=(cluster, jobs, over), daemon=True).start()
        yield client
    finally:
        over.set()
        _close(client, cluster)


def _submit_again(cluster: Any, jobs: int, over: threading.Event) -> None:
    """Dask forgets a job whose workers went away, and submits it again when it is asked for the
    number of jobs once more; those that still wait in the batch system's queue count as there."""
    while not over.wait(RESUBMIT_S):
        with contextlib.suppress(Exception):  # closed meanwhile
            cluster.scale(jobs=jobs)


def _line(error: Exception) -> str:
    """The message of a batch system's command, or the error's own text, in one line."""
    said = str(error).rpartition("stderr:")[2]
    return " ".join(said.split()) or type(error).__name__


def check_workers(client: Client, program: str, version: str, marker: pathlib.Path,
                  tell: Callable[[str], None] | None = None) -> None:
    """Wait for the first worker, however long a batch system takes; after PATIENCE_S `tell` hears of
    it. LabInputError where one has another program or other files."""
    started = time.monotonic()
    while not client.nthreads():
        time.sleep(0.1)
        if tell is not None and time.monotonic() - started > PATIENCE_S:
            scheduler: Any = client.scheduler
            tell(f"no worker has come to {scheduler.address} yet: waiting (Ctrl-C ends)")
            tell = None
    for worker, (its, sees) in client.run(greet, program, str(marker)).items():
        if its != version:
            what = "a different program than this machine at" if its else "no program"
            raise LabInputError(f"worker {worker} has {what} {program}")
        if not sees:
            raise LabInputError(f"worker {worker} does not see {marker.parent}")


def slots(client: Client) -> int:
    """How many runs go on at a time, now."""
    return sum(client.nthreads().values())


def _close(client: Client, cluster: Any) -> None:
    for one in (client, cluster):
        if one is not None:
            with contextlib.suppress(Exception):  # a scheduler that has gone cannot say good-bye
                one.close(timeout=5)


def _quiet() -> None:
    """Dask's own messages are about its processes, not about runs. So is its warning that another
    Dask on this machine has the port of the dashboard, which a sweep does not use."""
    warnings.filterwarnings("ignore", message=r"\s*Port \d+ is already in use", category=UserWarning)
    for name in ("distributed", "distributed.nanny", "distributed.scheduler", "distributed.client",
                 "distributed.core", "distributed.comm", "distributed.worker", "distributed.deploy",
                 "tornado", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
