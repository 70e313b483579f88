"""Networks as a whole, each in a fresh process: time to compile, memory of a call, page faults.

    python -m bench.models "ResNet-18, 224" onnxruntime torch

prints the figures of one network as JSON.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import lowering
from bench.comparing import page_faults
from bench.languages import BEST_OF, PEERS, Run, ours
from bench.measuring import Table, all_cores, seconds, use_one_core
from bench.work import Work
from bench.works import networks

STATUS, REFERENCES = Path("/proc/self/status"), Path("/proc/self/clear_refs")
SMALL: Mapping[str, int] = {"n": 1, "l": 2, "h": 32, "w": 32}
"""The sizes of a first call, after which weights and code are in memory."""
COMPILERS = frozenset({"tvm", "iree"})
"""The peers that compile, too."""
ALLOCATOR = {-3: 128 * 1024, -1: 128 * 1024}
"""glibc's initial M_MMAP_THRESHOLD and M_TRIM_THRESHOLD. Once set they are fixed: else the allocator adapts
them to the compiler's own large blocks, and keeps memory that it would return."""
NETWORKS = {work.name: work for work in networks.WORKS if work.whole}


def _status(name: str) -> float:
    """Return a figure of this process in bytes."""
    (line,) = (x for x in STATUS.read_text().splitlines() if x.startswith(f"{name}:"))
    return int(line.split()[1]) * 1024.0


def forgetful_allocator() -> None:
    """Return large blocks to the system when they are freed, as in a process that does little else."""
    library = ctypes.CDLL(None)
    for parameter, value in ALLOCATOR.items() if hasattr(library, "mallopt") else ():
        library.mallopt(parameter, value)


def peak(run: Run) -> float | None:
    """Return the bytes by which a call raises the memory of this process at most, or None if unknown."""
    if not REFERENCES.exists():
        return None
    gc.collect()
    library = ctypes.CDLL(None)
    if hasattr(library, "malloc_trim"):
        library.malloc_trim(0)
    before = _status("VmRSS")
    REFERENCES.write_text("5")  # forget the peak
    run()
    return max(0.0, _status("VmHWM") - before)


def runs(work: Work, artifact: ours.Artifact, peers: Sequence[str]) -> Iterator[tuple[str, Run]]:
    """Yield the call of every language; ours after a smaller one by the same artifact."""
    small = replace(work, sizes={**work.sizes, **{n: SMALL[n] for n in work.sizes if n in SMALL}})
    artifact.function(*small.arrays())
    yield "ours", partial(artifact.function, *work.arrays())
    for name in peers:
        yield name, PEERS[name].prepare(work, work.arrays())


def measured(work: Work, peers: Sequence[str]) -> dict[str, float | None]:
    """Return the times of one network, by the names of the columns."""
    forgetful_allocator()
    found: dict[str, float | None] = {}
    for time in ("first", "second"):
        artifact = ours.build(work, symbolic=True, cache=True)
        found[time], found[f"{time}, cpu"] = artifact.seconds, artifact.cpu_seconds
    module = ours.module(work, symbolic=True)
    usage = lowering.estimate_memory_usage(module, work.variables, opt_level=ours.LEVEL)
    found["bound"] = float(usage.lower_bound("main"))
    for name in COMPILERS.intersection(peers):
        found[f"{name}, compile"] = seconds(partial(PEERS[name].prepare, work, work.arrays()))
    use_one_core()
    for name, run in runs(work, artifact, [name for name in peers if name in BEST_OF]):
        found[f"{name}, peak"] = peak(run)
        found[f"{name}, faults"] = page_faults(run)
    return found


def _in_a_process(work: Work, peers: Sequence[str]) -> dict[str, float | None]:
    """Measure one network in a separate process with a separate cache, isolated from other works."""
    command = [sys.executable, "-m", "bench.models", work.name, *peers]
    with tempfile.TemporaryDirectory(prefix="relax-bench-") as folder, all_cores():
        environment = {**os.environ, "RELAX_CACHE_DIR": folder, "RELAX_CACHE_LIMIT": "1024"}
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else {}


def table(peers: Sequence[str]) -> Table:
    """Return the table of networks; the C compiler's time is in that of compiling."""
    peers = [name for name in peers if PEERS[name].installed]
    compilers = [name for name in peers if name in COMPILERS]
    who = {"ours": "ours", **{name: PEERS[name].name for name in peers if name in BEST_OF}}
    made = Table(
        "Networks in a fresh process: compiling for any sizes, memory of a call beyond the weights",
        (
            *("network", "compile s", "its CPU s", "second time s", "its CPU s"),
            *(f"{PEERS[name].name} compile s" for name in compilers),
            *("bound MB", *(f"{name} peak MB" for name in who.values())),
            *(f"{name} page faults" for name in who.values()),
        ),
    )
    for work in NETWORKS.values():
        found = _in_a_process(work, peers)
        if not found:
            made.missed.append(f"{work.name}: expected its figures, found a process that failed")
            continue
        peaks = [found["bound"], *(found[f"{name}, peak"] for name in who)]
        cells = (
            *(found[name] for name in ("first", "first, cpu", "second", "second, cpu")),
            *(found[f"{name}, compile"] for name in compilers),
            *(None if value is None else value / 1e6 for value in peaks),
            *(found[f"{name}, faults"] for name in who),
        )
        made.rows.append((work.name, *("" if value is None else value for value in cells)))
    return made


if __name__ == "__main__":
    print(json.dumps(measured(NETWORKS[sys.argv[1]], sys.argv[2:])))
