"""Parts of all kinds of cases: a fault that is found, limits of time and memory, and files that are read or refused."""

from __future__ import annotations

import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from relax_dialect.errors import RelaxError
from relax_dialect.parsing import deep_recursion


class Fault(Exception):
    """A fault, and the program that shows it: its text, or the bytes of an ONNX model."""

    def __init__(self, what: str, program: str | bytes):
        super().__init__(what)
        self.program = program

    def __reduce__(self) -> tuple[type[Fault], tuple[str, str | bytes]]:
        return Fault, (str(self), self.program)


class HangError(BaseException):
    """A run that does not end; no `except Exception` on the way may take it for an error."""


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """`HangError` in the middle of what takes longer on the processor, whatever else runs."""

    def stop(*_: object) -> None:
        raise HangError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def limited_memory(megabytes: int) -> Iterator[None]:
    """Let no more memory than so much beyond what is used now be taken inside."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + (megabytes << 20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def is_read(read: Callable[[], object], data: bytes, seconds: int, longest: int) -> bool:
    """Whether some data is read; it is refused by one error of at most so many characters. Raises `Fault`."""
    try:
        with time_limit(seconds), deep_recursion():
            read()
        return True
    except Fault as fault:
        raise Fault(str(fault), data) from None
    except RelaxError as error:
        text = str(error)
        if not text or len(text) > longest or "Traceback" in text:
            raise Fault(f"no clear error: {text[:300]}", data) from None
        return False
    except HangError:
        raise Fault(f"takes more than {seconds} s", data) from None
    except BaseException as error:
        raise Fault(f"{type(error).__name__}: {error}", data) from error
