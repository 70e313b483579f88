"""Many cases, each in a process that may crash, hang or take all memory without ending the run."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any

FORK = multiprocessing.get_context("fork")
"""So that the cases, which may hold anything, need not be sent."""


class _Worker:
    """A process that is given one case after the other."""

    def __init__(self, function: Callable[[Any], Any], cases: Sequence[Any], megabytes: int):
        self.pipe, theirs = FORK.Pipe()
        self.process = FORK.Process(target=_serve, args=(theirs, function, cases, megabytes))
        self.process.start()
        theirs.close()
        self.case, self.until = -1, 0.0

    def begin(self, case: int, seconds: float) -> None:
        self.case, self.until = case, time.monotonic() + seconds
        self.pipe.send(case)

    def end(self, has_ended: bool = False) -> str:
        """End the process, with those that it began; gives how it ended if it did so by itself."""
        if has_ended:
            self.process.join(1)
        code = self.process.exitcode
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid or 0, signal.SIGKILL)
        self.process.kill()  # one that hangs before it has a group of its own
        self.process.join()
        self.pipe.close()
        if code is not None and code < 0:
            return f"ends its process with {signal.Signals(-code).name}"
        return f"ends its process with code {code}"


def _serve(pipe: Connection, function: Any, cases: Sequence[Any], megabytes: int) -> None:
    os.setsid()
    if megabytes:  # else without a limit, which ThreadSanitizer needs
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.disable()  # how it ends is told by the caller
    with suppress(EOFError):
        while True:
            pipe.send(function(cases[pipe.recv()]))


def each(
    function: Callable[[Any], Any],
    cases: Sequence[Any],
    jobs: int = 2,
    seconds: float = 60,
    megabytes: int = 8192,
) -> Iterator[tuple[int, Any, str]]:
    """The function of each case, as it is found: the number of the case, the result, and why there is none."""
    waiting = list(reversed(range(len(cases))))
    workers = list[_Worker]()
    try:
        while waiting or workers:
            while waiting and len(workers) < jobs:
                workers.append(_Worker(function, cases, megabytes))
                workers[-1].begin(waiting.pop(), seconds)
            first = min(worker.until for worker in workers)
            ready = wait([worker.pipe for worker in workers], max(first - time.monotonic(), 0.001))
            for worker in list(workers):
                case, is_late = worker.case, time.monotonic() > worker.until
                if worker.pipe in ready:
                    try:
                        result = worker.pipe.recv()
                    except (EOFError, ConnectionResetError):
                        workers.remove(worker)
                        yield case, None, worker.end(has_ended=True)
                        continue
                    if waiting:
                        worker.begin(waiting.pop(), seconds)
                    else:
                        workers.remove(worker)
                        worker.end()
                    yield case, result, ""
                elif is_late:
                    workers.remove(worker)
                    worker.end()
                    yield case, None, f"takes more than {seconds:g} s"
    finally:
        for worker in workers:
            worker.end()
