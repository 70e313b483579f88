"""The result of profiling: a table for people, and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lowering.profile.machine_limits import MachineLimits


@dataclass(frozen=True)
class ProfiledKernel:
    """A call of a kernel in the program."""

    name: str
    source: str
    """The position of the first operator in the program, empty if it is unknown."""
    calls: float
    """In a call of the model."""
    seconds: float
    """In a call of the model."""
    flops: int | None
    """Floating-point operations of one call, None if they depend on what is computed at run time."""
    bytes: int | None
    """Bytes of the arguments and results of one call."""

    def least(self, limits: MachineLimits) -> float | None:
        """Return the seconds that a call of the model would need within the limits of the machine."""
        if self.bytes is None:
            return None
        return self.calls * max((self.flops or 0) / limits.flops, self.bytes / limits.bandwidth)

    def entry(self, limits: MachineLimits) -> Mapping[str, Any]:
        """Return the kernel as JSON has it."""
        least = self.least(limits)
        return {
            "kernel": self.name,
            "source": self.source,
            "calls": self.calls,
            "seconds": self.seconds,
            "flops": self.flops,
            "bytes": self.bytes,
            "roofline_seconds": least,
        }


@dataclass(frozen=True)
class Profile:
    """The time of one call of a function, by its kernels in the order of the program."""

    function: str
    seconds: float
    """The shortest call without timers."""
    profiled_seconds: float
    """The mean call with timers."""
    kernels: Sequence[ProfiledKernel]
    limits: MachineLimits

    def json(self) -> str:
        """Return the profile as JSON; times are seconds of one call."""
        found = {
            "function": self.function,
            "seconds": self.seconds,
            "profiled_seconds": self.profiled_seconds,
            "limits": self.limits._asdict(),
            "kernels": [kernel.entry(self.limits) for kernel in self.kernels],
        }
        return json.dumps(found, indent=2)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        flops, bandwidth = self.limits
        yield f"@{self.function}: {_time(self.seconds)} a call"
        yield f"limits of a core: {flops / 1e9:.0f} GFLOP/s, {bandwidth / 1e9:.1f} GB/s"
        yield ""
        heads = ("time", "share", "calls", "GFLOP/s", "GB/s", "of limit", "kernel", "source")
        rows: list[tuple[str, ...]] = [heads]
        rows += map(self._row, sorted(self.kernels, key=lambda k: -k.seconds))
        rows.append(self._rest())
        widths = [max(map(len, column)) for column in zip(*rows)]
        for row in rows:
            numbers = [cell.rjust(width) for cell, width in zip(row[:6], widths)]
            texts = [cell.ljust(width) for cell, width in zip(row[6:], widths[6:])]
            yield "  ".join([*numbers, *texts]).rstrip()

    def _share(self, seconds: float) -> str:
        return f"{seconds / self.profiled_seconds:.1%}" if self.profiled_seconds > 0 else ""

    def _row(self, kernel: ProfiledKernel) -> tuple[str, ...]:
        least, seconds = kernel.least(self.limits), kernel.seconds
        rates = [_rate(n, kernel.calls, seconds) for n in (kernel.flops, kernel.bytes)]
        part = "-" if least is None or seconds == 0 else f"{least / seconds:.0%}"
        calls = f"{kernel.calls:g}"
        return _time(seconds), self._share(seconds), calls, *rates, part, kernel.name, kernel.source

    def _rest(self) -> tuple[str, ...]:
        rest = max(self.profiled_seconds - sum(kernel.seconds for kernel in self.kernels), 0.0)
        return _time(rest), self._share(rest), "", "", "", "", "(between kernels)", ""


def _rate(amount: float | None, calls: float, seconds: float) -> str:
    if amount is None or seconds == 0:
        return "-"
    return f"{amount * calls / seconds / 1e9:.1f}"


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.3f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.1f} us"
