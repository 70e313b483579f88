"""Emitted C whose loops all run on several threads, however small, under ThreadSanitizer."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from drawn_followers import Case, module_of
from sanitized_calls import CallError, Calls, driver_of, read_results

import lowering
from lowering.emit_c import CSource
from lowering.parallel import loop_cost
from relax_dialect import interpret

FLAGS = ("-std=c11", "-w", "-O1", "-g1", "-pthread", "-fsanitize=thread", "-DRELAX_ARENA=1")


@contextmanager
def all_loops() -> Iterator[None]:
    """Split loops of any work."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop_cost, "ENOUGH", 1)
        yield


def call_watched(
    source: CSource, calls: Calls, threads: int = 3
) -> dict[str, Sequence[np.ndarray]]:
    """Return the results of functions. Raises `CallError` for the first that fails or has a race."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source.write(folder)
        (folder / "driver.c").write_text(driver_of(calls))
        command = ["gcc", *FLAGS, "model.c", "driver.c", "-o", "driver", "-lm"]
        subprocess.run(command, cwd=folder, check=True)
        data = b"".join(a.tobytes() for arguments, _ in calls.values() for a in arguments)
        told = {"OMP_NUM_THREADS": str(threads), "TSAN_OPTIONS": "halt_on_error=1"}
        done = subprocess.run(
            ["./driver"], cwd=folder, input=data, capture_output=True, check=False, env=told
        )
    report = done.stderr.decode(errors="replace")
    if done.returncode:
        *_, last = report.removeprefix("@").split("\n@")
        function, _, why = last.partition("\n")
        raise CallError(function, f"code {done.returncode}: {why[:4000]}")
    return read_results(done.stdout, calls)


def compare_watched(cases: Sequence[Case]) -> int:
    """Compile kernels and run them on one thread and on three, which must compute the same bits; return the
    number of loops that are split."""
    programs = module_of(cases)
    with all_loops():
        source = lowering.to_c(programs.module, "model", sidecar_threshold=1 << 30)
    calls: dict[str, tuple[Sequence[np.ndarray], Sequence[np.ndarray]]] = {}
    for name, arrays in programs.arguments.items():
        found = interpret.run(programs.module, name, *arrays)
        calls[name] = arrays, found if isinstance(found, tuple) else (found,)
    one, several = (call_watched(source, calls, threads) for threads in (1, 3))
    for name in calls:
        for a, b in zip(one[name], several[name], strict=True):
            if a.tobytes() != b.tobytes():
                raise CallError(name, "several threads compute other bits than one")
    return source.c.count("run_parts(&split")
